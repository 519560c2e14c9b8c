"""The stage that a thread has reached, and how a checkpoint of another version is read."""

import pytest

from memapp.domain.checkpoint import Checkpoint, PrefetchedCall, Stage, read_checkpoint


def test_each_stage_adds_what_it_knows() -> None:
    at = Checkpoint(
        last_prediction="You will ask about tea.", prefetch=PrefetchedCall("p", ("tea",))
    )
    accepted = at.accepted("reply", 7)
    assert accepted == Checkpoint(
        Stage.ACCEPTED,
        "reply",
        7,
        last_prediction="You will ask about tea.",
        prefetch=PrefetchedCall("p", ("tea",)),
    )
    assert (accepted.is_unread("reply"), accepted.is_unread("another")) == (True, False)
    at = accepted.read()
    assert at == Checkpoint(Stage.READ, "reply", 7, last_prediction="You will ask about tea.")
    assert not at.is_unread("reply")
    at = at.predicted(["oolong", "tea"])
    assert (at.stage, at.needed_info) == (Stage.PREDICTED, ("oolong", "tea"))
    at = at.recalled(["one", "two"], 12)
    assert (at.stage, at.hits, at.revision) == (Stage.RECALLED, ("one", "two"), 12)
    assert at.replying().stage is Stage.REPLYING
    assert at.kept_for("reply") == ("oolong", "tea")
    assert at.kept_for("another") == ()


def test_what_is_known_when_a_message_comes_needs_no_call() -> None:
    before = Checkpoint(prefetch=PrefetchedCall("p", ("tea",)))
    assert before.accepted("reply", 1, ["tea"]) == Checkpoint(
        Stage.PREDICTED, "reply", 1, needed_info=("tea",)
    )
    assert before.accepted("reply", 1, is_read=True) == Checkpoint(Stage.READ, "reply", 1)


def test_of_a_turn_that_has_ended_nothing_is_resumed() -> None:
    at = Checkpoint().accepted("reply", 1, ["tea"]).recalled(["one"], 3).settled()
    assert at == Checkpoint(position=1, hits=("one",), revision=3)
    assert at.kept_for("reply") == ()
    assert at.with_prefetch("p", ["cake"]).prefetch == PrefetchedCall("p", ("cake",))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{}", Checkpoint()),
        ('{"open_turn":"reply"}', Checkpoint(open_turn="reply")),
        (
            '{"open_turn":null,"last_prediction":"Thanks.","prefetch":{"prediction_id":"p","needed_info":["tea"]}}',
            Checkpoint(last_prediction="Thanks.", prefetch=PrefetchedCall("p", ("tea",))),
        ),
        ('{"open_turn":"reply","stage":"dreaming"}', Checkpoint()),
        ('{"position":"many"}', Checkpoint()),
        ("[]", Checkpoint()),
        ('{"open_turn":"reply","something":"newer"}', Checkpoint(open_turn="reply")),
    ],
)
def test_another_versions_checkpoint_is_read_if_it_can_be(text: str, expected: Checkpoint) -> None:
    assert read_checkpoint(text) == expected
