"""Reading a value of the profile from what follows the beginning of a statement, written as the profile shows it."""

import re
from collections.abc import Callable

from memapp.domain.english import ADVERBS, COMMON_VERBS, DEMONSTRATIVES, FUNCTION_WORDS, HEDGES, NEGATIONS, PRONOUNS, word_set
from memapp.domain.profile_words import GENERIC_PLACES, GIVEN_NAMES, LANGUAGES, NOT_NAMES, PLACE_OPENINGS, PLACES_WITH_ARTICLE
from memapp.domain.text import one_line, shorten

MAX_VALUE_CHARS = 120

Reading = tuple[str, int]
"""A value as the profile shows it, and how many characters of the text it took."""
Reader = Callable[[str], Reading | None]
"""Takes what follows the beginning of a statement."""


def name(rest: str) -> Reading | None:
    """Read a name: up to three words written large, or one written small that is no other word."""
    found = re.match(rf"{_TITLE}({_NAME_WORD})((?: (?:[a-z]{{1,3}} )?{_LARGE_WORD}){{0,2}})(?!'s?\b\w*\s+\w)(?!\w)", rest)
    if found is None:
        return None
    first = found.group(1).rstrip(".'-")
    if _is_no_name(first) or re.match(r"'?s\b", rest[found.end() :]):
        return None
    written = found.group(0).strip().rstrip(".,'-")
    return _written_large(written), len(found.group(0).rstrip(".,'-"))


_NAME_WORD = r"[^\W\d_][^\W\d_]*(?:['.-][^\W\d_]+)*"
_LARGE_WORD = r"(?!I\b|I'|And\b|But\b)[^\W\d_a-zß-öø-ÿ][^\W\d_]*(?:['.-][^\W\d_]+)*"
_TITLE = r"(?i:(?:(?:mr|mrs|ms|dr|prof|sir|lady|captain|miss|mx)\.? ))?"


def _is_no_name(word: str) -> bool:
    lowered = word.casefold()
    return (
        lowered in NOT_NAMES | FUNCTION_WORDS | PRONOUNS | NEGATIONS | LANGUAGES
        or (lowered in COMMON_VERBS | HEDGES | ADVERBS and lowered == word and word not in GIVEN_NAMES)
        or (word == lowered and re.search(r"(?:ing|ed|ly)$", word) is not None and word not in GIVEN_NAMES)
    )


def _written_large(words: str) -> str:
    """Write a name as names are written where it came all small or all large."""
    if words == words.lower() or (words == words.upper() and len(words) > 3):
        return re.sub(
            r"(?<![^\W_])(?<!['’]s)[^\W\d_]+", lambda word: word.group(0)[:1].upper() + word.group(0)[1:].lower(), words
        )
    return words


def own_name(rest: str) -> Reading | None:
    """Read a name after `I am`, where most words are none: it ends the statement and looks like nothing else."""
    read = name(rest)
    if read is None:
        return None
    first, after = rest.split()[0].strip(".,!"), rest[read[1] :]
    is_known = first.casefold() in GIVEN_NAMES
    is_large = first[:1].isupper() and rest[: read[1]] != rest[: read[1]].upper()
    looks_like_trait = re.search(r"(?:ish|ese|ian|ean|ist|ic|can|ner|ful|ed|ing|less|able)$", first) is not None
    ends = re.match(r"\s*(?:$|[.,;!?)\n(]|(?:and|but) (?:i\b|my\b|i')|by the way)", after, re.IGNORECASE)
    return read if ends and (is_known or (is_large and not looks_like_trait)) else None


def known_name(rest: str) -> Reading | None:
    """Read a name after `it's`, where nearly every word is none: one that is well known, and all that is said."""
    read = name(rest)
    is_all = read is not None and rest[read[1] :].strip(" .!") == ""
    return read if is_all and rest.split()[0].strip(".,!").casefold() in GIVEN_NAMES else None


def ending_name(rest: str) -> Reading | None:
    """Read a name that ends the clause."""
    read = name(rest)
    return (
        read if read and re.match(r"\s*(?:$|[.,;!?)\n(]|(?:and|but|now|instead|for short|from now)\b)", rest[read[1] :]) else None
    )


_GENERIC = re.compile(
    rf"(?:an?|the|my|our)\b(?! (?:{PLACES_WITH_ARTICLE})\b)\s+(?:[\w-]+\s+){{0,3}}?(?:in|of|near) (?=[^\W\d])", re.IGNORECASE
)


