"""The little English that writing facts needs: classes of words, word forms, contractions, sentences.

It knows verbs by short tables and endings, so it is sure only of common words; the rules that use it leave out what it is
not sure of. Compact tables were chosen over an inflection library because turning "I" into "User" changes a verb only in the
present tense; the hard part is to recognise words, and a dictionary does not tell a noun from a verb in its place either.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache

from memapp.language.lexicon import lexicon

EN = lexicon("facts")
KEPT_SENTENCES = 64
"""So many sentences are read once: a message is read by itself, and beside what was said before it."""
NOT = "¬"
"""Stands for each negation where stems are compared."""

QUOTES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "´": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "…": ". "})
TOKEN = re.compile(r"[^\w\s,;:()\"?!]?\d+(?:(?:,\d{3})+|(?::\d\d)+)(?!\d)[^\s,;:()\"?!]*|[,;:()\"?!]|[^\s,;:()\"?!]+")
"""`£3,200` and `7:15` are one word."""
_SENTENCE_END = re.compile(
    r"(?<=[.!?])[)\"']*\s+(?!(?:19|20)\d\d\b)|\n+"  # `in Oct. 1984`
    # A space was forgotten: `I like tea.My sister ...`, but not `Node.js` or `ASP.NET`.
    r"|(?<=\w\w[.!?])(?=(?:I|My|We|Our|The|He|She|It|They|You|Your|This|That|There|And|But|So|Also|Then|What|How|Do|Is)(?:\s|'\w))"
)
_SHOUTED = re.compile(r"(?=[^a-z]+\Z)(?=(?:[^A-Z]*[A-Z]+\b){3}).*[A-Z]{2}.*[A-Z]{2}.*", re.DOTALL)
"""Three words or more in capitals throughout: they name nobody."""
_NEW_STATEMENT = re.compile(r"\s*(?:I|My|I'\w+)\s")


@lru_cache(maxsize=KEPT_SENTENCES)
def expand(text: str) -> str:
    """Return the text with plain quotes and contractions written out: `I'm` becomes `I am`; what is shouted in small letters."""
    text = text.translate(QUOTES)
    if _SHOUTED.fullmatch(text):
        text = text.lower()
    for pattern, whole in [*(_contractions("contractions") if "'" in text else ()), *_contractions("clipped")]:
        text = pattern.sub(whole, text)
    text = EN.regex(r"\b{clipped_words}\b").sub(lambda word: EN.entry("clipped_words")[word[0].lower()], text)
    return re.sub(r"(?<![\w.'])i(?![\w.'])", "I", text)


@cache
def _contractions(name: str) -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(pattern, re.IGNORECASE), whole) for pattern, whole in EN.entry(name)]


def tokens(text: str) -> list[str]:
    """Split into words and `, ; : ( ) " ? !`; a final full stop goes away, inner ones (`U.S.`, `3.5`) stay."""
    found = []
    for token in TOKEN.findall(text):
        word = token if "." in token and re.fullmatch(r"(?:[A-Za-z]\.)+", token) else token.strip(".*_~`")
        if word:
            found.append(word)
    return found


def word_at(words: Sequence[str], place: int) -> str:
    """Return a word in lower case, or nothing when there are not so many."""
    return words[place].casefold() if place < len(words) else ""


def join(words: list[str]) -> str:
    """Put tokens together again, punctuation without a space before it."""
    return re.sub(r" ([,;:?!)])", r"\1", " ".join(words)).replace("( ", "(")


def sentences(text: str) -> list[str]:
    """Split at sentence ends and line ends; an abbreviation (`Dr. Who`, `St. Ives`) does not end a sentence."""
    found: list[str] = []
    open_end = False
    for line in re.split(r"\n+", text):
        for part in _SENTENCE_END.split(line):
            if not part.strip():
                continue
            is_answer = bool(found) and found[-1].casefold().endswith("no.") and not part[:1].isdigit()  # and not `no. 5`
            if open_end and not is_answer and not _NEW_STATEMENT.match(part):
                found[-1] += " " + part.strip()
            else:
                found.append(part.strip())
            open_end = bool(EN.regex(r"(?:\b{abbreviations}|(?:^|[\s.])[A-Za-z])\.$").search(part))
        open_end = False
    return found


def without_symbols(text: str) -> str:
    """Return the text, as long as before, with emoji, smileys and other pictures as sentence ends: so people use them."""
    text = re.sub(r"(?<!\S)(?:[:;=]['-]?[()D/]+|<3+)(?!\S)", lambda smiley: "\n" * len(smiley[0]), text)
    return re.sub(r"[^\x00-\x7f]", lambda char: "\n" if unicodedata.category(char[0]) in ("So", "Sk", "Cs") else char[0], text)


def third_person(verb: str) -> str:
    """Return the present tense after `User`: love -> loves, have -> has, study -> studies."""
    if verb in EN.third_persons:
        return EN.table("third_persons")[verb]
    if re.search(r"(?:s|x|z|ch|sh|o)$", verb):
        return verb + "es"
    return verb[:-1] + "ies" if re.search(r"[^aeiou]y$", verb) else verb + "s"


@cache
def third_person_verbs() -> dict[str, str]:
    """Return the common verbs by their third person."""
    return {third_person(verb): verb for verb in EN.common_verbs}


def is_past(word: str) -> bool:
    """Say whether the word is a past tense or participle that differs from the present."""
    word = word.casefold()
    return word in EN.past_forms or (word.endswith("ed") and len(word) > 3 and word not in EN.no_past)


def is_verb(word: str) -> bool:
    """Say whether a word in small letters is a verb, or a form of one, as far as the tables know."""
    return word in EN.common_verbs or word in third_person_verbs() or word in EN.finite or is_past(word)


def is_adverb(word: str) -> bool:
    word = word.casefold()
    return word in EN.adverbs or (word.endswith("ly") and len(word) > 4 and word not in EN.ly_words)


@lru_cache(maxsize=8192)
def stems(word: str) -> frozenset[str]:
    """Return what the word may be a form of: `studies` -> {studies, studie, study}; a number is written in digits."""
    word = word.casefold().removesuffix("'s").removesuffix("'")
    found = {word, *(forms[word] for forms in _irregular() if word in forms)}
    found |= {_american(one) for one in found}
    return frozenset(stem for one in found for stem in {one} | _without_endings(one) if stem)


@lru_cache(maxsize=8192)
def root(word: str) -> str:
    """Return what the forms of a word have in common, which need not be a word: `studies` and `studied` -> `studi`."""
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
