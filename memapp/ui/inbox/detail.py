"""One request to be read: the difference it would make first and largest, then why, and how long there is to answer."""

from datetime import datetime
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from memapp.domain.consent import FORGOTTEN
from memapp.domain.difference import words_changed
from memapp.domain.forget import ERASED
from memapp.domain.second_person import addressed
from memapp.ui.inbox.labels import expires, proposed_by, wrote
from memapp.ui.inbox.read_models import Quote, ShownRequest
from memapp.ui.inbox.value import ValueField
from memapp.ui.memories.labels import ago
from memapp.ui.safe import joined, plain
from memapp.ui.widgets.labels import moment

UNCHANGED = "Nothing was approved: you changed nothing. ctrl+s approves it as it is."
NO_VALUE = "a change was asked for without saying to what: e lets you write it"


class RequestView(VerticalScroll):
    """A request. It takes the focus only when it fills the screen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", "Down", show=False, id="case.down"),
        Binding("k", "scroll_up", "Up", show=False, id="case.up"),
    ]

    def __init__(self) -> None:
        super().__init__(id="request")
        self.field = ValueField("write what is right · enter approves it · esc leaves", unchanged=UNCHANGED)

    def compose(self) -> ComposeResult:
        yield Static(id="request-head", markup=False)
        yield Static(id="request-old", markup=False)
        yield Static(id="request-new", markup=False)
        yield self.field
        yield Static(id="request-why", markup=False)

    def show(self, shown: ShownRequest | None, now: datetime) -> None:
        """Show a request, or nothing."""
        for child in self.query_children(Static):
            child.display = shown is not None
        if shown is not None:
            old, new = difference(shown)
            self.query_one("#request-head", Static).update(_head(shown))
            self.query_one("#request-old", Static).update(old)
            self.query_one("#request-new", Static).update(new)
            self.tell_time(shown, now)

    def tell_time(self, shown: ShownRequest, now: datetime) -> None:
        """Bring what depends on the time up to date."""
        self.query_one("#request-why", Static).update(_why(shown, now))


def difference(shown: ShownRequest) -> tuple[Content, Content]:
    """Return what the profile says now and what it would say, each with its sign and word."""
    request = shown.request
    if request.field == FORGOTTEN:
        return joined(("- now   ", "bold"), "erased, at your wish"), joined(("+ then  ", "bold"), (shown.value, "bold"))
    old, new = Content(""), Content("")
    for piece in words_changed(shown.replaced, request.new_value):
        if piece.kind in ("same", "out"):
            old = joined(old, " " if old else "", (piece.text, "bold" if piece.kind == "out" else ""))
        if piece.kind in ("same", "in"):
            new = joined(new, " " if new else "", (piece.text, "bold" if piece.kind == "in" else ""))
    nothing = plain("nothing", "italic")
    return joined(("- now   ", "bold"), old or nothing), joined(("+ then  ", "bold"), new or plain(NO_VALUE, "italic"))


def _head(shown: ShownRequest) -> Content:
    rule = "sensitive: changes only with your yes" if shown.sensitive else "changes with your yes, or when you type it twice"
    return joined((shown.label, "bold $primary"), (f"   {rule}", "$text-muted"))


def _why(shown: ShownRequest, now: datetime) -> Content:
    request = shown.request
    asked = f"{proposed_by(request)}, {ago(request.created_at, now)}."
    parts = [
        joined(("It stays beside   ", "bold"), " · ".join(shown.beside), "\n") if shown.beside else None,
        joined(("Also waiting for this   ", "bold"), " · ".join(shown.also), ("\nA yes here settles it.\n", "$text-muted"))
        if shown.also
        else None,
        joined(("With a yes it also remembers", "$text-muted"), "\n", addressed(shown.memory), "\n") if shown.memory else None,
        joined(("Why   ⏎ goes to the message", "$text-muted"), *(_quote(one, now) for one in shown.quotes), "\n")
        if shown.quotes
        else joined(("Why", "$text-muted"), "\nThere is no message behind this any more.\n"),
        joined((asked, "$text-muted")),
        joined((expires(request, now), "bold $text-warning" if "TODAY" in expires(request, now) else "$text-muted")),
    ]
    return Content("\n").join(part for part in parts if part is not None)


def _quote(quote: Quote, now: datetime) -> Content:
    if quote.text.strip() == ERASED:
        return joined("\n", ("its words were erased", "italic"), (f" · {moment(quote.at, now)}", "$text-muted"))
    style = "$text-muted" if quote.wrote == "typed" else "bold $text-warning"
    return joined("\n“", quote.text.strip(), "”", (f"\n{wrote(quote.wrote)} · {moment(quote.at, now)}", style))
