"""Reads a message into what may be learned of it: each statement judged, with the fact that it makes and what it needs a yes for.

Drafts of the rules and of a model go through the same judge. It goes by meaning, so it needs the embedding model that it was
fitted to. Until that is loaded, messages wait to be learned from. With another one nothing is judged, so the rules make no facts:
a capable chat model proposes some, which keep the writing rules, and what their words say of anything sensitive waits for a yes.
`memapp doctor` says which holds. What the person asks to be remembered, and what they state of a field of their profile, needs no
judge.
"""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from memapp.domain.chat import Message, Role
from memapp.domain.consent import FACT
from memapp.domain.profile import CLOSE_PEOPLE
from memapp.domain.provenance import WhyNot
from memapp.domain.utterance import Draft, Judgement, Statement, Told
from memapp.inference import Embedder
from memapp.language.english.authorship import TYPED_CHARS, others_words
from memapp.language.english.category import RELATIONSHIPS, draft_of
from memapp.language.english.duplicates import duplicate_of
from memapp.language.english.given_names import is_common
from memapp.language.english.judge import judge, judges
from memapp.language.english.profile_forms import in_first_person
from memapp.language.english.profile_hints import is_secret, names_party, touches_sensitive
from memapp.language.english.statements import stands_alone, without_day
from memapp.language.english.tags import tags_for
from memapp.language.language_of import language_of
from memapp.runtime import Runtime
from memapp.services.people import introducing
from memapp.services.prompt_form import prompt_form
from memapp.store import chat, search

LASTS = 0.7
IS_MEANT = 0.6
IN_DOUBT = 0.3
"""From here on it asks whether something lasts, and is meant, where it cannot read how it was said."""
OF_OTHERS = 0.5
SENSITIVE = 0.3
"""How sure the judge must be; of what is sensitive it would rather ask once too often."""
ORDINARY = 0.035
"""What is kept without a yes must surely be ordinary: from here on what lasts is asked about too."""
SURELY_SENSITIVE = 0.6
"""From here on it asks about what makes no fact, in the person's words."""
FEWEST_WORDS = 3
"""Fewer make no sense by themselves when it asks about them: `kidney pie`."""
EMBEDDER_SECONDS = 20.0
"""How long learning waits for the embedding model that is being loaded; nobody waits for learning."""
PARTY = "politics"
SECRET = "secret"
SECRET_AT_ALL = 0.2
ORDINARY_OF_OTHERS = frozenset({"preferred_name", "pronouns", "ethnicity", "birth_date", "city"})
"""What needs no yes where it is said of somebody else: how they are called, where they live and are from, how old they are."""
SURELY_LASTS, SURELY_MEANT = 0.9, 0.9
"""How sure the judge must be of a sentence that is kept as it was said: nothing else vouches for it."""
PLACEHOLDER = "#"
"""Stands in a statement where words of others were."""
AMONG = 60
"""Messages before one in which somebody may have been named of whom it goes on to speak."""
MOST_OF_OTHERS = 3
"""So many statements in the words of others are told of: a message may be all of a song."""
Judged = tuple[Judgement, Judgement]
"""A statement by its own words, and by its whole sentence."""


def said_before(runtime: Runtime, message: Message) -> list[str]:
    """Return what the person typed in a chat before a message, without what was taken back.

    Before it stands what is known of those who are named there without a word on who they are.
    """
    before = chat.list_messages(runtime.read(), message.thread_id, before=message.seq, limit=AMONG)
    said = [one for one in before if one.role is Role.USER]
    gone = search.taken_back(runtime.read(), [one.id for one in said])
    texts = [one.typed_text for one in said if one.id not in gone]
    return [*map(in_first_person, introducing(runtime, [*texts, message.typed_text])), *texts]


def told_in(runtime: Runtime, typed: str, before: Sequence[str] = ()) -> list[Draft] | None:
    """Return the facts that a message tells by its rules; None as long as no embedding model is there. Raises `ModelError`.

    One without a text is only asked about.
    """
    embedder = runtime.embedding.ready(within=EMBEDDER_SECONDS)
    return told_by(embedder, typed, before, may_quote=_may_quote(runtime)) if embedder else None


def _may_quote(runtime: Runtime) -> bool:
    """Say whether nobody else puts into words what the rules have none for: a capable model does."""
    return prompt_form(runtime, runtime.chat.ready()) != "full"


