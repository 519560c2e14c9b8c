"""Judging whether a sentence, of a fact or of a message, answers a question put to the memory, and what of it may be quoted.

It answers if it holds all that the question names: whose it is, names and places, what is asked for (a name, a place, a time),
and most of the other words. What is left in doubt is for the model.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from memapp.language.english import asked_sentence
from memapp.language.english.authorship import own_words
from memapp.language.english.clauses import verb_at
from memapp.language.english.given_names import given_names
from memapp.language.english.grammar import expand, is_adverb, is_past, is_verb, sentences, stems, tokens
from memapp.language.english.memory_question import (
    POSSESSED_WORDS,
    MemoryQuestion,
    asks_which_stands_out,
    forms_of,
    key,
    keys,
    kin_in,
    kin_words,
    kind_of_life,
    singular,
)
from memapp.language.english.profile_hints import is_secret, touches_sensitive
from memapp.language.lexicon import lexicon

EN = lexicon("from_memory")
FRAGMENT_WORDS = 4
COUNTED_WITHIN = 3
"""So many words behind a number is what it counts."""
_ASKS_OF_THEIRS = frozenset(["my", "our", "what", "which"])
LEAST_TOLD = 0.1
"""How surely what was said is told that names whom or what was asked of, and no more."""
ENOUGH = 0.5
"""The share of the other words of a question that a hit must hold."""


def certain(question: MemoryQuestion, sentence: str, *, is_fact: bool) -> float:
    """Return how surely a sentence answers a question: 0 for not, else the more of its words it holds, up to 1."""
    held = _held(sentence) - _only_named(question, sentence)
    if not (question.named or question.other or question.wants) or not all(one & held for one in question.named):
        return 0.0
    if is_fact and sentence.startswith("User ") and EN.regex("{of_world}").match(question.text):
        return 0.0
    asks_what_of_it = EN.regex(r"what do (?:I|we) \w+ (?:best |most )?about\b").match(question.text)
    if asks_what_of_it and not all(one & held for one in question.other):  # that I have it, is no answer
        return 0.0
    if not question.is_told and not _is_of_things(question, sentence):
        return 0.0
    if question.is_yes_or_no and question.kin and not _is_possessed(question, sentence):
        return 0.0
    is_present = not question.is_narrative and not is_over(question.text)
    is_no_job = _asks_job(question) and not (may_tell_job(sentence) if is_fact else is_of_now(sentence))
    if is_present and (is_over(sentence) or is_no_job):
        return 0.0
    is_of_somebody = is_fact or bool(question.wants) or not question.is_narrative
    if is_of_somebody and not (question.is_told or question.of_anybody or is_about_same(question, sentence, is_fact=is_fact)):
        return 0.0
    is_wanted = question.wants and not question.is_told and not (question.wants == "reason" and question.is_narrative)
    if is_wanted and not (_has_beside(question, sentence) if question.of_anybody else has_wanted(question, sentence)):
        return 0.0
    share = _share(question, held)
    if question.is_told:
        return max(share, LEAST_TOLD) if share or question.named else 0.0
    is_exact = (
        question.is_yes_or_no or question.of_anybody or not question.is_personal or (question.wants and not question.is_narrative)
    )
    return share if share >= (1.0 if is_exact else ENOUGH) else 0.0


def is_of_what_is_named(question: MemoryQuestion, text: str) -> bool:
    """Say whether a text, which does not answer for sure, is of the thing that a question calls `the ...` and gives to nobody.

    What has the time that is wanted may be it by another name: `the dentist` for the appointment. Of who did something and which
    of many stands out, the world knows more: there the text must tell what was done.
    """
    if asks_which_stands_out(question.core):
        return False
    found = EN.regex(r"\b(?P<did>\w+) the (?P<what>.+)").search(question.core) if question.of_anybody else None
    if found is None or (question.wants in ("time", "duration") and has_wanted(question, text)):
        return True
    held = {stem for word in tokens(text) for stem in stems(word)}
    if question.wants == "person":
        return found["did"] in EN.function_words | EN.finite or bool(stems(found["did"]) & held)
    what = takewhile(lambda word: word.casefold() not in EN.function_words, tokens(found["what"]))
    return any(stems(word) & held for word in what)


def _asks_job(question: MemoryQuestion) -> bool:
    """Say whether a question asks for the person's own job, or where they have it."""
    return kind_of_life(question) == "job"


