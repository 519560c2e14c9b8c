"""Reading a value of the profile from what follows the beginning of a statement, written as the profile shows it."""

import re
from collections.abc import Callable, Mapping

from memapp.domain.text import one_line, shorten
from memapp.language.english.grammar import third_person
from memapp.language.lexicon import lexicon

EN = lexicon("profile")

MAX_VALUE_CHARS = 120

Reading = tuple[str, int]
"""A value as the profile shows it, and how many characters of the text it took."""
Reader = Callable[[str], Reading | None]
"""Takes what follows the beginning of a statement."""
PatternReader = Callable[[str, str], Reading | None]
"""Takes the pattern of the value besides."""


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
        lowered in EN.no_name
        or (lowered in EN.no_small_name and lowered == word and word not in EN.given_names)
        or (word == lowered and re.search(r"(?:ing|ed|ly)$", word) is not None and word not in EN.given_names)
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
    is_known = first.casefold() in EN.given_names
    is_large = first[:1].isupper() and rest[: read[1]] != rest[: read[1]].upper()
    looks_like_trait = re.search(r"(?:ish|ese|ian|ean|ist|ic|can|ner|ful|ed|ing|less|able)$", first) is not None
    ends = re.match(r"\s*(?:$|[.,;!?)\n(]|(?:and|but) (?:i\b|my\b|i')|by the way)", after, re.IGNORECASE)
    return read if ends and (is_known or (is_large and not looks_like_trait)) else None


def known_name(rest: str) -> Reading | None:
    """Read a name after `it's`, where nearly every word is none: one that is well known, and all that is said."""
    read = name(rest)
    is_all = read is not None and rest[read[1] :].strip(" .!") == ""
    return read if is_all and rest.split()[0].strip(".,!").casefold() in EN.given_names else None


def ending_name(rest: str) -> Reading | None:
    """Read a name that ends the clause."""
    read = name(rest)
    return (
        read if read and re.match(r"\s*(?:$|[.,;!?)\n(]|(?:and|but|now|instead|for short|from now)\b)", rest[read[1] :]) else None
    )


def place(rest: str) -> Reading | None:
    """Read the name of a place, not `a small town` or `the city`; what is inside a generic place counts: `a town in Iowa`."""
    if with_article := EN.regex(r"the ({places_with_article})(?!\w)").match(rest):
        return f"the {_named_place(with_article.group(1))}", with_article.end()
    for lead, shown in (("{generic_place}", False), ("{near_place}", True), ("{around_place}", False)):
        if found := EN.regex(lead).match(rest):
            inner = place(rest[found.end() :])
            return (found.group() * shown + inner[0], found.end() + inner[1]) if inner else None
    length = _place_words(rest)
    is_meant = length and not EN.regex("{not_now}").match(rest, length)
    return (_named_place(rest[:length]), length) if is_meant else None


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
        may_go_on = is_large or lowered in EN.place_openings
    return end if end > 1 else 0


def _is_no_place(word: str) -> bool:
    lowered = word.casefold()
    is_small = lowered == word
    return (
        lowered in EN.no_place
        or (is_small and lowered in EN.no_small_place)
        or (is_small and re.search(r"(?:ing|ed|ly)$", lowered) is not None and lowered != "reading")
    )


def _named_place(words: str) -> str:
    lowered = words.casefold()
    return lowered.upper().replace(".", "") if lowered in EN.shouted else _written_large(words.rstrip(".,"))


def languages(rest: str) -> Reading | None:
    """Read one language or several: `Danish`, `English, Spanish and French`."""
    found = EN.regex("(?:only |just )?({language}(?:(?:,? (?:and|&) |, )(?:a little |some )?{language})*)").match(rest)
    if found is None:
        return None
    named = EN.regex("{language}").findall(found.group(1))
    return ", ".join(_language_name(name) for name in named), found.end()


def _language_name(name: str) -> str:
    return " ".join(
        word.upper() if word.casefold() in ("asl", "bsl") else word[:1].upper() + word[1:].lower() for word in name.split()
    )


def target_language(rest: str) -> Reading | None:
    """Read which language a request names: the one after the last `to` or `in`, else the first."""
    last = [*EN.regex(r"\b(?:to|into|in|as|over to|with) (?=(?:only |just )?{language})").finditer(rest)]
    first = EN.regex(r"\b{language}").search(rest)
    at = last[-1].end() if last else first.start() if first else None
    read = languages(rest[at:]) if at is not None else None
    return (read[0], (at or 0) + read[1]) if read else None


def pronouns(rest: str) -> Reading | None:
    found = EN.regex("({own_pronouns})").match(rest)
    if found is None or re.match(r" for (?!me\b)", rest[found.end() :]):
        return None
    parts = re.split(r"\s*/\s*|\s+(?:and|or)\s+", found.group(1).casefold())
    return ("any" if parts[0].startswith(("any", "all")) else "/".join(parts)), found.end()