def told_by(embedder: Embedder, typed: str, before: Sequence[str] = (), *, may_quote: bool = True) -> list[Draft]:
    """Return what a message tells, judged by the vectors of an embedding model. Raises `ModelError` where it fails."""
    told = language_of(typed).read(typed, before)
    if not judges(embedder.model_id):
        return []
    judged, quotes = _judged_apart(told, lambda statements: _judged(embedder, statements))
    drafts: list[Draft] = []
    learned: set[str] = set()
    for sentence, group in groupby(judged, key=lambda pair: pair[0].sentence):
        of_sentence = list(_of_sentence(list(group)))
        learned |= {sentence} if of_sentence else set()
        drafts = with_others(drafts, of_sentence)
    return with_others(drafts, _as_said(quotes, learned, _read_in(judged)) if may_quote else ())


def with_others(drafts: Sequence[Draft], more: Iterable[Draft]) -> list[Draft]:
    """Return drafts with those of others that say anything else."""
    found = list(drafts)
    for draft in more:
        if not duplicate_of(draft.text or draft.value, [one.text or one.value for one in found]):
            found.append(draft)
    return found


def judged_draft(runtime: Runtime, draft: Draft, typed: str) -> Draft | None:
    """Judge a fact that a model wrote by its own words and by the message; None where it is not to be remembered.

    Of a message in a language that the judge does not know, what it doubts is asked about.
    """
    language = language_of(typed)
    statement = language.statement_of(draft.text, typed)
    judged = _judged_by_any(runtime, [statement])
    if judged is None:
        return draft if language.reads_tone else replace(draft, topic=FACT)
    said, whole = judged[0]
    # A model may have left out just the words that tell a joke.
    kept = next(_of_sentence([(statement, judged[0])]), None) if whole.is_meant >= IS_MEANT else None
    if kept:
        return replace(draft, topic=kept.topic)
    is_clear = language.reads_tone or min(said.lasts, said.is_meant) < IN_DOUBT or _tells_secret(statement, whole)
    return None if is_clear else replace(draft, topic=_field(said) if said.is_sensitive >= SENSITIVE else FACT)


def sensitive_topic(runtime: Runtime, fact: str) -> str:
    """Return the field of the profile that a whole fact needs a yes for by its own words; empty for an ordinary one."""
    said = in_first_person(fact).rstrip(".")
    judged = _judged_by_any(runtime, [Statement(said, said, fact)])
    return _field(judged[0][0]) if judged and judged[0][0].is_sensitive >= SENSITIVE else ""


def surely_ordinary(runtime: Runtime, said: Sequence[str]) -> list[str]:
    """Return those sentences of the person that surely touch nothing sensitive and hold no secret; none without the judge.

    Raises `ModelError`.
    """
    judged = _judged_by_any(runtime, [Statement(one, one) for one in said]) or ()
    return [one for one, (own, _) in zip(said, judged, strict=False) if own.is_sensitive < ORDINARY and not is_secret(one)]


def is_ordinary_wish(runtime: Runtime, wish: str, deeds: Sequence[str], before: Sequence[str]) -> bool:
    """Say whether a wish to be reminded surely touches nothing sensitive; False without the judge. Raises `ModelError`.

    It is judged as a wish and by what is to be done: each alone doubts what is short. What was said `before` is what a pronoun in
    it may stand for, and then it is judged by that in place of the wish.
    """
    judged = _judged_by_any(runtime, [Statement(one, one) for one in (wish, *deeds, *before)])
    if judged is None or any(map(is_secret, (wish, *deeds))):
        return False
    asked, *others = (said.is_sensitive for said, _ in judged)
    done = max(others[: len(deeds)], default=asked)
    if before:
        return max(done, *others[len(deeds) :]) < ORDINARY
    return (asked + done) / 2 < ORDINARY


def _judged_by_any(runtime: Runtime, statements: Sequence[Statement]) -> list[Judged] | None:
    """Judge each statement; None without an embedding model that the judge was fitted to. Raises `ModelError`."""
    embedder = runtime.embedding.ready(within=EMBEDDER_SECONDS)
    return _judged(embedder, statements) if embedder and judges(embedder.model_id) else None