def _only_named(question: MemoryQuestion, sentence: str) -> frozenset[str]:
    """Return the verb of a question that a sentence holds as what somebody has: `my drive`, for `what do I drive?`

    What somebody did may be a noun as well: `I went for a run`.
    """
    asked = re.search(r"\b(?:do|did|does) (?:I|we) (\w+)", question.text)
    verb = keys([asked[1]]) if asked else frozenset()
    words = [word.casefold() for word in tokens(expand(sentence))]
    places = [at for at, word in enumerate(words) if keys([word]) & verb] if verb else []
    is_noun = places and all(at and words[at - 1] in EN.possessives for at in places)
    return verb if is_noun else frozenset()


def _is_of_things(question: MemoryQuestion, sentence: str) -> bool:
    """Say whether a sentence does not only have the word for what is the person's: `a car factory`, for `my car`.

    What is their favorite, it says they like or have.
    """
    said, asked = tokens(expand(sentence)), tokens(question.text)
    is_favorite = "favorite" in asked
    is_liked = is_favorite and bool(keys(sorted(EN.liked)) & _held(sentence))
    is_own = is_favorite or not {"my", "our"}.isdisjoint(asked)
    for thing in _things(question):
        places = [at for at, word in enumerate(said) if stems(word.casefold()) & stems(thing)]
        if not places or is_liked or any(_is_owned(said, at) and _is_thing(said, at, thing) for at in places):
            continue
        if is_favorite or not any(_is_thing(said, at, thing) and not (is_own and _is_many(said[at])) for at in places):
            return False
    return True


def _things(question: MemoryQuestion) -> list[str]:
    """Return what a question says that the person has, and is nobody living: `car`, of `where is my old car?`"""
    found: list[str] = []
    is_theirs = False
    for word in [] if question.kin else tokens(question.text):
        is_named = word.islower() and any(keys([word]) & one for one in (*question.named, *question.other))
        if is_theirs and is_named:  # of `choir concert` the concert
            found[-1:] = [word]
        elif word.casefold() in _ASKS_OF_THEIRS:
            is_theirs, found = True, [*found, ""]
        else:
            is_theirs = is_theirs and word.casefold() in EN.small_attributes
    return list(filter(None, found))


def _is_thing(said: Sequence[str], at: int, asked: str) -> bool:
    """Say whether a noun stands for one thing and not for many, and neither before another noun nor, as nobody's, a name."""
    if said[at].endswith("'s") or (at and said[at - 1].casefold() in EN.possessives):
        return True
    following = (said[at + 1 : at + 2] or [""])[0]
    no_noun = EN.stop_words | EN.function_words | EN.finite | EN.pronouns | EN.adverbs | EN.negations | EN.coordinators
    is_noun = following[:1].islower() and following not in no_noun and not is_verb(following) and not is_adverb(following)
    is_name = following[:1].isupper() and following != "I" and not _is_owned(said, at)
    return not (is_noun or is_name or (_is_many(said[at]) and not _is_many(asked)))


def _is_many(noun: str) -> bool:
    return noun.endswith("s") and not noun.endswith("'s")


def _is_owned(said: Sequence[str], at: int) -> bool:
    """Say whether what stands at a place of a sentence is somebody's, or had by them."""
    return not EN.owning.isdisjoint(word.casefold() for word in said[max(0, at - POSSESSED_WORDS) : at])


def _share(question: MemoryQuestion, held: frozenset[str]) -> float:
    """Return how much of the other words of a question a sentence holds."""
    return sum(bool(one & held) for one in question.other) / len(question.other) if question.other else 1.0


