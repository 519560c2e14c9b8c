"""One reading of a message: the statements in it, each as it was said and as a sentence about User.

What is asked, quoted, or handed over as material for a task is left out by rule. Whether a statement lasts, is meant and is
sensitive is judged elsewhere (`judge`).
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import dropwhile, takewhile

from rapidfuzz import fuzz, process

from memapp.domain.utterance import Statement
from memapp.language.english.authorship import KEPT, MAX_SENTENCE_WORDS, TYPED_CHARS, own_words
from memapp.language.english.clauses import DASHES, begins_with_somebody, of_sentence, told_parts, verb_at, without_interjections
from memapp.language.english.correction import read_correction
from memapp.language.english.duplicates import normalise
from memapp.language.english.framing import unwrap
from memapp.language.english.given_names import given_names, is_common, with_capitals, with_names
from memapp.language.english.grammar import (
    KEPT_SENTENCES,
    expand,
    is_adverb,
    is_past,
    is_verb,
    join,
    sentences,
    stems,
    third_person_verbs,
    tokens,
    word_at,
)
from memapp.language.english.profile_forms import in_first_person
from memapp.language.english.spoken_of import LAST, goes_on, named
from memapp.language.english.third_person import fact_of, split_adverbs
from memapp.language.english.writing import check_form
from memapp.language.lexicon import lexicon

EN = lexicon("telling")
FEWEST_WORDS = 3
LEAST_LETTERS = 6
LONGEST_NAMED = 5
"""Words of `I am Tom Miller` and of the like, before a comma."""
ALIKE = 88.0
"""So like a weighty word, of 100, a misspelling of it is: `alergic`, `diabetis`, `penicilin`."""
_WE = (
    (re.compile(r"\Awere (?=(?:\w+ )?\w+ing\b)", re.IGNORECASE), "I am "),
    (re.compile(r"\bwe(?:'re| are)\b", re.IGNORECASE), "I am"),
    (re.compile(r"\bwe were\b", re.IGNORECASE), "I was"),
    (
        re.compile(r"\bwe\b(?! (?:can(?! not)|could|should|might|may|shall|(?:first )?met (?:at|in|on|when))\b)", re.IGNORECASE),
        "I",
    ),
    (re.compile(r"\bourselves\b", re.IGNORECASE), "myself"),
    (re.compile(r"\bat ours\b", re.IGNORECASE), "at my place"),
    (re.compile(r"\bour\b", re.IGNORECASE), "my"),
    (re.compile(r"(?<=(?:like|love|hate) )it (?=when )"), ""),
    (re.compile(r"(?<!of )\bus\b"), "me"),
)
"""What is said of `us` is true of the one who says it, but for what is offered, `we could play chess`, or is of both."""

_AS_WRITTEN = (
    (
        re.compile(r"\b(he|she) (?=(?!during\b|nothing\b|something\b|anything\b|everything\b)\w{2,}ing\b)", re.IGNORECASE),
        r"\1 is ",
    ),
    (
        re.compile(
            r"(\ban? [^,.;!?]*[a-z]), (?:and )?(?:it|he|she)(?: is|'s|s) (?:called|named) (?=[\"“]?(?-i:[A-Z]))", re.IGNORECASE
        ),
        r"\1 called ",
    ),
    (
        re.compile(r"\Athey (?:have )?let me go\b(?=[.,!]| (?:today|yesterday|last|this|in|after|on \w+day)\b|$)", re.IGNORECASE),
        "I was let go",
    ),
    (
        re.compile(r"\Athey (?:have )?(?:made me (redundant)|(fired|sacked|promoted|hired) me)\b", re.IGNORECASE),
        lambda found: f"I was {'made ' if found[1] else ''}{found[1] or found[2]}",
    ),
)
"""What is said without its ending or its `is`, with `it's` before a name or of whoever did it: `they fired me`."""

_FOREIGN = re.compile(r"[#\[\]{}<>=\\|@]|^User$|^user\d+$")
"""Code, links, what was blanked, and the word that facts use for the person."""


@lru_cache(maxsize=KEPT)
def read(text: str, before: tuple[str, ...] = ()) -> Sequence[Statement]:
    """Return the statements of a message, in their order; `before` is what the person said in the chat until then."""
    found: list[Statement] = []
    somebody: list[str] = []
    plainly = _as_corrected(_as_put_right(before), text)
    given = [name for one in plainly for name in given_names(one)]
    said = [with_names(one, given) for one in plainly]
    for sentence in _own_sentences(text):
        statements = _statements(with_capitals(sentence, given))
        if _is_of_another(sentence, said[-LAST:]):
            continue
        told_apart, label = _beside_asked(sentence), EN.regex(r"\A{label}").match(sentence)
        whole = sentence[label.end() :] if label else ""
        for place, words in enumerate(statements):
            if _asks_for(words):
                continue
            told = _with_name(words, somebody) or named(words, said)
            if begins_with_somebody(told) and len(statements) > 1:
                continue  # of whom cannot be told
            somebody = _somebody(told) or somebody
            whole = whole if place else _with_whom(sentence, words, told) or whole
            found.append(Statement(join(told), sentence, _fact(tuple(told)), whole, told_apart))
            said.append(with_names(join(told), given))
        if _asks(sentence) or (statements and all(map(_asks_for, statements))):
            asked = plain(sentence)  # of whom it asks, or for whom, the next may be
            said.append(with_names(asked[:1].lower() + asked[1:], given))
    return found


def _with_whom(sentence: str, words: Sequence[str], told: Sequence[str]) -> str:
    """Return a sentence with whom it begins as its first statement names them; nothing where it is as it was typed."""
    written = tokens(plain(sentence))
    is_named = len(told) > len(words) and written[:1] == words[:1]
    return join([*told[: len(told) - len(words) + 1], *written[1:]]) if is_named else ""


@lru_cache(maxsize=KEPT_SENTENCES)
def _beside_asked(sentence: str) -> str:
    """Return what a sentence tells beside what it asks without a mark; nothing where it asks nothing."""
    written = tokens(plain(sentence))
    told = without_interjections(without_asked(written))
    return join(told) if told and len(told) < len(without_interjections(written)) else ""


def _as_put_right(before: Sequence[str]) -> list[str]:
    """Return what was said, in plain words and with the names that were put right later."""
    told: list[str] = []
    for text in before:
        told = [*_as_corrected(told, text), _in_plain_words(text)]
    return told


def _as_corrected(said: list[str], text: str) -> list[str]:
    """Return what was said with a name that a message puts right: `a puppy called Waldo`, for `no wait, his name is Waldo`."""
    correction = read_correction(text) if EN.regex(r"\b{naming_words}\b").search(text) else None
    if correction is None or correction.is_over or correction.instead is None or correction.instead.kind != "name":
        return said
    told = [join(named(words, said)) for sentence in _own_sentences(text) for words in _statements(sentence)]
    right = correction.instead.text.casefold()
    anew = [name for one in told for name in given_names(one) if name.name.casefold() == right]
    last = given_names(said[-1]) if said and correction.instead.is_name and not anew else []
    if len(last) == 1:  # nobody else was named just before
        anew = [replace(last[0], name=correction.instead.text)]
    for new in anew:
        known = {one.name for before in said for one in given_names(before) if one.who == new.who}
        if len(known) == 1:
            old = re.compile(rf"(?i)\b{re.escape(known.pop())}\b")
            said = [old.sub(new.name, one) for one in said]
    return said


def _is_of_another(sentence: str, before: Sequence[str]) -> bool:
    """Say whether a sentence tells of something that was somebody else's just before: `the cat`, behind `that cat of his`."""
    found = EN.regex(r"\Athe (?P<what>{household})\b").match(sentence)
    whose = (
        rf"\b(?:(?:his|her|their|your|\w+'s) (?:\w+ )?{found['what']}|{found['what']} of (?:his|hers|theirs))\b" if found else ""
    )
    return bool(whose) and any(re.search(whose, one, re.IGNORECASE) for one in before)


