from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memapp.domain import ranking
from memapp.domain.named_time import NamedTime
from memapp.domain.ranking import Candidate, excerpt, fuse, is_asked_for, share_held

NOW = datetime(2026, 1, 31, 8, 15, tzinfo=UTC)
LONG_AGO = NOW - timedelta(days=3650)


def fact(id: str, text: str = "", **signals: float | bool | datetime) -> Candidate:
    return Candidate(
        **{
            "kind": "memory",
            "id": id,
            "text": text or f"Fact {id}.",
            "around": "",
            "at": LONG_AGO,
            **signals,
        }
    )  # type: ignore[arg-type]


def message(id: str, seq: int, text: str = "", **signals: float | str | datetime) -> Candidate:
    values = {
        "kind": "message",
        "id": id,
        "text": text or f"Message {id}.",
        "around": "",
        "at": LONG_AGO,
        **signals,
    }
    return Candidate(**values, thread_id="thread", seq=seq)  # type: ignore[arg-type]


def order(*candidates: Candidate, words: tuple[str, ...] = ()) -> list[str]:
    return [hit.candidate.id for hit in fuse(candidates, words, NOW)]


def test_a_misspelt_word_counts_as_held():
    assert share_held("User is vegetarian.", ["vegatarian", "tuesday"]) == 0.5


def test_of_a_word_without_spaces_a_text_may_hold_a_part():
    assert share_held("我喜欢喝绿茶。", ["喝绿茶吗"]) == pytest.approx(2 / 3)
    near, far = (
        fuse([fact("hit", text, bm25=1.0)], ("我想喝绿茶吗",), NOW)[0].score
        for text in ("我常喝绿茶。", "我想家。")
    )
    assert near > far


def test_the_excerpt_of_a_text_without_spaces_is_the_sentence_that_holds_the_word():
    assert excerpt("我住在北京。" * 60 + "我喜欢喝绿茶。" + "天气很好。" * 60, ["绿茶"]).startswith(
        "… 我喜欢喝绿茶。"
    )


def test_words_and_meaning_together_beat_either_alone():
    both = fact("both", "An oolong tea.", bm25=3.0, cosine=0.5)
    assert (
        order(
            fact("words", "Oolong.", bm25=3.0), fact("meaning", cosine=0.5), both, words=("oolong",)
        )[0]
        == "both"
    )


def test_a_weak_best_hit_weighs_less_than_one_that_holds_every_word():
    weak = fuse(
        [fact("weak", "A red roof.", bm25=1.0)], ("red", "bicycle", "garage", "winter"), NOW
    )
    strong = fuse([fact("strong", "A red bicycle.", bm25=1.0)], ("red", "bicycle"), NOW)
    assert weak[0].score < strong[0].score


def test_a_word_that_only_the_index_recognises_counts_as_one():
    (hit,) = fuse([fact("hit", "The city of Oslo.", bm25=1.0)], ("cities",), NOW)
    assert hit.parts["words"] == ranking.WORDS


def test_facts_compare_with_messages_although_their_indexes_differ():
    a_fact = fact("fact", "Rex is a dog.", bm25=0.000001)
    a_message = message("message", 1, "The weather report.", bm25=9.0, cosine=0.1)
    assert order(a_message, a_fact, words=("rex", "dog"))[0] == "fact"


def test_a_hit_lifts_the_messages_beside_it_most_and_those_two_away_a_little():
    hit, beside, two_away, far = (
        message("hit", 10, cosine=0.9),
        *(
            message(id, seq, cosine=0.3)
            for id, seq in (("beside", 11), ("two away", 8), ("far", 20))
        ),
    )
    assert order(far, two_away, beside, hit) == ["hit", "beside", "two away", "far"]


def test_a_question_that_is_a_hit_lifts_its_answer_more_than_what_was_said_before_it():
    before, answer = (message(id, seq, cosine=0.3) for id, seq in (("before", 9), ("answer", 11)))
    question = message("question", 10, "Which tea do you drink?", cosine=0.9)
    assert order(before, answer, question) == ["question", "answer", "before"]


def test_a_question_that_hardly_matches_lifts_its_answer_no_more_than_what_was_said_before_it():
    before, answer = (message(id, seq, cosine=0.3) for id, seq in (("before", 9), ("answer", 11)))
    ranked = fuse(
        [message("question", 10, "Which tea do you drink?", cosine=0.4), before, answer], (), NOW
    )
    assert len({hit.parts["beside a hit"] for hit in ranked if hit.candidate.id != "question"}) == 1