def names(question: MemoryQuestion, sentence: str) -> bool:
    """Say whether a sentence speaks of all that a question names."""
    held = _held(sentence)
    return all(one & held for one in question.named)


def names_kind(question: MemoryQuestion, sentence: str) -> bool:
    """Say whether a sentence names the kind of thing that a question asks for, or none is asked for."""
    return all(one & _held(sentence) for one in question.kind)


def speaks_of_same(question: MemoryQuestion, sentence: str) -> bool:
    """Say whether a sentence speaks of those whom a question names, of their things, and of work where that is asked about.

    Whether something is so, another sentence seldom tells; of the person's own state it may: `am I a vegetarian?`
    """
    held = _held(sentence)
    if _only_named(question, sentence) or not _is_of_things(question, sentence):
        return False
    is_of_work = question.wants != "reason" and any("job" in one and not one & held for one in (*question.named, *question.other))
    if is_of_work and not has_job(sentence):
        return False
    if _asks_job(question) and not question.is_narrative and not is_of_now(sentence):
        return False
    is_of_state = not question.is_yes_or_no or EN.regex("{own_state}").match(question.text) is not None
    return is_of_state and all(one & held for one in _somebody(question))


def may_answer(question: MemoryQuestion, sentence: str, *, is_fact: bool) -> bool:
    """Say whether a sentence has what an answer must have, whatever its words: whose it is, and the kind of thing asked for."""
    is_about_them = question.wants == "reason" or question.of_anybody or _may_be_about_same(question, sentence, is_fact=is_fact)
    if not (is_about_them and speaks_of_same(question, sentence)):
        return False
    is_told_anyhow = question.wants == "reason" or (question.wants == "job" and bool(question.kin))
    return question.is_yes_or_no or not question.wants or is_told_anyhow or has_wanted(question, sentence)


def is_held_half(question: MemoryQuestion, sentence: str) -> bool:
    """Say whether a sentence holds as many words of a question, besides names, as an answer must."""
    return _share(question, _held(sentence)) >= ENOUGH


def _somebody(question: MemoryQuestion) -> list[frozenset[str]]:
    """Return of what a question names those who have a name, or are the person's: nobody else stands for them."""
    large = [word for word in tokens(question.text)[1:] if word[:1].isupper() and word != "I"]
    whose = question.names | keys(large) | {key(one) for one in question.kin}
    return [one for one in question.named if one & whose]


def has_wanted(question: MemoryQuestion, sentence: str) -> bool:
    """Say whether a sentence has the kind of thing that is asked for."""
    if question.wants == "name" and EN.regex("{own_name_asked}").search(question.text):
        return EN.regex("{own_name_told}").search(expand(sentence)) is not None
    if question.wants == "name":
        return asked_name(question, sentence) != "" or _has_name(question, sentence)
    if question.wants == "place" and not question.kin and EN.regex("{place_by_name}").search(sentence):
        return True
    if question.wants == "number" and (counted := _counted(question)) & _held(sentence):
        return _has_amount(sentence, counted)
    if question.wants == "person":
        return _has_name(question, sentence) or bool(kin_words() & {stem for word in tokens(sentence) for stem in stems(word)})
    return EN.regex(EN.table("holds")[question.wants]).search(sentence) is not None


def _counted(question: MemoryQuestion) -> frozenset[str]:
    """Return what a question asks the number of: `goats` in `how many goats do I have`."""
    found = re.search(r"\bhow many (\w+)", question.text)
    return forms_of(found[1].casefold()) if found else frozenset()


def _has_amount(sentence: str, counted: frozenset[str]) -> bool:
    """Say whether a number stands right before what is counted, as in `two brown goats`."""
    words = tokens(expand(sentence))
    amounts = [at for at, word in enumerate(words) if EN.regex(r"\d[\d.,]*|{numbers}|{amounts}").fullmatch(word)]
    return any(keys(words[at + 1 : at + 1 + COUNTED_WITHIN]) & counted for at in amounts)