def sentences_told(text: str) -> list[str]:
    """Return the sentences of a message that tell something, as they were typed, whatever they are about."""
    return [sentence for sentence in _own_sentences(text) if not _asks(sentence)]


@lru_cache(maxsize=KEPT)
def _own_sentences(text: str) -> Sequence[str]:
    """Return the sentences of a message in the person's own words."""
    return [*map(_told_in, sentences(own_words(unwrap(text[:TYPED_CHARS]))))]


def _asks(sentence: str) -> bool:
    return sentence.rstrip(" )\"'").endswith("?")


def _told_in(sentence: str) -> str:
    """Return what is told before a question in the same sentence, or in it: `did I mention that I play the drums?`"""
    if not sentence.endswith("?"):
        return sentence
    return EN.regex("{asked_whether_told}").sub(r"\g<told>", EN.regex("{asked_behind}").sub(r"\g<told>", sentence))


@lru_cache(maxsize=KEPT_SENTENCES)
def _in_plain_words(text: str) -> str:
    return ". ".join(plain(one) for one in sentences(own_words(unwrap(text[:TYPED_CHARS]))))


def stands_alone(sentence: str) -> bool:
    """Say whether a sentence can be understood, and so asked about, by itself.

    What is said of somebody without a name, and not of the person, cannot: `She came out arguing.`, `Half of them sank.`
    """
    words = [word.casefold() for word in without_interjections(tokens(plain(sentence)))]
    if EN.regex("{some_of_them}").match(" ".join(words)):
        return False
    return word_at(words, 0) not in EN.somebody_unnamed or not EN.of_person_too.isdisjoint(words)


