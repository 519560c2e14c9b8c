"""Requests to the memory in natural language: remember, forget, keep out, correct, tell, undo."""

import re
from collections.abc import Sequence

from memapp.domain.memory_request import EVERYTHING, MemoryRequest, RequestKind
from memapp.language.grammar import sentences
from memapp.language.own_words import own_words
from memapp.language.profile import stated
from memapp.language.sentence import is_question
from memapp.language.word_file import WordFile

MOST_CHARS = 2000
"""A longer message is material, in which every keyword occurs."""
FEWEST_WORDS = 3
"""With fewer other words, a request to keep out is about the previous message."""
KINDS: tuple[RequestKind, ...] = ("undo", "wrong", "know", "forget", "remember")
WHOLE: tuple[RequestKind, ...] = ("undo", "wrong")
"""Requests that stand alone: with more behind them, they are corrections."""
TRIMMED = " \t\n,;:.!?()[]–—-…\"'"


def asked(text: str, words: WordFile) -> MemoryRequest | None:
    """Return the memory request in a message, or None."""
    if len(text) > MOST_CHARS:
        return None
    own_sentences = sentences(own_words(text, words))
    for sentence in own_sentences:
        if mark := words.finds("requests", "keep_out", sentence):
            is_of_last = _is_of_last(sentence, mark, own_sentences, words)
            return MemoryRequest("off", "" if is_of_last else text, *_place(text, sentence))
        if request := _in(text, sentence, words, is_all=len(own_sentences) == 1):
            return request
    return None


def is_joke(text: str, words: WordFile) -> bool:
    """Return True for a message that only calls the previous one a joke or a lie."""
    return words.is_all("requests", "joke", text.strip(TRIMMED))


def chosen(text: str, count: int, words: WordFile) -> tuple[int, ...] | None:
    """Return the numbers that a message chooses from a list, none for a no; None for no choice."""
    choice = text.strip(TRIMMED)
    if words.is_all("requests", "none_of_them", choice):
        return ()
    if words.is_all("requests", "all_of_them", choice):
        return tuple(range(1, count + 1))
    if not words.is_all("requests", "choice", choice):
        return None
    ordinals = words.sections["requests"]["ordinals"].split()
    named = [_number(word, ordinals) for word in re.findall(r"\d+|[^\W\d_]+", choice.casefold())]
    numbers = tuple(dict.fromkeys(number for number in named if number))
    return numbers if numbers and all(1 <= number <= count for number in numbers) else None


def _number(word: str, ordinals: Sequence[str]) -> int:
    """Return the number of a digit or ordinal word; 0 for none."""
    if word.isdigit():
        return int(word)
    return next((at for at, ordinal in enumerate(ordinals, 1) if word.startswith(ordinal)), 0)


def _in(text: str, sentence: str, words: WordFile, *, is_all: bool) -> MemoryRequest | None:
    """Return the request in one sentence of a message."""
    for kind in KINDS:
        form = words.begins("requests", kind, sentence, after="opens")
        if is_behind := form is None and kind == "forget":
            form = words.begins("requests", "forget_behind", sentence, after="opens")
        content = _named(form, words, is_of_known=kind in ("know", "forget")) if form else ""
        if (
            form is None
            or (kind in WHOLE and (content or not is_all))
            or (kind == "remember" and _asks(sentence, words))
        ):
            continue
        # A reason follows the comma, but not in `that, I do it myself`.
        named = content.partition(",")[0]
        if kind == "forget" and not words.is_all("requests", "last", named):
            content = _bare(named, words)
        is_of_person = (
            words.finds("others", "first_person", sentence if kind == "forget" else content)
            is not None
        )
        if kind == "forget" and words.is_all("requests", "everything", content):
            content = EVERYTHING
        elif words.is_all("requests", "me" if kind == "know" else "last", content):
            content = ""
        is_sure = is_behind or is_of_person or content in ("", EVERYTHING)
        if is_sure or is_all:
            return MemoryRequest(
                kind, content, *_place(text, form[0]), is_all=is_all, is_sure=is_sure
            )
    # A value of the profile is asked about elsewhere.
    if words.finds("requests", "from_now_on", sentence) and not any(stated(sentence, words)):
        return MemoryRequest(
            "remember", sentence.strip(TRIMMED), *_place(text, sentence), is_all=is_all
        )
    return None


def _is_of_last(
    sentence: str, mark: re.Match[str], own_sentences: Sequence[str], words: WordFile
) -> bool:
    """Return True for a request to keep out that is about the previous message.

    It says little else, and a reason may follow it: `Don't save that. It was silly.`
    """
    others = f"{sentence[: mark.start()]} {sentence[mark.end() :]}".split()
    has_reason = sentence == own_sentences[0] and not words.finds("requests", "coming", mark[0])
    return len(others) < FEWEST_WORDS and (len(own_sentences) == 1 or has_reason)


def _named(form: re.Match[str], words: WordFile, *, is_of_known: bool) -> str:
    """Return the subject of a request: behind its words, or among them."""
    named = form.groupdict().get("named") or form.string[form.end() :]
    return _bare(named, words) if is_of_known else named.strip(TRIMMED)


def _bare(named: str, words: WordFile) -> str:
    """Return a subject without empty phrases: `please`, `from your memory`."""
    said = f" {named.strip(TRIMMED)}"
    rest = words.finds("requests", "behind", said)
    return said[: rest.start() if rest else None].strip(TRIMMED)


def _asks(sentence: str, words: WordFile) -> bool:
    return is_question(sentence, words) and not words.begins("requests", "politely", sentence)


def _place(text: str, part: str) -> tuple[int, int]:
    """Return the span of a part in a message; all of the message if not found."""
    start = text.find(part)
    return (start, start + len(part)) if start >= 0 else (0, len(text))