def _judged(embedder: Embedder, statements: Sequence[Statement]) -> list[Judged]:
    texts = list(dict.fromkeys(text for one in statements for text in (one.said, one.whole or one.sentence, one.told) if text))
    on_any_day = {text: without_day(text) for text in texts}
    judging = list(dict.fromkeys([*texts, *on_any_day.values()]))
    judged = judge(judging, embedder.embed(judging, wait=True)) if judging else []
    found = {text: _with_rules(text, one) for text, one in zip(judging, judged, strict=True)}
    judgements = {text: _as_sensitive_as(found[text], found[on_any_day[text]]) for text in texts}
    return [(judgements[one.said], _of_whole(one, judgements)) for one in statements]


def _as_sensitive_as(judged: Judgement, on_any_day: Judgement) -> Judgement:
    """Return what a statement is judged, and of what is sensitive by it without its `today`: the day makes nothing ordinary."""
    return replace(judged, topics=max(judged, on_any_day, key=lambda one: one.is_sensitive).topics)


def _with_rules(text: str, judged: Judgement) -> Judgement:
    """Judge by its words too what is said of somebody else, and of a party by its name; who is only named is read as a friend."""
    is_named = judged.is_of_others >= OF_OTHERS and _is_named(text)
    if touches_sensitive(f"My friend {text}" if is_named else text) == CLOSE_PEOPLE:
        return replace(judged, is_of_others=1.0, topics={SECRET: judged.topics[SECRET], CLOSE_PEOPLE: 1.0})
    if names_party(text):  # which says nothing to the vector
        return replace(judged, topics={SECRET: judged.topics[SECRET], PARTY: 1.0})
    return judged


def _is_named(text: str) -> bool:
    """Say whether a sentence begins with a name."""
    first = text.split()[0]
    return first[0].isupper() and not is_common(first)


def _of_whole(statement: Statement, judgements: Mapping[str, Judgement]) -> Judgement:
    """Judge a sentence: what it asks makes nothing less meant of what it tells, but may be the sensitive part of it."""
    whole = judgements[statement.whole or statement.sentence]
    if not statement.told:
        return whole
    told = judgements[statement.told]
    return replace(told, topics=max(told, whole, key=lambda one: one.is_sensitive).topics)


def _of_sentence(judged: Sequence[tuple[Statement, Judged]]) -> Iterator[Draft]:
    """Yield what one sentence tells: if it is sensitive as a whole, that waits as a whole, and nothing of it is known before."""
    statement, (_, sentence) = judged[0]
    if _tells_secret(statement, sentence):
        return
    most = max([sentence, *(said for _, (said, _) in judged)], key=lambda one: one.is_sensitive)
    if _waits_as_a_whole(judged, sentence):
        is_meant = max([sentence.is_meant, *(said.is_meant for _, (said, _) in judged if said.is_sensitive >= SURELY_SENSITIVE)])
        is_whole = len(statement.sentence.split()) >= FEWEST_WORDS and stands_alone(statement.sentence)
        if len(judged) == 1 and _says_all(statement) and _is_meant(judged[0][1]) and _lasts(judged[0][1]):
            yield _fact(statement, judged[0][1][0], _field(most))  # its words and its sentence's are judged apart
        elif most.is_sensitive >= SURELY_SENSITIVE and is_meant >= IS_MEANT and is_whole:
            yield Draft("", (), topic=_field(most), value=statement.sentence)
        return
    for statement, pair in judged:
        said, _ = pair
        most = max(pair, key=lambda one: one.is_sensitive)
        may_open = most.topic == SECRET and most.is_sensitive >= ORDINARY  # too little to call it one, too much to ask
        if not (statement.fact and (_is_meant(pair) or _may_be_meant(pair))) or may_open:
            continue
        if said.is_sensitive >= SENSITIVE and not _is_ordinary_of_others(statement, said):
            yield _fact(statement, said, _field(said))
        elif _is_meant(pair) and _lasts(pair):
            beside = max((one for _, (one, _) in judged), key=lambda one: one.is_sensitive)
            is_rest = said.is_of_others >= OF_OTHERS and beside.is_sensitive >= SURELY_SENSITIVE
            most = beside if is_rest else most  # of somebody close one sentence tells one thing
            whose = replace(most, is_of_others=max(said.is_of_others, most.is_of_others))  # a name may stand only in what it says
            sensitive = most.is_sensitive if is_rest else _is_sensitive(pair)
            is_ordinary = sensitive < ORDINARY or _is_ordinary_of_others(statement, whose)
            yield _fact(statement, said, "" if is_ordinary else _field(most))