def without_day(sentence: str) -> str:
    """Return a sentence without its `today` or `this morning`; as it is where little is left."""
    told = re.sub(r"\s+(?=[.,!?;])", "", " ".join(EN.regex("{on_the_day}").sub(" ", sentence).split())).strip(" ,")
    return told if len(told.split()) >= FEWEST_WORDS - 1 else sentence


def in_third_person(text: str) -> str:
    """Return what a sentence of the person's own says, as it would be learned: `User has a boat.`; any other one as it is."""
    if EN.of_oneself.isdisjoint(re.findall("[a-z]+", text.casefold())):
        return text
    same = normalise(in_first_person(text))
    return next((one.fact for one in read(text) if one.fact and normalise(in_first_person(one.fact)) == same), text)


def _asks_for(words: Sequence[str]) -> bool:
    """Say whether this asks for something: `please find ...`, `show me ...`."""
    return words[0].casefold() == "please" or word_at(words, 1) == "me"


@lru_cache(maxsize=KEPT_SENTENCES)
def _fact(told: tuple[str, ...]) -> str:
    """Return the fact that a statement makes, if it makes one."""
    fact = "" if _lists_verbs(told) or any(_FOREIGN.search(word) for word in told) else fact_of(told)
    return "" if check_form(fact) or _says_little(told, fact) else fact


def says_little(sentence: str) -> bool:
    """Say whether what a sentence tells of the person is no lasting fact by its words."""
    facts = [(words, fact_of(tuple(words))) for words in _statements(sentence)]
    return any(fact and _says_little(words, fact) for words, fact in facts)


def _says_little(words: Sequence[str], fact: str) -> bool:
    """Say whether a fact is of a thought, a wish or an intention of the moment, says nothing by itself or breaks off."""
    adverbs, rest = split_adverbs(words[1:] if words[0] == "I" else [])
    is_thought = not stems(word_at(rest, 0)).isdisjoint(EN.passing_verbs)
    past_alike = EN.unchanged_past & EN.no_past  # `retired`
    may_be_verb = any(is_verb(word) or word.endswith("s") or word in past_alike for word in tokens(fact)[2:])
    is_verbless = words[0].casefold() == "my" and not may_be_verb
    is_due = word_at(rest, 0) in EN.due and EN.regex("{dated}").search(fact)
    is_passing = is_thought and word_at(rest, 1) not in ("to", "no") and "never" not in adverbs and not is_due
    is_intended = EN.regex("{intends}").match(fact) and not EN.regex("{dated}").search(fact)
    is_loose = word_at(rest, 1) == "," and (not _goes_on(word_at(rest, 2)) or word_at(rest, 0) in EN.of_something_said)
    if is_verbless or is_passing or is_intended or is_loose or EN.regex("{says_nothing}").search(fact):
        return True
    return (
        len(fact.split()) < FEWEST_WORDS
        or words[0].casefold() == "not"
        or tokens(fact)[-1] in EN.finite - EN.months | EN.negations
    )