def place(rest: str) -> Reading | None:
    """Read the name of a place, not `a small town` or `the city`; what is inside a generic place counts: `a town in Iowa`."""
    generic = _GENERIC.match(rest)
    if generic is not None:
        inner = place(rest[generic.end() :])
        return (inner[0], generic.end() + inner[1]) if inner else None
    near = re.match(r"(?:near|outside(?: of)?|close to) (?=[A-Z])", rest)
    if near is not None:
        inner = place(rest[near.end() :])
        return (near.group(0) + inner[0], near.end() + inner[1]) if inner else None
    with_article = re.match(rf"the ({PLACES_WITH_ARTICLE})(?!\w)", rest, re.IGNORECASE)
    if with_article is not None:
        return f"the {_named_place(with_article.group(1))}", with_article.end()
    around = re.match(r"the (?=[A-Z][\w'-]+(?: [A-Z][\w'-]+)? (?:area|region)\b)", rest)
    if around is not None:
        inner = place(rest[around.end() :])
        return (inner[0], around.end() + inner[1]) if inner else None
    found = _place_words(rest)
    if _NOT_NOW.match(rest, found):
        return None
    return (_named_place(rest[:found]), found) if found else None


_NOT_NOW = re.compile(
    r"\s\d+(?! (?:years?|months?|weeks?|days?)\b)|,? (?:when (?:i|we) (?:was|were)|as an? (?:kid|child|baby|teen\w*))\b",
    re.IGNORECASE,
)
"""`Python 3` is no place, and where somebody moved as a child may not be where they live."""


def _place_words(rest: str) -> int:
    """Return how long the name is that the text begins with: words written large, or one or two small ones; `, Portugal` too."""
    end, count, may_go_on = 0, 0, True
    for word in re.finditer(r"(,? ?)([^\W\d_][\w'.-]*)", rest):
        if word.start() != end or count == 5 or (not may_go_on and "," not in word.group(1)):
            break
        text = word.group(2).rstrip(".'")
        lowered, is_large = text.casefold(), text[:1] != text[:1].lower() or not text[:1].isascii()
        if (not is_large and "," in word.group(1) and len(text) > 2 and rest[0] != rest[0].lower()) or _is_no_place(text):
            break
        is_abbreviated = word.group(2) == f"{text}." and lowered in ("st", "mt", "ft", "pt")
        end, count = word.end(2) if is_abbreviated else word.start(2) + len(text), count + 1
        may_go_on = is_large or lowered in PLACE_OPENINGS
    return end if end > 1 else 0


def _is_no_place(word: str) -> bool:
    lowered = word.casefold()
    is_small = lowered == word
    return (
        lowered in _NO_PLACE
        or (is_small and lowered in GENERIC_PLACES | ADVERBS | COMMON_VERBS)
        or (is_small and re.search(r"(?:ing|ed|ly)$", lowered) is not None and lowered != "reading")
    )


_NO_PLACE = (FUNCTION_WORDS | PRONOUNS | NEGATIONS | DEMONSTRATIVES) - {"us"} | word_set(
    "last this next now today yesterday right currently again too alone together recently years months ago all some many more if "
    "would will can please thanks thank also btw lol where when which who he's she's i'm im it's like near far work a"
)


def _named_place(words: str) -> str:
    lowered = words.casefold()
    return lowered.upper().replace(".", "") if lowered in _SHOUTED else _written_large(words.rstrip(".,"))


_SHOUTED = word_set("usa us uk uae nyc la dc u.s.a. u.s.")
LANGUAGE = (
    rf"(?:(?:american|british|brazilian|mexican|swiss|simplified|traditional|sign) )?(?:{'|'.join(sorted(LANGUAGES))})\b"
    r"(?! (?:food|movies?|films?|music|wine|class|lessons?|fries|people|subtitles|equivalent|version|name|word|term))"
)


def languages(rest: str) -> Reading | None:
    """Read one language or several: `Danish`, `English, Spanish and French`."""
    found = re.match(rf"(?:only |just )?({LANGUAGE}(?:(?:,? (?:and|&) |, )(?:a little |some )?{LANGUAGE})*)", rest, re.IGNORECASE)
    if found is None:
        return None
    named = re.findall(LANGUAGE, found.group(1), re.IGNORECASE)
    return ", ".join(_language_name(name) for name in named), found.end()


