"""The person's own words in a message, without quotations, pasted text, material and role-play."""

import re
from collections.abc import Sequence

from memapp.language.grammar import sentences
from memapp.language.word_file import WordFile

TITLE_WORDS = 4
"""The longest quoted title in words; more are somebody's speech."""
FEWEST_BESIDE = 5
"""The fewest words beside a quotation for a statement of the sentence's own."""
QUOTED = '"..."'
_CURLY = str.maketrans("“”„«»’‘", '"""""\'\'')
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|^(?:>|\t| {4})[^\n]*$", re.DOTALL | re.MULTILINE)
_PLAY = re.compile(r"\s*\*[^*\n]{3,80}\*")
_SPEECH = re.compile(r"\"[^\"\n]*\"|(?<![\w'])'[^'\n]{12,}'(?!\w)")
_SPEAKER = re.compile(r"^[A-Z][\w.-]{0,20}(?: [A-Z]\w+)?: +\S.*$", re.MULTILINE)
_PROGRAM = re.compile(r"^.*(?:[{}<>;]|\w\(.*\)|==|=>).*[{}();=>].*$", re.MULTILINE)


def own_words(text: str, words: WordFile) -> str:
    """Return a message without the parts that are not the person's own statements."""
    text = text.translate(_CURLY)
    if _PLAY.match(text):
        return ""
    text = _PROGRAM.sub("", _CODE.sub("\n", text))
    spoken = _SPEAKER.findall(text)
    if len(spoken) > 1:
        text = "\n".join(line for line in text.split("\n") if line not in spoken)
    text = _SPEECH.sub(lambda quote: _title_or_mark(quote[0], words), text)
    text = _without_mail(text, words)
    text = _without_shown(text, words)
    return "\n".join(sentence for sentence in sentences(text) if _is_own(sentence, words))


def plays(messages: Sequence[str], words: WordFile) -> bool:
    """Return True if the last of these messages about role-play starts one."""
    for text in reversed(messages):
        if words.finds("others", "play_ends", text):
            return False
        if words.finds("others", "play", text):
            return True
    return False


def _title_or_mark(quote: str, words: WordFile) -> str:
    is_title = len(quote.split()) <= TITLE_WORDS and not words.finds(
        "others", "first_person", quote
    )
    return quote if is_title else QUOTED


def _without_mail(text: str, words: WordFile) -> str:
    """Return a text without a mail below it."""
    salutation = re.compile(
        rf"(?<=\n)[ \t]*{words.pattern('others', 'salutation')}\b[^\n]{{0,40}}[,!]", re.IGNORECASE
    )
    greeting = salutation.search(text)
    return text[: greeting.start()] if greeting else text


def _without_shown(text: str, words: WordFile) -> str:
    """Return a text without material behind a colon and the sentence that introduces it."""
    for colon in re.finditer(r":(?=\s)", text):
        lead = re.split(r"[.!?\n]", text[: colon.start()])[-1]
        is_shown = text[colon.end() :].startswith("\n") or words.finds("others", "shown", lead)
        if is_shown and not re.search(
            rf"{words.pattern('others', 'own_colon')}$", lead, re.IGNORECASE
        ):
            return text[: colon.start() - len(lead)]
    return text


def _is_own(sentence: str, words: WordFile) -> bool:
    if words.finds("others", "said_of_me", sentence):
        return False
    return QUOTED not in sentence or len(sentence.replace(QUOTED, "").split()) >= FEWEST_BESIDE