def _goes_on(word: str) -> bool:
    """Say whether what this begins may go on with the verb before a comma: `I swim, mostly at noon`; else it is a remark."""
    return is_verb(word) or word in EN.after_verb | EN.coordinators | EN.hedges or (is_adverb(word) and word != "too")


def _lists_verbs(words: Sequence[str]) -> bool:
    """Say whether verbs follow that would need the ending of the first: `read the paper, watch a film and ...`."""
    commas = [at for at, word in enumerate(words) if word == "," and word_at(words, at + 1) in EN.common_verbs]
    first = next((at for at in commas if word_at(words, at + 2) not in ("", ",", "and", "or")), 0)
    return words[0] == "I" and first > 1 and {"to", "can", "will", "not"}.isdisjoint(word.casefold() for word in words[:first])


@lru_cache(maxsize=KEPT_SENTENCES)
def _statements(sentence: str) -> Sequence[list[str]]:
    """Return the words of each statement of a sentence, with a subject of its own; what asks makes none."""
    words = [] if _asks(sentence) else without_interjections(without_asked(tokens(plain(sentence))))
    if not words or len(words) > MAX_SENTENCE_WORDS:
        return ()
    if left_out := _left_out(words):
        words = [*left_out, words[0][0].lower() + words[0][1:], *words[1:]]
    words = _with_subjects(words)
    own = [one[:1] + one[2:] if one[:2] == ["I", "both"] else one for one in of_sentence(words)]
    is_of_person = any(one and not begins_with_somebody(one) for one in own)
    return tuple(one for one in (own if is_of_person else told_parts(words)) if one)


def without_asked(words: Sequence[str]) -> list[str]:
    """Leave out the parts of a sentence that ask though no mark says so: `my hem frays, does glue hold on silk`."""
    told: list[str] = []
    start, is_asked = 0, False
    for end in (at for at, word in enumerate([*words, ","]) if word in (",", ";", *DASHES)):
        part = words[start:end]
        goes_on = is_asked and not _begins_anew(part)
        is_asked = goes_on or asks_unmarked(part, is_first=not start)
        told += [] if is_asked else [*words[max(0, start - 1) : start], *part]
        start = end + 1
    return told


def _begins_anew(part: Sequence[str]) -> bool:
    """Say whether a part of a sentence does not go on with the one before it: it has a subject."""
    words = list(dropwhile(lambda word: word.casefold() in EN.coordinators, part))
    return word_at(words, 0) in EN.subject_starts | EN.articles or (words != [] and _left_out(words) != [])


def asks_unmarked(words: Sequence[str], *, is_first: bool) -> bool:
    """Say whether a part of a sentence asks something; behind a comma `which is ...` only goes on."""
    return EN.regex("{asks_unmarked}" if is_first else "{asks_behind_comma}").match(" ".join(words)) is not None