def _judged_apart(
    told: Told, judging: Callable[[Sequence[Statement]], Sequence[Judged]]
) -> tuple[list[tuple[Statement, Judged]], list[tuple[Statement, Judged]]]:
    """Return the statements of a message, judged at once, and apart from them its sentences that stand by themselves."""
    read = [*told.statements, *told.standing]
    judged = list(zip(read, judging(read), strict=False))
    return judged[: len(told.statements)], judged[len(told.statements) :]


def _as_said(judged: Sequence[tuple[Statement, Judged]], learned: Collection[str], read: Collection[str]) -> list[Draft]:
    """Return the sentences that nothing was learned of and that surely tell something that lasts, as they were said.

    What is sensitive is only asked about, and not where a clause of it was `read` as a fact and so judged by itself.
    """
    quoted: list[Draft] = []
    for statement, (said, whole) in judged:
        is_sure = said.lasts >= SURELY_LASTS and said.is_meant >= SURELY_MEANT and not _tells_secret(statement, whole)
        if statement.said in learned or not is_sure:
            continue
        is_ordinary_of_others = all(_is_ordinary_of_others(statement, one) for one in (said, whole))
        if is_ordinary_of_others or _is_sensitive((said, whole)) < ORDINARY:
            category = RELATIONSHIPS if said.is_of_others >= OF_OTHERS else ""
            if quoted and statement.fact.startswith(quoted[-1].text.rstrip(".")):
                quoted.pop()  # it goes on with that, and says all of it again
            quoted.append(Draft(statement.fact, tuple(tags_for(statement.said)), category))
        elif _is_sensitive((said, whole)) >= SENSITIVE and statement.said not in read and stands_alone(statement.said):
            most = max(said, whole, key=lambda one: one.is_sensitive)
            quoted.append(Draft("", (), topic=_field(most), value=statement.said))
    return quoted


def _read_in(judged: Sequence[tuple[Statement, Judged]]) -> set[str]:
    """Return the sentences in which a fact was read, whatever became of it."""
    return {statement.sentence for statement, _ in judged if statement.fact}


def _is_sensitive(judged: Judged) -> float:
    """Return how sure a statement touches anything sensitive, by the mean of the odds of both readings: neither is sure of it."""
    odds = math.sqrt(math.prod(_odds(one.is_sensitive) for one in judged))
    return odds / (1 + odds)


def _odds(share: float) -> float:
    return share / max(1 - share, 1e-6)


def _is_ordinary_of_others(statement: Statement, about: Judgement) -> bool:
    is_of_theirs = statement.fact.startswith("User's ") or " is User's " in statement.fact or _is_named(statement.said)
    return is_of_theirs and about.is_of_others >= OF_OTHERS and about.topic in ORDINARY_OF_OTHERS


def _tells_secret(statement: Statement, sentence: Judgement) -> bool:
    return is_secret(statement.sentence) or sentence.topics[SECRET] >= SECRET_AT_ALL


def _is_meant(judged: Judged) -> bool:
    said, sentence = judged
    return (said.is_meant + sentence.is_meant) / 2 >= IS_MEANT


def _may_be_meant(judged: Judged) -> bool:
    """Say whether it is better asked than left out: surely sensitive, lasting, and perhaps no joke."""
    said, sentence = judged
    is_sure = said.is_sensitive >= SURELY_SENSITIVE and _lasts(judged)
    return is_sure and (said.is_meant + sentence.is_meant) / 2 >= IN_DOUBT


def _lasts(judged: Judged) -> bool:
    said, sentence = judged
    return (said.lasts + sentence.lasts) / 2 >= LASTS


def _waits_as_a_whole(judged: Sequence[tuple[Statement, Judged]], sentence: Judgement) -> bool:
    """Say whether a sentence is sensitive, and not just in one statement that makes a fact by itself.

    A clause that makes none may say too little to be judged without its sentence: `my wife puts it on everything`.
    """
    sensitive = [one for one, pair in judged if (pair[0].is_sensitive if one.fact else _is_sensitive(pair)) >= SENSITIVE]
    if sentence.is_sensitive < SENSITIVE or _is_ordinary_of_another(judged, sentence):
        return any(not (statement.fact or _is_ordinary_of_others(statement, sentence)) for statement in sensitive)
    return len(judged) > 1 or not sensitive or not sensitive[0].fact