def _has_beside(question: MemoryQuestion, sentence: str) -> bool:
    """Say whether a sentence has what is asked for besides what a question says, as the name in `who wrote Middlemarch`."""
    said = frozenset().union(*question.named, *question.other)
    rest = " ".join(word for word in tokens(expand(sentence)) if not keys([word]) & said)
    return has_wanted(replace(question, kin=frozenset()), rest)


def asked_name(question: MemoryQuestion, text: str) -> str:
    """Return the sentence that tells the name which is asked for, if a text gives it: `Your sister is called Mira.`"""
    if question.wants == "person" and question.names:
        return next((one.introduced for one in given_names(text) if keys([one.word]) & question.names), "")
    if question.wants != "name" or question.is_told:
        return ""
    asked = singular({key(one) for one in question.kin})
    wider = {key(one) for word in question.kin for one in EN.table("wider").get(word, "").split()}
    fitting = [one for one in given_names(text) if (kin := kin_in(one.who)) == asked or (kin and kin <= wider)]
    others = [one.name for one in fitting[1:] if one.who == fitting[0].who]
    return fitting[0].told_with(others) if others else fitting[0].told if fitting else ""


def tells(question: MemoryQuestion, text: str) -> bool:
    """Say whether a text has what a question looks for first: the reason, a place with a name, or else a name or a title."""
    if question.wants == "place":
        return EN.regex(r"\b(?:in|at|to|near|on|by) (?:the )?(?-i:[A-Z])").search(text) is not None
    if question.wants == "reason":
        return has_wanted(question, text)
    said = text.partition(": ")[2] or text
    return re.search(r"[\w,] [\"“]|(?<![.!?\"“]) (?!I\b|I')[A-Z]\w", said) is not None


def tells_of_past(text: str) -> bool:
    """Say whether a text tells of what was so once: `User worked in a museum`."""
    words = [word.casefold() for word in tokens(expand(text))]
    return EN.regex(r"\b(?:before|used to|until|formerly|previously|earlier|ago|since)\b").search(text) is not None or any(
        word in ("was", "were", "had", "did") or is_past(word) for word in words
    )


def is_of_now(text: str) -> bool:
    """Say whether a text tells what is so at present and neither what was nor what is wished for: `User was made manager` is."""
    is_past_told = any(word in ("was", "were", "had", "did") or is_past(word) for word in map(str.casefold, tokens(expand(text))))
    return not EN.regex("{wished}").search(text) and (not is_past_told or EN.regex("{taken_up}").search(text) is not None)


def may_tell_job(fact: str) -> bool:
    """Say whether a fact may tell what the person does for a living: what they do, and not as a customer or guest."""
    own = EN.regex(r"user'?s? (?:{adverbs} |\w+ly )*(?!{at_leisure}\b(?! been\b))\w").match(fact)
    theirs = fact.startswith("User's ")
    return own is not None and is_of_now(fact) and (not theirs or EN.regex("{own_workplace}").match(fact) is not None)


def says_kind(kind: str, fact: str) -> bool:
    """Say whether a fact says of itself that it tells a job: `User keeps bees for a living`."""
    pattern = EN.table("plainly").get(kind)
    return pattern is not None and EN.regex(pattern).search(fact) is not None


def has_job(fact: str) -> bool:
    """Say whether a fact has a word of work or what somebody is, or is of a trade and its place: `repairs violins in Ghent`."""
    return EN.regex(EN.table("holds")["job"]).search(fact) is not None or EN.regex("{trade_in_place}").match(fact) is not None


def names_workplace(fact: str) -> bool:
    """Say whether a fact names a place where people work: `in a shop`."""
    return EN.regex(r"\b{workplaces}\b").search(fact) is not None


def says_workplace(fact: str) -> bool:
    """Say whether a fact says where, or for whom, somebody works."""
    return EN.regex(EN.table("holds")["workplace"]).search(fact) is not None


def is_over(text: str) -> bool:
    """Say whether a text says that what it tells is no longer so."""
    return EN.regex("{formerly}").search(text) is not None