def _language_name(name: str) -> str:
    return " ".join(
        word.upper() if word.casefold() in ("asl", "bsl") else word[:1].upper() + word[1:].lower() for word in name.split()
    )


def target_language(rest: str) -> Reading | None:
    """Read which language a request names: the one after the last `to` or `in`, else the first."""
    last = [*re.finditer(rf"\b(?:to|into|in|as|over to|with) (?=(?:only |just )?{LANGUAGE})", rest, re.IGNORECASE)]
    first = re.search(rf"\b{LANGUAGE}", rest, re.IGNORECASE)
    at = last[-1].end() if last else first.start() if first else None
    read = languages(rest[at:]) if at is not None else None
    return (read[0], (at or 0) + read[1]) if read else None


def pronouns(rest: str) -> Reading | None:
    pattern = rf"({_PRONOUN}(?:\s*/\s*{_PRONOUN}|\s+(?:and|or)\s+{_PRONOUN}){{0,3}}|any(?: pronouns?)?\b|all pronouns\b)"
    found = re.match(pattern, rest, re.IGNORECASE)
    if found is None or re.match(r" for (?!me\b)", rest[found.end() :]):
        return None
    parts = re.split(r"\s*/\s*|\s+(?:and|or)\s+", found.group(1).casefold())
    return ("any" if parts[0].startswith(("any", "all")) else "/".join(parts)), found.end()


_PRONOUN = r"\b(?:she|her|hers|he|him|his|they|them|theirs|their|it|its|xe|xem|xyr|ze|zir|hir|ey|em|eir|fae|faer)\b"


def address(rest: str) -> Reading | None:
    """Read an address over up to four lines; anything with a sign of mail or the web is none."""
    lines = rest.split("\n")
    kept = [_END_OF_ADDRESS.split(lines[0], maxsplit=1)[0].strip(" :")]
    for line in lines[1:4]:
        if not line.strip() or len(line.split()) > 6 or re.search(r"\b(?:i|i'm|my|you|is|are)\b", line, re.IGNORECASE):
            break
        kept.append(line.strip())
    value = one_line(", ".join(kept)).rstrip(" ,.")
    is_place = len(value) > 5 and "@" not in value and _ADDRESS_SIGN.search(value) and not _NO_ADDRESS.match(value)
    return (shorten(value, MAX_VALUE_CHARS), len("\n".join(lines[: len(kept)]))) if is_place else None


_ADDRESS_SIGN = re.compile(r"\d|,|\b(?:corner|street|road|avenue|lane|square)\b", re.IGNORECASE)
_NO_ADDRESS = re.compile(
    r"\d{1,3}(?:\.\d{1,3}){3}|https?:|not\b|wrong\b|\$?\d+ (?:dollars|euros|bucks|pounds|people)\b", re.IGNORECASE
)
_END_OF_ADDRESS = re.compile(
    r"[!?;]| since\b|(?<!apt)(?<!ave)(?<!str)(?<![ .]..)(?<! .)\.\s| (?:and|but) (?:i|my)\b|"
    r"\.\s+(?=(?:i|my|we|it|please|the|you)\b)",
    re.IGNORECASE,
)


def city_of_address(rest: str) -> Reading | None:
    """Read the city from an address; empty where a new address is told but the city in it cannot be made out."""
    read = address(rest)
    if read is None:
        return None
    parts = [part.strip() for part in read[0].split(",")]
    names = [
        part
        for part in parts[1:]
        if re.fullmatch(r"[^\W\d_][^\d]{2,}", part) and not _STREET.search(part) and len(part.split()) < 4
    ]
    return (_written_large(names[0]) if names else ""), read[1]


def city_in_address(rest: str) -> Reading | None:
    """Read the city from an address that may be as old as it is known; nothing where it cannot be made out."""
    read = city_of_address(rest)
    return read if read and read[0] else None


_STREET = re.compile(r"\b(?:apt|suite|box|street|st|road|rd|avenue|ave|lane|unit|floor|the corner|and)\b", re.IGNORECASE)