def _is_ordinary_of_another(judged: Sequence[tuple[Statement, Judged]], sentence: Judgement) -> bool:
    """Say whether all that is sensitive in a sentence is what needs no yes of somebody else: `my mum turns 70, I bake a cake`."""
    if all(_is_ordinary_of_others(statement, sentence) for statement, _ in judged):
        return True
    touching = [(one, said) for one, (said, _) in judged if said.is_sensitive >= ORDINARY]
    return sentence.topic in ORDINARY_OF_OTHERS and bool(touching) and all(_is_ordinary_of_others(*one) for one in touching)


def _says_all(statement: Statement) -> bool:
    """Say whether a fact can be made of a statement that leaves out nothing of its sentence."""
    return statement.fact != "" and len(statement.said.split()) >= len(statement.sentence.split())


def _field(about: Judgement) -> str:
    """Return the field of the profile that a statement waits for; what opens something has none, so the next likely one."""
    topics = [one for one in about.topics if one != SECRET]
    return CLOSE_PEOPLE if about.is_of_others >= OF_OTHERS else max(topics, key=about.topics.__getitem__)


def _fact(statement: Statement, said: Judgement, topic: str = "") -> Draft:
    draft = draft_of(statement.fact, topic)
    is_of_others = said.is_of_others >= OF_OTHERS and not statement.fact.startswith("User ")
    return replace(draft, category=RELATIONSHIPS) if is_of_others else draft


# Why not -------------------------------------------------------------------------------------------------------------


def refusals(runtime: Runtime, typed: str, before: Sequence[str]) -> list[tuple[Statement, WhyNot | None]]:
    """Return the statements of a message, each with why it is not to be learned; None where it is.

    Left out is what is not to be learned and not about the person or theirs: there nobody misses it.
    Raises `ModelError` where the embedding model fails.
    """
    language = language_of(typed)
    told = language.read(typed, before)
    judged, quotes = _judged_apart(told, lambda statements: _judged_by_any(runtime, statements) or ())
    groups = {sentence: list(group) for sentence, group in groupby(judged, key=lambda pair: pair[0].sentence)}
    learned = {sentence for sentence, group in groups.items() if any(_of_sentence(group))}
    as_said = (
        {draft.text or draft.value for draft in _as_said(quotes, learned, _read_in(judged))}
        if _may_quote(runtime)
        else set[str]()
    )
    quoted_whole = {one.said: one for one in told.standing if not as_said.isdisjoint((one.fact, one.said))}
    found: list[tuple[Statement, WhyNot | None]] = []
    for sentence, group in groups.items():
        found += [] if sentence in quoted_whole else _refusals_in(group)
    found += [(one, None) for one in quoted_whole.values()]
    others = (one for words in others_words(typed[:TYPED_CHARS]) for one in language.read(words).statements)
    quoted = [one for one in others if one.fact and _is_of_person(one)]
    own = [(one, why) for one, why in found if why is None or _is_of_person(one)]
    if told.may_tell and not told.statements and _may_quote(runtime):
        own.append((Statement(typed[:TYPED_CHARS], typed[:TYPED_CHARS]), "unread"))
    return [*own, *((one, "others") for one in quoted[:MOST_OF_OTHERS])]


def _is_of_person(statement: Statement) -> bool:
    begins = statement.fact.startswith("User") if statement.fact else statement.said.startswith(("I ", "My ", "my "))
    return begins and PLACEHOLDER not in statement.said


def _refusals_in(judged: Sequence[tuple[Statement, Judged]]) -> Iterator[tuple[Statement, WhyNot | None]]:
    """Yield the statements of one sentence; where it waits as a whole, each of them does."""
    told = {draft.text for draft in _of_sentence(judged)}
    for statement, (said, sentence) in judged:
        is_meant, lasts = (said.is_meant + sentence.is_meant) / 2, (said.lasts + sentence.lasts) / 2
        if statement.fact in told or "" in told:
            yield statement, None
        elif _tells_secret(statement, sentence):
            yield statement, "secret"
        elif statement.fact:
            yield statement, "not meant" if is_meant < min(lasts, IS_MEANT) else "passing"
        elif is_meant >= IS_MEANT and lasts >= LASTS:
            yield statement, "unclear"
