"""The drawer with the trace of the loop: expectation, surprise, needed information and memories."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from memapp.domain.activity import HitRates
from memapp.domain.memory import Recalled
from memapp.domain.prediction import Prediction
from memapp.language.labels import called
from memapp.services.chats import Trace
from memapp.ui.safe_text import joined, plain, row
from memapp.ui.widgets.labels import matched, rated


class LoopDrawer(VerticalScroll):
    """Five lines about a turn."""

    BINDING_GROUP_TITLE = "The loop"
    HELP = (
        "What memapp expected, needed and found for the last message. "
        "Up and down scroll, enter shows the scores, ctrl+t closes."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "details", "Details", id="loop.details", key_display="⏎"),
    ]

    def __init__(self) -> None:
        super().__init__(id="loop")
        self._trace: Trace | None = None
        self._detailed = False
        """True if scores and probabilities are shown."""

    def compose(self) -> ComposeResult:
        yield Static(markup=False, id="loop-text")

    def show(self, trace: Trace | None) -> None:
        """Update the drawer if it is open."""
        self._trace = trace
        if not self.screen.has_class("-loop"):
            return
        between = "\n" if self.screen.has_class("-narrow") else "\n\n"
        self.query_one("#loop-text", Static).update(
            Content(between).join(_lines(trace, self._detailed))
        )

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return (
            self._trace is not None
            if action == "details"
            else super().check_action(action, parameters)
        )

    def action_details(self) -> None:
        self._detailed = not self._detailed
        self.show(self._trace)


def _lines(trace: Trace | None, detailed: bool) -> list[Content]:
    keys = "^t closes" if trace is None else "^t closes · tab, ⏎ more"
    parts = [joined(("The loop", "bold"), (f"   {keys}", "$text-muted"))]
    if trace is None:
        parts.append(
            plain(
                "Before each answer memapp predicts what you will say, and names what to look up.",
                "$text-muted",
            )
        )
        parts.append(plain("Send something to see it at work.", "$text-muted"))
        return parts
    source = called("needed_from", trace.source, "")
    parts += [
        _part("It expected", _expected(trace.expected, detailed)),
        _part(
            "It needed" + source, plain(" · ".join(trace.needed_info) or "nothing in particular")
        ),
        _part("It found", _found(trace.hits, detailed)),
        _part("It expects next", plain(trace.expects or "—")),
    ]
    if detailed and trace.guesses.as_predicted.of:
        parts.append(_part("Its last predictions", _guesses(trace.guesses)))
    return parts


def _guesses(guesses: HitRates) -> Content:
    rates = {
        "came as predicted": guesses.as_predicted,
        "only on the same topic": guesses.same_topic,
    }
    return plain(
        "\n".join(
            f"{rate.held} of {rate.of} {what} ({rate.share or 0:.0%})"
            for what, rate in rates.items()
        )
    )


def _part(title: str, body: Content) -> Content:
    return joined((title, "bold $primary"), "\n", body)


def _expected(expected: Prediction | None, detailed: bool) -> Content:
    if expected is None:
        return plain("nothing yet")
    if expected.surprised is None:
        return plain(expected.text)
    held = (
        ("✓ as predicted", "$success")
        if expected.as_predicted
        else ("✓ the same topic", "$text-muted")
    )
    verdict = ("! surprised", "$warning") if expected.surprised else held
    return joined(
        expected.text,
        "\n",
        verdict,
        (f" · {expected.why}" if detailed and expected.why else "", "$text-muted"),
    )


def _found(hits: tuple[Recalled, ...], detailed: bool) -> Content:
    if not hits:
        return plain("nothing it knows of")
    return Content("\n").join(
        joined(
            (f"[{number}] ", "$accent"),
            row(hit.text, 70),
            (f"\n    it {matched(hit.why)}", "$text-muted"),
            (f"\n    {hit.why} = {rated(hit.score)}" if detailed else "", "$text-muted"),
        )
        for number, hit in enumerate(hits, start=1)
    )