def matching(pattern: str, *, small: bool = True) -> Reader:
    """Read what fits the pattern; `small` writes it without capitals."""
    compiled = re.compile(rf"({pattern})(?![\w-])", re.IGNORECASE)

    def read(rest: str) -> Reading | None:
        found = compiled.match(rest)
        if found is None or re.match(
            r"(?:'s| (?:myself|boyfriend|girlfriend|friendly|dog|cat)\b)", rest[found.end() :], re.IGNORECASE
        ):
            return None
        value = one_line(found.group(1)).strip(" .,")
        return (value.lower() if small else value), found.end()

    return read


def is_card_number(number: str) -> bool:
    """Say whether a number is that of a bank card by its check digit (ISO/IEC 7812-1); what begins with `+` is a phone's."""
    digits = [int(one) for one in reversed(re.sub(r"\D", "", number))]
    doubled = (sum(divmod(2 * one, 10)) for one in digits[1::2])
    return 13 <= len(digits) <= 19 and not number.startswith("+") and (sum(digits[::2]) + sum(doubled)) % 10 == 0


def phone(rest: str) -> Reading | None:
    """Read the number of a phone."""
    read = matching(NUMBER)(rest)
    return None if read and is_card_number(read[0]) else read


def belief(pattern: str) -> Reader:
    """Read a belief: `a devout Catholic` gives `Catholic`."""
    compiled = re.compile(
        rf"(?:an? )?(?:(?:very|devout|practi[sc]ing|lapsed|lifelong|registered|strict|proud) )*"
        rf"({pattern})s?\b(?! \w+(?:ist|er)\b)(?!-)",
        re.IGNORECASE,
    )

    def read(rest: str) -> Reading | None:
        found = compiled.match(rest)
        if found is None or re.match(
            r" (?:with|in|about|when|on|minister|food|names?|school|university|music|rock)\b", rest[found.end() :]
        ):
            return None
        return _written_large(found.group(1).lower()), found.end()

    return read


def phrase(rest: str) -> Reading | None:
    """Read up to the end of the clause, at most twelve words."""
    found = re.match(
        r"[^,.;:!?\n()]+",
        re.split(r" (?:and|but|because|so|since|which|though) (?:i|my|it|he|she|we|they|you|then)\b", rest, maxsplit=1)[0],
    )
    value = re.sub(_WHEN, "", one_line(found.group(0)) if found else "", flags=re.IGNORECASE)
    if not 1 <= len(value.split()) <= 12 or re.match(
        r"(?:not|never|what|how|why|that|this|it|so|the same)\b", value, re.IGNORECASE
    ):
        return None
    return value, len(found.group(0).rstrip()) if found else 0


_WHEN = (
    r"(?: (?:(?:last|this|next) \w+|yesterday|today|now|recently|currently|please|from now on|instead|in (?:19|"
    r"20)\d\d|(?:\d+|a|an|a few|two|three|some) \w+ ago|right now|at the moment|too|as well))+$"
)
MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t|tember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_DATE = (
    rf"(?:the )?{_DAY}(?: of)? {MONTH}(?:,? \d{{4}})?|{MONTH} (?:the )?{_DAY}(?:,? \d{{4}})?|{MONTH},? \d{{4}}|"
    r"\d{4}-\d{2}-\d{2}|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|(?:19|20)\d\d|"
    rf"{MONTH}(?! \d)"
)
NUMBER = r"\+?\(?\d[\d ()./-]{5,22}\d"
MAIL = r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
AMOUNT = (
    r"(?:about |around |roughly |over |under |less than |more than )?(?:[$€£¥]\s?\d[\d,.]*\s?(?:k|m|million|"
    r"thousand)?|\d[\d,.]*\s?(?:k|thousand|"
    r"million|grand|dollars|euros?|pounds|bucks|usd|eur|gbp|francs|kroner|kronor|yen)(?:\s(?:dollars|euros|pounds))?)"
    r"(?:(?: (?:an?|per|every|each) |/)(?:year|month|week|hour|day|annum)| annually| monthly)?"
)


def date(rest: str) -> Reading | None:
    """Read a date that stands within the next few words: `in Minsk on 4 May 1984`."""
    town = rf"(?!(?i:{MONTH}))[A-Z][\w'-]+,? "
    found = re.match(rf"(?:(?:in|on|at) )?(?:{town}(?:{town})?)?(?:(?:in|on) )?((?i:{_DATE}))(?!\w)", rest)
    return (one_line(found.group(1)).removeprefix("the ").rstrip("."), found.end()) if found else None


def nothing_named(_: str) -> Reading:
    """Read no value: the change is asked for without saying to what."""
    return "", 0
