"""Sentences, words and word forms: contractions, stems and roots.

Endings are known for English; the sentences of any language end alike.
"""

import re
from functools import cache

from memapp.domain.text_cache import text_cache
from memapp.language.lexicon import lexicon

EN = lexicon("words")
KEPT_SENTENCES = 64
"""Cached texts: a message is read for many questions, alone and beside the ones before."""
NOT = "¬"
"""Stands for every negation where stems are compared."""

QUOTES = str.maketrans(
    {
        "’": "'",
        "‘": "'",
        "ʼ": "'",
        "´": "'",
        "“": '"',
        "”": '"',
        "„": '"',
        "«": '"',
        "»": '"',
        "…": ". ",
    }
)
TOKEN = re.compile(
    r"[^\w\s,;:()\"?!]?\d+(?:(?:,\d{3})+|(?::\d\d)+)(?!\d)[^\s,;:()\"?!]*"
    r"|[,;:()\"?!]|[^\s,;:()\"?!]+"
)
"""`£3,200` and `7:15` are one word each."""
_SENTENCE_END = re.compile(
    r"(?<=[.!?])[)\"']*\s+(?!(?:19|20)\d\d\b|(?<=\d\.\s)(?i:januar|j(?:ä|ae)nner|februar"
    r"|m(?:ä|ae)rz|april|mai|juni|juli|august|"
    r"(?:septem|novem|dezem)ber|oktober)\b)|\n+"  # `in Oct. 1984`, `am 3. Dezember`
    # A space was forgotten: `I like tea.My sister ...`, but not `Node.js` or `ASP.NET`.
    r"|(?<=\w\w[.!?])(?=(?:I|My|We|Our|The|He|She|It|They|You|Your|This|That|There|And|But|So"
    r"|Also|Then|What|How|Do|Is)(?:\s|'\w))"
)
_SHOUTED = re.compile(r"(?=[^a-z]+\Z)(?=(?:[^A-Z]*[A-Z]+\b){3}).*[A-Z]{2}.*[A-Z]{2}.*", re.DOTALL)
"""At least three words, all in capitals: no names."""
_ORDINAL = re.compile(
    r"\b(?:a[bm]|vom|zu[mr]|bis|beim|im|de[mnrs]|das|die)\s\d{1,3}\.$", re.IGNORECASE
)
"""A German ordinal, which ends with a full stop: `am 14. fahren wir`."""
_LAST_CHARS = 16
"""More than an abbreviation or an ordinal has, with the character before it."""
_NEW_STATEMENT = re.compile(r"\s*(?:I|My|I'\w+)\s")


@text_cache(KEPT_SENTENCES)
def expand(text: str) -> str:
    """Return the text with plain quotes and without contractions: `I'm` becomes `I am`.

    Shouted text becomes lower case.
    """
    text = text.translate(QUOTES)
    if _SHOUTED.fullmatch(text):
        text = text.lower()
    for pattern, whole in [
        *(_contractions("contractions") if "'" in text else ()),
        *_contractions("clipped"),
    ]:
        text = pattern.sub(whole, text)
    text = EN.regex(r"\b{clipped_words}\b").sub(
        lambda word: EN.entry("clipped_words")[word[0].lower()], text
    )
    return re.sub(r"(?<![\w.'])i(?![\w.'])", "I", text)


@cache
def _contractions(name: str) -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(pattern, re.IGNORECASE), whole) for pattern, whole in EN.entry(name)]


def tokens(text: str) -> list[str]:
    """Return words and `, ; : ( ) " ? !`; full stops only stay inside (`U.S.`, `3.5`)."""
    words = []
    for token in TOKEN.findall(text):
        is_initials = "." in token and re.fullmatch(r"(?:[A-Za-z]\.)+", token)
        if word := token if is_initials else token.strip(".*_~`"):
            words.append(word)
    return words


def sentences(text: str) -> list[str]:
    """Return the sentences and lines; abbreviations (`Dr. Who`, `St. Ives`) end none."""
    return list(_split(text))


@text_cache(KEPT_SENTENCES)
def _split(text: str) -> tuple[str, ...]:
    ended: list[str] = []
    open_end = False
    for line in re.split(r"\n+", text):
        for part in _SENTENCE_END.split(line):
            if not part.strip():
                continue
            # A `no.` is an answer, but not in `no. 5`.
            is_answer = (
                bool(ended) and ended[-1].casefold().endswith("no.") and not part[:1].isdigit()
            )
            if open_end and not is_answer and not _NEW_STATEMENT.match(part):
                ended[-1] += " " + part.strip()
            else:
                ended.append(part.strip())
            open_end = part.endswith(".") and _ends_open(part[-_LAST_CHARS:])
        open_end = False
    return tuple(ended)


def _ends_open(end: str) -> bool:
    """Return True for an abbreviation, an initial or an ordinal at the end of a part."""
    abbreviated = EN.regex(r"(?:\b{abbreviations}|(?:^|[\s.])[A-Za-z])\.$")
    return bool(abbreviated.search(end) or _ORDINAL.search(end))


@text_cache(8192)
def stems(word: str) -> frozenset[str]:
    """Return possible base forms of a word: `studies` -> {studies, studie, study}."""
    word = word.casefold().removesuffix("'s").removesuffix("'")
    bases = {word, *(forms[word] for forms in _irregular() if word in forms)}
    bases |= {_american(base) for base in bases}
    return frozenset(stem for base in bases for stem in {base} | _without_endings(base) if stem)


@text_cache(8192)
def root(word: str) -> str:
    """Return the common part of a word's forms: `studies` and `studied` -> `studi`."""
    word = word.casefold().removesuffix("'s").removesuffix("'")
    word = _american(next((forms[word] for forms in _irregular() if word in forms), word))
    word = re.sub(r"(?<=[a-z]{2}[^s])s$", "", word)
    word = re.sub(r"^(?=\w{4})(\w*[aeiouy]\w*)(?:ing|ed)$", r"\1", word)
    return re.sub(r"y$", "i", re.sub(r"([^aeiou\d])\1$", r"\1", word.rstrip("e")))


def _irregular() -> list[dict[str, str]]:
    return [EN.forms("numbers"), EN.forms("past_forms"), EN.forms("plurals")]


def _american(word: str) -> str:
    return re.sub(r"(?<=[a-z]{2}[bdlnv])our(?=s?$|ed$|ing$|ite)", "or", word)


def _without_endings(word: str) -> set[str]:
    bases = set()
    if word.endswith("ies") and len(word) > 4:
        bases |= {word[:-3] + "y", word[:-1]}
    elif word.endswith("s") and not word.endswith("ss") and len(word) > 3:
        bases.add(word[:-1])
        if re.search(r"(?:s|x|z|ch|sh|o)es$", word):
            bases.add(word[:-2])
    for ending in ("ed", "ing"):
        root = word.removesuffix(ending)
        if root != word and len(root) >= 2 and re.search(r"[aeiouy]", root):
            bases |= {root, root + "e"}
            if root.endswith("i") and ending == "ed":
                bases.add(root[:-1] + "y")
            if len(root) > 2 and root[-1] == root[-2]:
                bases.add(root[:-1])
    return bases
