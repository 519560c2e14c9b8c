"""Sentences, words and their forms: contractions written out, the stems that two forms of a word
share.

Endings are known for English; the sentences of any language end alike.
"""

import re
from functools import cache, lru_cache

from memapp.language.lexicon import lexicon

EN = lexicon("words")
KEPT_SENTENCES = 64
"""So many sentences are read once: a message is read by itself, and beside what was said before it.
"""
NOT = "¬"
"""Stands for each negation where stems are compared."""

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
    r"[^\w\s,;:()\"?!]?\d+(?:(?:,\d{3})+|(?::\d\d)+)(?!\d)[^\s,;:()\"?!]*|[,;:()\"?!]|[^\s,;:()\"?!]+"
)
"""`£3,200` and `7:15` are one word."""
_SENTENCE_END = re.compile(
    r"(?<=[.!?])[)\"']*\s+(?!(?:19|20)\d\d\b|(?<=\d\.\s)(?i:januar|j(?:ä|ae)nner|februar|m(?:ä|ae)rz|april|mai|juni|juli|august|"
    r"(?:septem|novem|dezem)ber|oktober)\b)|\n+"  # `in Oct. 1984`, `am 3. Dezember`
    # A space was forgotten: `I like tea.My sister ...`, but not `Node.js` or `ASP.NET`.
    r"|(?<=\w\w[.!?])(?=(?:I|My|We|Our|The|He|She|It|They|You|Your|This|That|There|And|But|So|Also|Then|What|How|Do|Is)(?:\s|'\w))"
)
_SHOUTED = re.compile(r"(?=[^a-z]+\Z)(?=(?:[^A-Z]*[A-Z]+\b){3}).*[A-Z]{2}.*[A-Z]{2}.*", re.DOTALL)
"""Three words or more in capitals throughout: they name nobody."""
_ORDINAL = re.compile(
    r"\b(?:a[bm]|vom|zu[mr]|bis|beim|im|de[mnrs]|das|die)\s\d{1,3}\.$", re.IGNORECASE
)
"""German writes `the 14th` so: `am 14. fahren wir`."""
_NEW_STATEMENT = re.compile(r"\s*(?:I|My|I'\w+)\s")


@lru_cache(maxsize=KEPT_SENTENCES)
def expand(text: str) -> str:
    """Return the text with plain quotes and contractions written out: `I'm` becomes `I am`; what is
    shouted in small letters.
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
    """Split into words and `, ; : ( ) " ? !`; a final full stop goes away, inner ones (`U.S.`,
    `3.5`) stay.
    """
    found = []
    for token in TOKEN.findall(text):
        word = (
            token
            if "." in token and re.fullmatch(r"(?:[A-Za-z]\.)+", token)
            else token.strip(".*_~`")
        )
        if word:
            found.append(word)
    return found


def sentences(text: str) -> list[str]:
    """Split at sentence ends and line ends; an abbreviation (`Dr. Who`, `St. Ives`) does not end a
    sentence.
    """
    found: list[str] = []
    open_end = False
    for line in re.split(r"\n+", text):
        for part in _SENTENCE_END.split(line):
            if not part.strip():
                continue
            is_answer = (
                bool(found) and found[-1].casefold().endswith("no.") and not part[:1].isdigit()
            )  # and not `no. 5`
            if open_end and not is_answer and not _NEW_STATEMENT.match(part):
                found[-1] += " " + part.strip()
            else:
                found.append(part.strip())
            open_end = bool(
                EN.regex(r"(?:\b{abbreviations}|(?:^|[\s.])[A-Za-z])\.$").search(part)
                or _ORDINAL.search(part)
            )
        open_end = False
    return found


@lru_cache(maxsize=8192)
def stems(word: str) -> frozenset[str]:
    """Return what the word may be a form of: `studies` -> {studies, studie, study}; a number is
    written in digits.
    """
    word = word.casefold().removesuffix("'s").removesuffix("'")
    found = {word, *(forms[word] for forms in _irregular() if word in forms)}
    found |= {_american(text) for text in found}
    return frozenset(stem for text in found for stem in {text} | _without_endings(text) if stem)


@lru_cache(maxsize=8192)
def root(word: str) -> str:
    """Return what the forms of a word have in common, which need not be a word: `studies` and
    `studied` -> `studi`.
    """
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
    found = set()
    if word.endswith("ies") and len(word) > 4:
        found |= {word[:-3] + "y", word[:-1]}
    elif word.endswith("s") and not word.endswith("ss") and len(word) > 3:
        found.add(word[:-1])
        if re.search(r"(?:s|x|z|ch|sh|o)es$", word):
            found.add(word[:-2])
    for ending in ("ed", "ing"):
        root = word.removesuffix(ending)
        if root != word and len(root) >= 2 and re.search(r"[aeiouy]", root):
            found |= {root, root + "e"}
            if root.endswith("i") and ending == "ed":
                found.add(root[:-1] + "y")
            if len(root) > 2 and root[-1] == root[-2]:
                found.add(root[:-1])
    return found