def address(rest: str) -> Reading | None:
    """Read an address over up to four lines; anything with a sign of mail or the web is none."""
    lines = rest.split("\n")
    kept = [EN.regex("{end_of_address}").split(lines[0], maxsplit=1)[0].strip(" :")]
    for line in lines[1:4]:
        if not line.strip() or len(line.split()) > 6 or re.search(r"\b(?:i|i'm|my|you|is|are)\b", line, re.IGNORECASE):
            break
        kept.append(line.strip())
    value = one_line(", ".join(kept)).rstrip(" ,.")
    sign, no_address = EN.regex("{address_sign}"), EN.regex("{no_address}")
    is_place = len(value) > 5 and "@" not in value and sign.search(value) and not no_address.match(value)
    return (shorten(value, MAX_VALUE_CHARS), len("\n".join(lines[: len(kept)]))) if is_place else None


def city_of_address(rest: str) -> Reading | None:
    """Read the city from an address; empty where a new address is told but the city in it cannot be made out."""
    read = address(rest)
    if read is None:
        return None
    parts = [part.strip() for part in read[0].split(",")]
    names = [
        part
        for part in parts[1:]
        if re.fullmatch(r"[^\W\d_][^\d]{2,}", part) and not EN.regex("{no_town}").search(part) and len(part.split()) < 4
    ]
    return (_written_large(names[0]) if names else ""), read[1]


def city_in_address(rest: str) -> Reading | None:
    """Read the city from an address that may be as old as it is known; nothing where it cannot be made out."""
    read = city_of_address(rest)
    return read if read and read[0] else None


def small(rest: str, value: str) -> Reading | None:
    """Read what fits a pattern, and write it without capitals."""
    read = written(rest, value)
    return (read[0].lower(), read[1]) if read else None


def written(rest: str, value: str) -> Reading | None:
    """Read what fits a pattern, as it is written."""
    found = EN.regex(rf"({value})(?![\w-])").match(rest)
    if found is None or re.match(
        r"(?:'s| (?:myself|boyfriend|girlfriend|friendly|dog|cat)\b)", rest[found.end() :], re.IGNORECASE
    ):
        return None
    return one_line(found.group(1)).strip(" .,"), found.end()


def done(rest: str, value: str) -> Reading | None:
    """Read what somebody does, as a fact says it: `goes to church`."""
    read = written(rest, value)
    verb, _, where = read[0].partition(" ") if read else ("", "", "")
    return (f"{third_person(verb.lower())} {where}", read[1]) if read else None


def is_card_number(number: str) -> bool:
    """Say whether a number is that of a bank card by its check digit (ISO/IEC 7812-1); what begins with `+` is a phone's."""
    digits = [int(one) for one in reversed(re.sub(r"\D", "", number))]
    doubled = (sum(divmod(2 * one, 10)) for one in digits[1::2])
    return 13 <= len(digits) <= 19 and not number.startswith("+") and (sum(digits[::2]) + sum(doubled)) % 10 == 0


def phone(rest: str) -> Reading | None:
    """Read the number of a phone."""
    read = written(rest, "{number}")
    return None if read and is_card_number(read[0]) else read


def belief(rest: str, value: str) -> Reading | None:
    """Read a belief that fits a pattern: `a devout Catholic` gives `Catholic`."""
    found = EN.regex(rf"{{strength}}({value})s?\b(?! \w+(?:ist|er)\b)(?!-)").match(rest)
    if found is None or re.match(
        r" (?:with|in|about|when|on|minister|food|names?|school|university|music|rock)\b", rest[found.end() :]
    ):
        return None
    return _written_large(found.group(1).lower()), found.end()


def phrase(rest: str) -> Reading | None:
    """Read up to the end of the clause, at most twelve words."""
    found = re.match(
        r"[^,.;:!?\n()]+",
        re.split(r" (?:and|but|because|so|since|which|though) (?:i|my|it|he|she|we|they|you|then)\b", rest, maxsplit=1)[0],
    )
    value = EN.regex("{when}").sub("", one_line(found.group(0)) if found else "")
    if not 1 <= len(value.split()) <= 12 or re.match(
        r"(?:not|never|what|how|why|that|this|it|so|the same)\b", value, re.IGNORECASE
    ):
        return None
    return value, len(found.group(0).rstrip()) if found else 0


def date(rest: str) -> Reading | None:
    """Read a date that stands within the next few words: `in Minsk on 4 May 1984`."""
    found = EN.regex(r"{before_date}({dates})(?!\w)").match(rest)
    return (one_line(found.group(1)).removeprefix("the ").rstrip("."), found.end()) if found else None


def nothing_named(_: str) -> Reading:
    """Read no value: the change is asked for without saying to what."""
    return "", 0


READERS: Mapping[str, Reader] = {
    read.__name__: read
    for read in (
        name, own_name, known_name, ending_name, place, languages, target_language, pronouns, address, city_of_address,
        city_in_address, phone, phrase, date, nothing_named,
    )
}  # fmt: skip
PATTERN_READERS: Mapping[str, PatternReader] = {read.__name__: read for read in (small, written, done, belief)}
