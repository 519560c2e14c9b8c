"""The statements of a message about the one who typed it: which fields of the profile they fill, and with what.

A statement is read only where the person plainly makes it of themselves: not in a question, a quotation, a supposition, a
story or a task, and not about somebody else. What is read here is only ever proposed.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from memapp.domain.profile import FIELDS, Stated, normal_value, same_value
from memapp.language.english.authorship import KEPT, TYPED_CHARS, own_text
from memapp.language.english.framing import unwrap
from memapp.language.english.profile_forms import in_first_person, plain_forms
from memapp.language.english.profile_readers import EN
from memapp.language.english.profile_rules import Rule, rules

_REACH = 400
"""So many characters before and behind the beginning of a statement are looked at: no sentence needs more."""


@lru_cache(maxsize=KEPT)
def stated(text: str, field: str = "") -> Sequence[Stated]:
    """Return what a typed message states about its writer, of all fields or of one, in the order of the message.

    A field that has one value appears once.
    """
    found: list[tuple[int, Stated]] = []
    shown = _own_part(text[:TYPED_CHARS])
    for start, end, is_question in _clauses(shown):
        sentence = shown[start:end]
        for rank, rule in enumerate(rules()):
            may_state = field in ("", rule.field) and (rule.is_request or not is_question)
            if may_state and rule.core.search(sentence):
                found += [(rank, one) for one in _read(rule, shown, start, end)]
    return tuple(sorted(_without_rivals(found), key=lambda one: (one.start, one.field)))


def stated_by(fact: str, field: str = "") -> Sequence[Stated]:
    """Return what a remembered sentence states, about `User` or in the first person, of all fields or of one."""
    return stated(in_first_person(fact), field)


def said_instead(reply: str, field: str) -> str:
    """Return the value that a no gives in place of a proposed one: `No, Bergen` for a home. Empty if it gives none."""
    refusal, saying = EN.regex("{refusal}").match(reply), EN.table("saying")
    rest = reply[refusal.end() :].strip(" .!") if refusal else ""
    if field not in saying or not rest[:1].isupper() or rest.casefold() in EN.not_names:
        return ""
    alone = stated(f"{saying[field]} {rest}")
    return next((one.value for one in alone if one.field == field and same_value(field, one.value, rest)), "")


def _without_rivals(found: list[tuple[int, Stated]]) -> list[Stated]:
    """Keep one reading for a field with one value, that of the strongest rule and of these the last; and no repetition."""
    kept: dict[tuple[str, str], tuple[int, Stated]] = {}
    for rank, one in sorted(found, key=lambda ranked: ranked[1].start):
        key = (one.field, normal_value(one.field, one.value) if FIELDS[one.field].many else "")
        if key not in kept or _strength(rank, one) >= _strength(*kept[key]):
            kept[key] = (rank, one)
    return [one for _, one in kept.values()]


def _strength(rank: int, one: Stated) -> tuple[bool, int]:
    return bool(one.value), -rank


# Whose words they are


def _own_part(text: str) -> str:
    """Return the message in plain words, with all that is not the writer's own statement blanked; places stay the same."""
    return plain_forms(_LONG_RUN.sub(_blank, own_text(unwrap(text)).translate(_SPACES)))


_SPACES = str.maketrans({"\t": " ", "\xa0": " "})
_LONG_RUN = re.compile(r"\w{64,}|\s{16,}|[^\w\s#](?:[^\w#]|_){15,}")
"""Nobody means anything by such a run, and to try every place in it as a beginning would take very long."""


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", "#", found.group(0))


_END = re.compile(r"(?<=[.!?])[)\"']*\s+(?!(?:19|20)\d\d\b)|\n+|(?<=[.!?])(?=[A-Z])|[☀-➿\U0001f300-\U0001faff]+")


def _clauses(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield where each sentence begins and ends, and whether it asks; `I'm Ana, what's your name?` is two."""
    asks, new_turn = EN.regex("{asks}"), EN.regex("{turn}")
    for start, end in _sentences(text):
        sentence = text[start:end]
        if not sentence.rstrip(" )\"'").endswith("?"):
            yield start, end, asks.match(sentence) is not None
            continue
        turn = new_turn.search(sentence)
        if turn is not None and not asks.match(sentence):
            yield start, start + turn.start(), False
            start += turn.end()
        yield start, end, True


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for gap in _END.finditer(text):
        if "\n" not in gap.group(0) and EN.regex("{no_end}").search(text, max(start, gap.start() - 12), gap.start()):
            continue
        if text[start : gap.start()].strip():
            yield start, gap.start()
        start = gap.end()
    if text[start:].strip():
        yield start, len(text)


# Whether they are meant


def _read(rule: Rule, text: str, start: int, end: int) -> Iterator[Stated]:
    for beginning in rule.beginning.finditer(text[start:end]):
        before = beginning.string[max(0, beginning.start() - _REACH) : beginning.start()]
        begin, at = start + beginning.start(), start + beginning.end()
        rest = text[at : min(at + _REACH, len(text) if rule.field in ("address", "city") else end)]
        reading = rule.read(rest)
        if reading is None or not _is_meant(rule, beginning, before):
            continue
        value, length = reading
        value = beginning.groupdict().get("value") or value
        if not EN.regex("{taken_back}").match(text, at + length, end):
            yield Stated(rule.field, value, begin, at + length)


def _is_meant(rule: Rule, beginning: re.Match[str], before: str) -> bool:
    """Judge by what stands before it in its sentence whether a statement is meant, and about the writer."""
    words = _words(before)
    if EN.regex("{story}").search(before) or EN.regex("{script}").match(before):
        return False
    if not EN.unreal.isdisjoint(words):
        return False
    if (beginning.groupdict().get("subject") or "").casefold().strip() in ("and", "and am", ","):
        return _goes_on_about_writer(words)
    opening = _words(EN.regex("{clause_end}").split(before.casefold())[-1])
    if not rule.is_request:
        return _is_opening(opening)
    begins_anew = re.match(r"\W*(?:and|but)\b", beginning.group(0), re.IGNORECASE) is not None
    is_of_writer = not set(opening).isdisjoint(EN.writers) and "you" not in _words(beginning.group(0))  # `I try to be brief`
    return begins_anew or (len(opening) < 9 and not is_of_writer and not set(opening) & EN.third_parties)


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_][\w.'-]*", text.casefold())


def _is_opening(words: list[str]) -> bool:
    """Say whether these words may stand before the subject: a greeting, a joint, `remember that`."""
    if words == ["you", "could", "say"]:
        return True
    if set(words) & EN.weak:
        return False
    is_greeting_or_phrase = len(words) < 5 and words[:1] != [] and words[0] in EN.phrases | {"hi", "hello", "hey", "dear"}
    return is_greeting_or_phrase or set(words) <= EN.joints


def _goes_on_about_writer(words: list[str]) -> bool:
    """`I am a nurse and live in Oslo`, but not `I have a sister who sings and lives in Oslo` with another subject between."""
    subject = next((word for word in reversed(words) if word in EN.subjects), "")
    return subject.startswith("i") and subject != "it"