def test_a_question_lifts_a_reply_no_more_than_any_hit_does():
    question = message("question", 10, "Which tea shall I buy?", cosine=0.9)
    hit = message("hit", 30, cosine=0.9)
    reply, beside = (
        message(id, seq, cosine=0.3, said_by="assistant")
        for id, seq in (("reply", 11), ("beside", 31))
    )
    lent = {
        other.candidate.id: other.parts["beside a hit"]
        for other in fuse([question, reply, hit, beside], (), NOW)
    }
    assert lent["reply"] == lent["beside"]


def test_a_hit_that_asks_nothing_lifts_the_message_after_it_no_more_than_the_one_before_it():
    lifted = [message(id, seq, cosine=0.3) for id, seq in (("before", 9), ("after", 11))]
    ranked = fuse([message("hit", 10, cosine=0.9), *lifted], (), NOW)
    assert len({hit.parts["beside a hit"] for hit in ranked if hit.candidate.id != "hit"}) == 1


def test_a_hit_lifts_nothing_in_another_chat():
    elsewhere = Candidate(
        "message",
        "elsewhere",
        "Other words.",
        "",
        LONG_AGO,
        cosine=0.3,
        thread_id="another",
        seq=11,
    )
    (_, second) = fuse([message("hit", 10, cosine=0.9), elsewhere], (), NOW)
    assert second.parts["beside a hit"] == 0


def test_of_equals_the_one_wins_in_whose_chat_more_fits_and_one_chat_alone_changes_nothing():
    near, far = (
        Candidate("message", id, id, "", LONG_AGO, cosine=0.4, thread_id=id)
        for id in ("near", "far")
    )
    hit = Candidate(
        "message", "hit", "The hit.", "", LONG_AGO, cosine=0.9, thread_id="near", seq=30
    )
    ranked = fuse([far, near, hit, fact("known", cosine=0.4)], (), NOW)
    actual = [hit.candidate.id for hit in ranked if hit.candidate.kind == "message"]
    assert actual == ["hit", "near", "far"]
    parts = {hit.candidate.id: hit.parts.get("other chat", 0.0) for hit in ranked}
    assert (parts["hit"], parts["near"], parts["known"]) == (0, 0, 0) and parts["far"] < 0


def test_a_message_that_says_more_wins_over_a_short_remark():
    assert (
        order(
            message("short", 1, "Wow.", cosine=0.5),
            message("long", 20, "A " + "real story. " * 20, cosine=0.5),
        )[0]
        == "long"
    )


def test_an_answer_wins_over_a_question_in_the_same_words():
    question = message(
        "question",
        1,
        "What is the best tea of all the teas that there are in the world?",
        cosine=0.5,
    )
    answer = message(
        "answer",
        20,
        "The best tea of all the teas that there are in the world is oolong.",
        cosine=0.5,
    )
    assert order(question, answer)[0] == "answer"


def test_a_question_loses_against_equals_and_the_measure_asked_for_wins():
    asks, tells, dated = (
        message(id, seq, f"{id}{end}", cosine=0.5)
        for id, seq, end in (("a", 1, "?"), ("b", 20, "."), ("c", 40, "."))
    )
    ranked = fuse([asks, tells, dated], (), NOW, measured=frozenset({"c"}))
    assert [hit.candidate.id for hit in ranked] == ["c", "b", "a"]


def test_the_persons_own_words_win_over_a_reply_in_the_same_words():
    mine, reply = (
        Candidate("message", id, f"{id} said so.", "", NOW, cosine=0.5, said_by=id)
        for id in ("user", "assistant")
    )
    assert order(reply, mine) == ["user", "assistant"]


def test_what_was_said_on_the_day_that_is_named_wins():
    then = fact("then", cosine=0.5, at=NOW - timedelta(days=9))
    later = fact("later", cosine=0.5, at=NOW)
    ranked = fuse([later, then], (), NOW, [NamedTime(None, 1, 22)])
    assert [hit.candidate.id for hit in ranked] == ["then", "later"]
    assert "then 0.30" in ranked[0].why


@pytest.mark.parametrize(
    "better",
    [{"pinned": True}, {"importance": 5}, {"at": NOW}],
    ids=["pinned", "important", "recent"],
)
def test_a_boost_decides_between_equals(better: dict[str, float]):
    assert order(fact("plain", cosine=0.5), fact("better", cosine=0.5, **better))[0] == "better"


