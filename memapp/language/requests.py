"""What a message asks of the memory itself, in plain forms: to remember, to forget, to keep out of
it, to tell what it knows.
"""

import re
from collections.abc import Sequence

from memapp.domain.memory_request import EVERYTHING, MemoryRequest, RequestKind
from memapp.language.grammar import sentences
from memapp.language.own_words import own_words
from memapp.language.profile import stated
from memapp.language.sentence import is_question
from memapp.language.word_file import WordFile

MOST_CHARS = 2000
"""A longer message is material, in which every such word is found."""
FEWEST_WORDS = 3
"""Fewer beside its words in a message that is to be kept out of memory say nothing: it is about the
one before.
"""
KINDS: tuple[RequestKind, ...] = ("undo", "wrong", "know", "forget", "remember")
WHOLE: tuple[RequestKind, ...] = ("undo", "wrong")
"""What is only said by itself: with more behind it, it is a correction."""
TRIMMED = " \t\n,;:.!?()[]–—-…\"'"


def asked(text: str, words: WordFile) -> MemoryRequest | None:
    """Return what a message asks of the memory; None for any other message."""
    if len(text) > MOST_CHARS:
        return None
    said = sentences(own_words(text, words))
    for sentence in said:
        if found := words.finds("requests", "keep_out", sentence):
            is_of_last = (
                len(said) == 1
                and len(f"{sentence[: found.start()]} {sentence[found.end() :]}".split())
                < FEWEST_WORDS
            )
            return MemoryRequest("off", "" if is_of_last else text, *_place(text, sentence))
        if request := _in(text, sentence, words, is_all=len(said) == 1):
            return request
    return None


def is_joke(text: str, words: WordFile) -> bool:
    """Return True for a message that says of the one before it that it was a joke or a lie, and no
    more.
    """
    return words.is_all("requests", "joke", text.strip(TRIMMED))


def chosen(text: str, count: int, words: WordFile) -> tuple[int, ...] | None:
    """Return the numbers of a list that a message chooses, none of them for a no; None where it
    chooses nothing.
    """
    said = text.strip(TRIMMED)
    if words.is_all("requests", "none_of_them", said):
        return ()
    if words.is_all("requests", "all_of_them", said):
        return tuple(range(1, count + 1))
    if not words.is_all("requests", "choice", said):
        return None
    ordinals = words.sections["requests"]["ordinals"].split()
    named = [_number(word, ordinals) for word in re.findall(r"\d+|[^\W\d_]+", said.casefold())]
    numbers = tuple(dict.fromkeys(number for number in named if number))
    return numbers if numbers and all(1 <= number <= count for number in numbers) else None


def _number(word: str, ordinals: Sequence[str]) -> int:
    """Return the number that a word is; 0 for none."""
    return (
        int(word)
        if word.isdigit()
        else next(
            (at for at, ordinal in enumerate(ordinals, start=1) if word.startswith(ordinal)), 0
        )
    )


def _in(text: str, sentence: str, words: WordFile, *, is_all: bool) -> MemoryRequest | None:
    """Return what one sentence of a message asks."""
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
        if kind == "forget" and not words.is_all(
            "requests", "last", content.partition(",")[0]
        ):  # not `that, I do it myself`
            content = _bare(content.partition(",")[0], words)  # what comes behind says why
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
    if words.finds("requests", "from_now_on", sentence) and not any(
        stated(sentence, words)
    ):  # of a value memapp asks
        return MemoryRequest(
            "remember", sentence.strip(TRIMMED), *_place(text, sentence), is_all=is_all
        )
    return None


def _named(form: re.Match[str], words: WordFile, *, is_of_known: bool) -> str:
    """Return what a request is about: what stands behind its words, or among them."""
    named = form.groupdict().get("named") or form.string[form.end() :]
    return _bare(named, words) if is_of_known else named.strip(TRIMMED)


def _bare(named: str, words: WordFile) -> str:
    """Return what is named without what says nothing of it: `please`, `from your memory`."""
    said = f" {named.strip(TRIMMED)}"
    rest = words.finds("requests", "behind", said)
    return said[: rest.start() if rest else None].strip(TRIMMED)


def _asks(sentence: str, words: WordFile) -> bool:
    return is_question(sentence, words) and not words.begins("requests", "politely", sentence)


def _place(text: str, part: str) -> tuple[int, int]:
    """Return where a part of a message stands in it; all of it where that was written otherwise."""
    start = text.find(part)
    return (start, start + len(part)) if start >= 0 else (0, len(text))