@lru_cache(maxsize=KEPT_SENTENCES)
def plain(text: str) -> str:
    """Return a sentence in plain words: chat spelling and contractions written out, `I` for `we`, without what leads to it."""
    text = re.sub(r"[*_~]+", "", text)
    text = re.sub(r"(?<![\w'.])[\w']+(?:/o?)?(?![\w'.])", lambda word: _spelled(word[0]), text)
    text = EN.regex(r"\b((?:{transitive_liking}|{fillers}|very|no)\b)(?: \1\b)+").sub(r"\1", text)
    text = EN.regex("{clipped_apostrophe}").sub(r"\g<0>'", text)
    text = EN.regex("{clipped_is}").sub(_with_is, text)
    for _ in range(3):
        text = EN.regex(r"\A{lead}[,:]? +(?=\w)").sub("", text)
    text = EN.regex("{me_and_somebody}").sub(_as_of_both, text)
    text = EN.regex(
        r"\A(?:the ({household})|({close}|{others}(?= (?:called|named) )|{pets}(?=(?: is|'s) (?:called|named) )))(?=(?:'s)? \w)"
    ).sub(lambda found: f"my {(found[1] or found[2]).lower()}", text)
    text = _with_whose(text)
    text = EN.regex("{clipped_called}").sub(r"\g<0>'", text)
    text = EN.regex("{kept_out}").sub(_as_taste, text)
    text = EN.regex(r"\Ano ({wanted})(?: (?:for me|please|ever|thanks))*(?=$|[.,!])").sub(r"I want no \1", text)
    text = EN.regex(r"\Ano more ((?!than\b)[\w-]+(?: [\w-]+)?) for (?:me|us)\b,?").sub(r"I want no more \1,", text)
    text = expand(text)
    for ours, mine in (*_WE, *_AS_WRITTEN):
        text = ours.sub(mine, text)
    return re.sub(r"(?P<who>[\w-]+) do not\b", _with_does, text)


def _as_taste(found: re.Match[str]) -> str:
    """Return why a request keeps something out, as a statement: `I hate olives`, for `no olives please, hate them`."""
    return f"I {found['why'] or 'am allergic to'} {found['what'] or found['left_out']}"


def _as_of_both(found: re.Match[str]) -> str:
    """Return who does something with the person as one writes it: `my sister and I sing`, for `me and my sister sing`."""
    verb = found["verb"].casefold()
    is_done = is_verb(verb) or is_past(verb) or verb in EN.common_verbs | EN.finite
    return f"{found['lead'] or ''}{found['who']} and I {found['verb']}" if is_done else found[0]


def _with_does(found: re.Match[str]) -> str:
    """Return what one person does not do with the ending that was left out: `she dont`, `my flatmate dont`, `Ada dont`."""
    who = found["who"]
    is_one = who.casefold() in ("he", "she", "it") or who in EN.close | EN.others or _may_be_called(who)
    is_plural = who.endswith("s") and not who.endswith("ss")
    return f"{who} does not" if is_one and not is_plural else found[0]


def _may_be_called(word: str) -> bool:
    return word.istitle() and len(word) > 1 and not is_common(word)


def _with_whose(text: str) -> str:
    """Return a sentence with `my` before whom it is about, where that was left out: `uncle Mo drives a taxi`."""
    for form in EN.entry("whose"):
        found = EN.regex(rf"\A{form}").match(text)
        if found and _is_of_somebody(found["verb"].casefold()):
            return f"my {text[0].lower()}{text[1:]}"
    return text


def _is_of_somebody(verb: str) -> bool:
    """Say whether a verb tells of somebody else by its form, and neither asks nor bids."""
    return verb == "'s" or verb in EN.finite - EN.negations or verb in third_person_verbs() or is_past(verb)


def _spelled(word: str) -> str:
    """Return what chat spelling stands for; a letter written large is an initial."""
    if len(word) == 1 and word.isupper():
        return word
    return chat_spelling().get(word.lower()) or _with_g(word) or _unstretched(word.lower()) or _misspelled(word.lower()) or word


def _unstretched(word: str) -> str:
    """Return the word that was typed with more of a letter than it has: `heyy`, `sooo`, `looove`."""
    once = re.sub(r"([a-z])\1+\Z|([a-z])\2{2,}", r"\1\2", word)
    more = len(word) - len(once)
    return once if more and once in (EN.interjections if more == 1 else EN.stretched) else ""


def _with_g(word: str) -> str:
    """Return the -ing form that was typed without its g: `comin`, `nickin'`."""
    whole = f"{word.removesuffix(chr(39))}g"
    is_known = word.lower() in EN.common_verbs or stems(whole).isdisjoint(EN.common_verbs)
    return "" if is_known or not re.fullmatch(r"\w{2,}ing", whole) else whole


def _with_is(found: re.Match[str]) -> str:
    """Return somebody with the `is` that was typed as an s: `my sister jodies coming`."""
    if found["who"]:
        return f"{found['who']} is"
    return found[0] if is_verb(f"{found['name']}s") else f"{found['kin']}{found['name'].capitalize()} is"