def test_of_equals_the_one_most_related_to_another_candidate_comes_first():
    weak, strong, alone = (fact(name, cosine=0.5) for name in ("weak", "strong", "alone"))
    ranked = fuse((alone, weak, strong), (), NOW, (), {"weak": 0.4, "strong": 0.9})
    assert [hit.candidate.id for hit in ranked] == ["strong", "weak", "alone"]
    assert "related" in ranked[0].why and "related" not in ranked[2].why


def test_boosts_do_not_outweigh_a_clear_difference_in_meaning():
    boosted = fact("boosted", cosine=0.25, pinned=True, importance=5, at=NOW)
    assert order(boosted, fact("alike", cosine=0.6))[0] == "alike"


@pytest.mark.parametrize(
    ("signals", "compared", "asked_for"),
    [
        ({"cosine": 0.36}, True, True),
        ({"cosine": 0.34, "bm25": 9.0}, True, False),
        ({"bm25": 0.1}, False, True),
        ({"bm25": 0.1}, True, True),  # it has no vector yet
        ({"around": "garden\nallergie"}, True, True),
        ({"around": "energy"}, True, False),
    ],
)
def test_a_keyword_asks_for_a_fact_by_tag_else_by_meaning_or_words(
    signals: dict[str, Any], compared: bool, asked_for: bool
):
    candidate = Candidate(
        **{
            "kind": "memory",
            "id": "fact",
            "text": "A fact.",
            "around": "",
            "at": LONG_AGO,
            **signals,
        }
    )
    assert is_asked_for("allergies", candidate, compared=compared) is asked_for


def test_candidates_without_a_reason_are_left_out():
    assert order(fact("pinned only", pinned=True, importance=5), fact("unlike", cosine=0.1)) == []


def test_the_same_text_is_a_hit_once():
    assert order(
        fact("fact", "I like tea.", cosine=0.9), message("message", 1, "i like tea. ", cosine=0.9)
    ) == ["fact"]


def test_why_names_the_parts_strongest_first_and_they_sum_to_the_score():
    (hit,) = fuse(
        [fact("hit", "Likes oolong.", bm25=2.0, cosine=0.3, pinned=True, at=NOW)], ("oolong",), NOW
    )
    assert (
        hit.why
        == "words 0.40 + meaning 0.15 + stated 0.12 + pinned 0.04 + own words 0.03 + recent 0.02"
    )
    assert hit.score == pytest.approx(0.76)


def test_a_clock_that_went_back_does_not_make_anything_more_recent_than_now():
    (hit,) = fuse([fact("hit", cosine=0.5, at=NOW + timedelta(days=900))], (), NOW)
    assert hit.parts["recent"] == ranking.RECENT


@given(
    st.lists(
        st.builds(
            Candidate,
            kind=st.sampled_from(["memory", "message"]),
            id=st.uuids().map(str),
            text=st.text(max_size=40),
            around=st.text(max_size=40),
            at=st.datetimes(timezones=st.just(UTC)),
            bm25=st.floats(0, 50),
            cosine=st.floats(-1, 1),
            misspelt=st.floats(0, 1),
            importance=st.integers(1, 5),
            pinned=st.booleans(),
            seq=st.integers(1, 9),
        ),
        max_size=8,
        unique_by=lambda one: one.id,
    )
)
def test_scores_are_ordered_and_bounded(candidates: list[Candidate]):
    scores = [hit.score for hit in fuse(candidates, ("tea",), NOW)]
    assert scores == sorted(scores, reverse=True)
    assert all(-0.02 <= score <= 2.4 for score in scores)


def test_a_short_text_is_its_own_excerpt():
    assert excerpt("Two\nlines.", ["lines"]) == "Two lines."


def test_an_excerpt_starts_where_most_words_are():
    text = "Nothing here. " * 40 + "The dog is called Rex. " + "Nothing there. " * 40
    cut = excerpt(text, ["dog", "rex"])
    assert cut.startswith("… The dog is called Rex.")
    assert len(cut) <= ranking.EXCERPT_CHARS


@given(st.text(), st.lists(st.text(min_size=1), max_size=3))
def test_an_excerpt_is_never_too_long(text: str, words: list[str]):
    assert len(excerpt(text * 20, words)) <= ranking.EXCERPT_CHARS