def is_of_theirs(question: MemoryQuestion, fact: str) -> bool:
    """Say whether a question names somebody who is the person's by this fact: `Mira`, for `User's sister Mira loves pottery`."""
    words = [word.casefold() for word in tokens(expand(fact))]
    subject = _subject(words) if words[:1] in (["user's"], ["my"]) else []
    no_name = kin_words() | {stem for thing in _things(question) for stem in stems(thing)}  # `my film` is not theirs
    named = [word for word in subject if not stems(word) & no_name]
    return len(named) < len(subject) and any(keys(named) & one for one in (*question.named, *question.other))


def with_subject(statement: str, before: Sequence[str]) -> str:
    """Return a statement of the person with whom it is about: `he is 4` is `my son is 4` after `our son is here`.

    Without a subject it is about them: `just moved here`.
    """
    if is_past(next((word for word in tokens(statement) if not is_adverb(word)), "")):
        return f"I {statement}"
    found = EN.regex(r"(?:{coordinators} )?({pronoun_of_others})\b").match(statement)
    who = meant_by(statement, before)
    return f"{who}{statement[found.end() :]}" if found and who else statement


def meant_by(statement: str, before: Sequence[str]) -> str:
    """Return whom of the person's a statement that begins with a pronoun is about, `my mum`; empty where that is not clear."""
    found = EN.regex(r"(?:{coordinators} )?({pronoun_of_others})\b").match(statement)
    return asked_sentence.referent(found[1].casefold(), before) if found else ""


def without_apposition(statement: str) -> str:
    """Return a statement without a name between commas, behind which its verb looks like that of a question: `Emil, is`."""
    return EN.regex("{apposition}").sub("", statement)


def quotable(text: str, *, told: bool, here: bool = False) -> list[str]:
    """Return what of a message may be quoted as the person's word, a sentence about her, him or it with the one before it.

    Left out are questions, code, and what is secret, sensitive or said in confidence: that is known by a yes of theirs or not at
    all, but stands above for everybody to read in the chat that it was said in, `here`. So is what memapp said, by their word.
    Suppositions, and what they quote or show for a task, say nothing of them; `told`: they may stay where it is only asked what
    was said.
    """
    if in_confidence(text):
        return []
    kept: list[str] = []
    task = EN.regex(r"(?:please |pls |can you |could you |now )*{material}\b|.*:$")
    for sentence in whole_sentences(re.sub(r"(?m)^>.*$", "", text) if told else own_words(text)):
        if not told and task.match(sentence):
            break  # what follows is material for it
        sentence = without_question_behind(sentence)
        supposes = not told and EN.hypothetical & {word.casefold() for word in tokens(expand(sentence))}
        is_hearsay = EN.regex("{said_by_memapp}").match(sentence) is not None
        if supposes or is_hearsay or sentence.rstrip(" )\"'").endswith("?") or re.search(r"[#{}<>=\\|]|```", sentence):
            continue
        left = EN.regex("{moved_from}").sub(" ", expand(sentence))  # where somebody no longer lives
        if is_secret(sentence) or (touches_sensitive(left) and not here):
            continue
        if kept and EN.regex(r"(?:{coordinators} )?{pronoun_of_others}\b").match(sentence):
            kept[-1] += f" {sentence}"
        else:
            kept.append(sentence)
    return kept


def without_question_behind(sentence: str) -> str:
    """Return a statement without the question that was typed behind it with no stop between: `I saw Up do you know it?`"""
    found = EN.regex("(?P<told>[^?]+?) {asked_back}").fullmatch(sentence)
    is_told = (
        found and EN.regex("{person}").search(found["told"]) and not EN.regex(r"{lead}*+(?:{question_start})\b").match(sentence)
    )
    return found["told"] if found and is_told else sentence


def whole_sentences(text: str) -> list[str]:
    """Return the sentences of a text, each with those behind it that have no subject of their own."""
    whole: list[str] = []
    for sentence in sentences(text):
        if whole and _only_goes_on(sentence):
            whole[-1] += f" {sentence}"
        else:
            whole.append(sentence)
    return whole


