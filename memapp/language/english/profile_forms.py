"""One plain wording for the many ways to say that something is so now: `I've always been living in Oslo` is `I live in Oslo`.

Every word that stays keeps its place in the text, so that what is read can be shown in the message.
"""

import re
from functools import cache

from memapp.language.english.grammar import is_adverb, is_past, stems, third_person
from memapp.language.lexicon import lexicon

_EN = lexicon("profile")
_TOGETHER = re.compile(r"(\band\s+I\s+)are\b", re.IGNORECASE)
_PERFECT = re.compile(r"\b(I|and)(?:'ve|\s+have)\s+(?:(been)\b(?:\s+([a-z]+ing)\b)?|([a-z]+)\b)", re.IGNORECASE)
_LIKING = re.compile(r"\bI\s+(love|like|enjoy|prefer|hate|dislike)\s+(living|residing|being|speaking)\b", re.IGNORECASE)


def plain_forms(text: str) -> str:
    """Return the text, as long as before, with what its writer says of themselves in the simple present and without adverbs."""
    text = _TOGETHER.sub(r"\1am ", text)
    text = _EN.regex("{before_verb}").sub(_without_adverbs, text)
    text = _PERFECT.sub(_as_present, text)
    return _LIKING.sub(_as_done, text)


def _without_adverbs(found: re.Match[str]) -> str:
    adverbs = found.group(2).casefold().split()
    is_sure = all(is_adverb(word) and word not in _EN.unsure for word in adverbs)
    return found.group(1) + " " * len(found.group(2)) if is_sure else found.group()


def _as_present(found: re.Match[str]) -> str:
    subject, been, doing, done = found.groups()
    if been:
        verb = _base(doing) if doing else "am"
    else:
        verb = "have" if done.casefold() == "got" else _base(done) if is_past(done) else ""
    return f"{subject} {verb}".ljust(len(found.group())) if verb else found.group()


def _as_done(found: re.Match[str]) -> str:
    """Who likes living in a place lives there; who hates being called something is not called so."""
    liking, doing = found.group(1).casefold(), found.group(2).casefold()
    if doing == "being" and liking in _EN.disliking:
        return found.group()
    return f"I {_base(doing)}".ljust(len(found.group()))


def _base(form: str) -> str:
    return "am" if form.casefold() == "being" else min(stems(form) & _EN.verbs, default="")


def in_first_person(fact: str) -> str:
    """Put a sentence about `User` back into the first person, so that one set of rules reads both."""
    fact = re.sub(r"\b(?:the )?user(?='s|\b)", "User", fact, flags=re.IGNORECASE)
    first = re.match(r"[A-Za-z]+", fact)
    if first and first[0].casefold() in _bases():  # as other programs write it: `Lives in Oslo`
        fact = f"User {fact[0].lower()}{fact[1:]}"
    fact = re.sub(r"\bUser's\b", "my", fact)
    if fact.startswith("User and "):
        return _of_both(fact)
    fact = re.sub(r"\b(?:User|I) (is|was)\b", lambda found: "I am" if found.group(1) == "is" else "I was", fact)
    fact = _EN.regex("{receives}").sub(r"\1 me", fact)
    fact = _EN.regex("{does}").sub(lambda found: f"I{found.group(1)} {_first_person(found.group(2))}", fact)
    fact = re.sub(r"\band (\w+s)\b", lambda found: f"and {_bases().get(found.group(1), found.group(1))}", fact)
    return re.sub(r"\bUser\b", "me", fact)


def _of_both(fact: str) -> str:
    """`User and my wife have ...` becomes `my wife and I have ...`."""
    words = fact.split()
    verb = next((at for at in range(3, len(words)) if words[at] in _EN.predicates or is_past(words[at])), len(words))
    told = [*words[2:verb], "and", "I", *words[verb:]] if verb < len(words) else ["I", *words[1:]]
    return re.sub(r"\bUser\b", "me", " ".join(told))


def _first_person(verb: str) -> str:
    return _bases().get(verb) or (verb.removesuffix("s") if re.search(r"[^su]s$", verb) else verb)


@cache
def _bases() -> dict[str, str]:
    """Return verbs by how they end in a sentence about somebody else."""
    return {third_person(verb): verb for verb in _EN.verbs} | {"does": "do", "has": "have", "is": "am"}