@lru_cache(maxsize=4096)
def _misspelled(word: str) -> str:
    """Return the weighty word that this one is a misspelling of: what is sensitive must be known in any spelling."""
    if len(word) < LEAST_LETTERS or word in EN.weighty | EN.not_weighty:
        return ""
    found = process.extractOne(word, EN.weighty, scorer=fuzz.ratio, score_cutoff=ALIKE)
    return found[0] if found and not stems(word) & EN.weighty else ""


@cache
def chat_spelling() -> dict[str, str]:
    """Return what each word of chat spelling stands for."""
    return {form: word for word, *forms in EN.entry("spelled") for form in forms}


def _left_out(words: Sequence[str]) -> list[str]:
    """Return the subject that was left out before a verb: `Been teaching ...`, `live in a van`."""
    at = next((place for place, word in enumerate(words) if not is_adverb(word)), 0)
    verb, following = words[at].casefold(), word_at(words, at + 1)
    if verb in ("i", "my"):
        return []
    if found := EN.regex("(?P<fan>{fan})|{state}").match(" ".join(words)):
        return ["I", "am", "a"] if found["fan"] else ["I", "am"]
    if EN.regex("{begins_on_a_day}").match(" ".join(words)):
        return ["I"]
    if verb == "been":
        return ["I", "have"]
    if verb in EN.begins_anyway and following not in EN.asked_of:
        return ["I"]
    if is_past(verb) and following != "by" and (verb != "did" or following in EN.after_verb):
        return ["I"]
    if verb.endswith("ing") and not stems(verb).isdisjoint(EN.common_verbs):
        return [] if _is_subject(words[at:]) else ["I", "am"]
    if verb == "do" and following == "not":  # and not `don't tell her`
        return ["I"] if stems(word_at(words, at + 2)).isdisjoint(EN.passing_verbs) else []
    if verb in EN.transitive_liking - {"like"} and following not in EN.finite | EN.vague_objects | {"", "you", ","}:
        return ["I"]
    is_name = at > 0 and words[at][0].isupper()  # `mostly Go and Java`
    is_habit = verb in EN.common_verbs and not is_name and EN.regex(r"\b{habitual}\b").search(" ".join(words))
    is_bare = (verb in EN.bare and following != "") or (verb in EN.bare_with_place and following in EN.after_verb)
    return ["I"] if (is_bare or is_habit) and "me" not in words else []


def _with_subjects(words: list[str]) -> list[str]:
    """Put the subject that was left out after a comma: `I am Tom, just moved here`, `what can I cook, can not have nuts`."""
    told = words
    for at in (place for place in reversed(range(len(words))) if words[place] == ","):
        before, rest = words[:at], words[at + 1 :]
        is_named = before[:2] == ["I", "am"] and at <= LONGEST_NAMED
        if (
            rest
            and (is_named or word_at(before, 0) in EN.question_words | {"any"})
            and (left_out := _left_out(rest))[:2] != ["I", "am"]
        ):
            told = [*words[: at + 1], *left_out, *told[at + 1 :]]
    return told


def _is_subject(words: Sequence[str]) -> bool:
    """Say whether an -ing form is itself the subject of a verb: `Learning Welsh was hard`."""
    own = takewhile(
        lambda word: word not in EN.subordinate | EN.coordinators | {",", "i", "because", "since", "that"},
        map(str.casefold, words),
    )
    return not EN.finite.isdisjoint(own)


def _somebody(words: Sequence[str]) -> list[str]:
    """Return whom a statement is about, where that is one of the person's people: `my brother Tim`."""
    verb = verb_at(words, 1) if words[:1] and words[0].casefold() == "my" else None
    is_short = verb is not None and verb <= 4 and "," not in words[:verb]
    return list(words[:verb]) if is_short else []


def _with_name(words: list[str], somebody: Sequence[str]) -> list[str]:
    """Put the one whom the statement before it is about in place of `he` or `she`; nothing where it is not about them."""
    return [*somebody, *words[1:]] if somebody and goes_on(words[0].casefold(), somebody) else []