def _only_goes_on(sentence: str) -> bool:
    """Say whether a sentence has no subject of its own: `End of the month. To live with her boyfriend.`"""
    words = [word.casefold() for word in tokens(sentence)]
    return (
        not sentence.rstrip().endswith("?")
        and words[:1] != []
        and (words[0] in EN.goes_on_with or (len(words) <= FRAGMENT_WORDS and not any(map(is_verb, words))))
    )


def in_confidence(text: str) -> bool:
    """Say whether a text was told in confidence, or to be forgotten."""
    return EN.regex("{in_confidence}").search(expand(text)) is not None


def _held(sentence: str) -> frozenset[str]:
    """Return the words of a sentence, some phrases as the word that asks for them."""
    text = expand(sentence)
    for pattern, instead in EN.entry("said_as"):
        text = EN.regex(pattern).sub(instead, text)
    return keys(tokens(text))


def is_about_same(question: MemoryQuestion, sentence: str, *, is_fact: bool) -> bool:
    """Say whether a sentence is about whom the question is about: the person, or somebody of theirs whom it names."""
    words = [word.casefold() for word in tokens(expand(sentence))]
    return _may_be_about_same(question, sentence, is_fact=is_fact) and (
        is_fact
        or bool(keys(words[:1]) & question.names or keys(words) & question.by_name)
        or bool({"i", "my", "we", "our", "me"} & set(words))
    )


def _may_be_about_same(question: MemoryQuestion, sentence: str, *, is_fact: bool) -> bool:
    """Say whether nothing in a sentence says that it is about somebody else of the person's: of themselves not all do."""
    words = [word.casefold() for word in tokens(expand(sentence))]
    if keys(words[:1]) & question.names or (not is_fact and keys(words) & question.by_name):
        return True
    while words and (words[0] in EN.interjections or words[0] == ","):
        words = words[1:]
    whose = "user's" if is_fact else "my"
    if whose in words[:1]:
        if is_of_theirs(question, sentence):
            return True
        kin = {key(stem) for word in _subject(words) for stem in stems(word) & kin_words()}
        asked = {key(one) for one in question.kin}
        wider = {key(one) for word in question.kin for one in EN.table("wider").get(word, "").split()}
        return kin <= asked | wider
    return True


def _is_possessed(question: MemoryQuestion, sentence: str) -> bool:
    """Say whether a sentence speaks of those whom a question names as somebody's: not so `as a child`, of `my kids`."""
    words = [word.casefold() for word in tokens(expand(sentence))]
    kin = {key(one) for one in question.kin}
    theirs = question.names.union(*(one for one in (*question.named, *question.other) if one & kin))
    owners = [at for at, word in enumerate(words) if word in EN.owning]
    return any(keys(words[at + 1 : at + 1 + POSSESSED_WORDS]) & theirs for at in owners) or bool(keys(words[:1]) & question.names)


def _subject(words: Sequence[str]) -> Sequence[str]:
    """Return who or what of the person's a sentence is about: the words before its verb, and before a preposition among them."""
    return list(takewhile(lambda word: word not in EN.naming_prepositions, words[1 : verb_at(words, 1) or len(words)]))


def _has_name(question: MemoryQuestion, sentence: str) -> bool:
    """Say whether a sentence has a name: of those whom a question names, where it names somebody's."""
    if EN.regex(r"\b(?:called|named|names? (?:is|are|was))\b").search(sentence):
        return True
    if question.kin:
        asked = {key(one) for one in question.kin}
        return any(kin_in(one.who) & asked for one in given_names(sentence))
    said = [word for word in tokens(sentence)[1:] if word[:1].isupper() and word not in ("I", "User", "User's", "I'm")]
    large = any(not EN.regex("{months}|{weekdays}").fullmatch(word.removesuffix("s")) for word in said)
    return large or '"' in sentence or "“" in sentence
