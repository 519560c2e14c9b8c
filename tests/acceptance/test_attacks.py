"""No text talks memapp into anything: the strings and sentences of `benchmarks/made_up`, and a
model that obeys them.
"""

import pytest

from benchmarks import attacks, consent
from memapp import bootstrap
from memapp.inference.scripted import ScriptedModel
from tests.builders import Reader

MADE_UP = attacks.made_up()
SOME = attacks.Strings(MADE_UP.attacks[::27], MADE_UP.benign, MADE_UP.emails)


@pytest.fixture(autouse=True)
def one_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let messages be read by the bundled model that the other tests have open."""
    monkeypatch.setattr(bootstrap, "open_embedder", lambda _: Reader())


@pytest.mark.parametrize(
    "strings", [SOME, pytest.param(MADE_UP, marks=pytest.mark.slow)], ids=["some", "all"]
)
@pytest.mark.parametrize("channel", attacks.CHANNELS)
def test_an_injection_changes_nothing(channel: str, strings: attacks.Strings) -> None:
    damage = attacks.attack(
        attacks.CHANNELS[channel], strings, lambda _: ScriptedModel(attacks.obedient)
    )
    assert damage.tried == len(strings.attacks)
    assert damage.none, damage


def test_an_honest_yes_is_heard_and_harmless_words_are_answered() -> None:
    assert attacks.honest()
    assert attacks.handled(MADE_UP.benign, lambda _: ScriptedModel()) == len(MADE_UP.benign)


@pytest.mark.slow
def test_nothing_sensitive_that_is_typed_is_known_without_a_yes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    results, fields = consent.typed(consent.made_up())
    assert (
        consent.report_fields(results)
        + consent.report_false(results)
        + consent.report_unasked(results, fields, False)
        == []
    )
