"""One consent request: first and largest the difference, then the reason and the deadline."""

from datetime import datetime, timedelta
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from memapp.domain.changes import CLIENT
from memapp.domain.chat import Message
from memapp.domain.consent import CHAT, CONFLICT, FACT, FORGOTTEN, HOWTO, RUBRIC, ConsentRequest
from memapp.domain.difference import words_changed
from memapp.domain.forget import ERASED
from memapp.domain.text import around
from memapp.language.history import who
from memapp.language.instructions import is_instruction
from memapp.ui.inbox.read_models import Shown, ShownFile, ShownRequest
from memapp.ui.safe_text import joined, plain
from memapp.ui.widgets.labels import ago, left, moment

NO_VALUE = "a change was asked for without saying to what: e lets you write it"
PROPOSERS = {
    "import": "It came with an import",
    "undo": "You undid a decision",
    "person": "You wrote it",
}
NOW = {
    FORGOTTEN: "erased, at your wish",
    FACT: "not known",
    CHAT: "quoted in no other chat",
    HOWTO: "not written down",
}
"""The present state for requests that change no profile value."""
QUOTE_CHARS = 240
NEWER_OR_BOTH = "a keeps the newer, d keeps both, e lets you write what holds"


class RequestView(VerticalScroll):
    """The consent request to read. The view takes the focus only when it fills the screen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", "Down", show=False, id="case.down"),
        Binding("k", "scroll_up", "Up", show=False, id="case.up"),
    ]

    def __init__(self) -> None:
        super().__init__(id="request")

    def compose(self) -> ComposeResult:
        yield Static(id="request-head", markup=False)
        yield Static(id="request-old", markup=False)
        yield Static(id="request-new", markup=False)
        yield Static(id="request-why", markup=False)

    def show(self, shown: Shown | None, now: datetime) -> None:
        for child in self.query_children(Static):
            child.display = shown is not None
        if isinstance(shown, ShownFile):
            self.query_one("#request-head", Static).update(_head_of_file(shown))
            self.query_one("#request-old").display = self.query_one("#request-new").display = False
            self.tell_time(shown, now)
        elif shown is not None:
            old, new = difference(shown)
            self.query_one("#request-head", Static).update(_head(shown))
            self.query_one("#request-old", Static).update(old)
            self.query_one("#request-new", Static).update(new)
            self.tell_time(shown, now)

    def tell_time(self, shown: Shown, now: datetime) -> None:
        """Update the parts that depend on the time."""
        why = _why_file(shown, now) if isinstance(shown, ShownFile) else _why(shown, now)
        self.query_one("#request-why", Static).update(why)


def difference(shown: ShownRequest) -> tuple[Content, Content]:
    """Return the present and the proposed value, each with a sign and a word."""
    request = shown.request
    if request.field in NOW:
        now = request.old_value or NOW[request.field]
        return joined(("- now   ", "bold"), now), joined(
            ("+ then  ", "bold"), (shown.value, "bold")
        )
    if request.field == CONFLICT:
        return joined(("- older ", "bold"), request.old_value), joined(
            ("+ newer ", "bold"), (shown.value, "bold")
        )
    old, new = Content(""), Content("")
    for piece in words_changed(shown.replaced, request.new_value):
        if piece.kind in ("same", "out"):
            old = joined(
                old, " " if old else "", (piece.text, "bold" if piece.kind == "out" else "")
            )
        if piece.kind in ("same", "in"):
            new = joined(
                new, " " if new else "", (piece.text, "bold" if piece.kind == "in" else "")
            )
    nothing = plain("nothing", "italic")
    return joined(("- now   ", "bold"), old or nothing), joined(
        ("+ then  ", "bold"), new or plain(NO_VALUE, "italic")
    )


def _head_of_file(shown: ShownFile) -> Content:
    return joined(
        (shown.value, "bold $primary"), ("   nothing of it is used before your yes", "$text-muted")
    )


def _why_file(shown: ShownFile, now: datetime) -> Content:
    file = shown.file
    more = file.facts + file.chats - len(shown.first)
    parts = [
        joined(("\nIt says   ⏎ opens the list, to decide one by one", "$text-muted")),
        *(joined("· ", statement) for statement in shown.first),
        joined((f"and {more:,} more\n" if more else "", "$text-muted")),
        joined((f"It came with an import, {ago(file.created_at, now)}.", "$text-muted")),
        _end(file.expires_at, now),
    ]
    return Content("\n").join(parts)


def _head(shown: ShownRequest) -> Content:
    rule = (
        "sensitive: changes only with your yes"
        if shown.sensitive
        else "changes with your yes, or when you type it twice"
    )
    rule = "not used before your yes" if shown.request.field in (FACT, CHAT) else rule
    rule = "changes only with your yes" if shown.request.field == RUBRIC else rule
    rule = NEWER_OR_BOTH if shown.request.field == CONFLICT else rule
    rule = "written down with your yes; no chat reads it" if shown.request.field == HOWTO else rule
    return joined((shown.label, "bold $primary"), (f"   {rule}", "$text-muted"))


def _why(shown: ShownRequest, now: datetime) -> Content:
    request = shown.request
    if request.field == CONFLICT:
        time = left(max(timedelta(), request.expires_at - now))
        noticed = f"Both are in your memory. memapp noticed that {ago(request.created_at, now)}."
        end = f"Unanswered, both stay as they are, in {time}."
        return joined(
            (
                f"\n{noticed}\n{end}",
                "$text-muted",
            )
        )
    by_agent = request.proposer.startswith(CLIENT)
    read = (
        f"{who(request.proposer).capitalize()} proposed it"
        if by_agent
        else f"Read in a chat by {who(request.proposer)}"
    )
    proposed = PROPOSERS.get(request.proposer, read)
    proposed = "Three of your corrections name it" if request.field == RUBRIC else proposed
    quotes = [_quote(message, request.new_value, now) for message in shown.messages]
    why, missing = (
        ("Why   ⏎ goes to the message", "")
        if quotes
        else ("Why", "\nThere is no message behind this any more.")
    )
    trusted = f": {shown.trusted}" if shown.trusted else ""
    parts = [
        *(
            []
            if (request.file_id or by_agent or request.field == RUBRIC) and not quotes
            else [joined((why, "$text-muted"), missing, *quotes, "\n")]
        ),
        joined(
            (
                f"{proposed}, {ago(request.created_at, now)}{trusted}.",
                "$text-muted",
            )
        ),
        _end(request.expires_at, now),
    ]
    if by_agent:
        parts[:0] = _of_agent(request)
    if shown.memory:
        head = "It will say" if request.field == HOWTO else "With a yes it also remembers"
        parts.insert(0, joined((head, "$text-muted"), "\n", shown.memory, "\n"))
    if shown.also:
        settled = ("\nA yes here settles it.\n", "$text-muted")
        parts.insert(0, joined(("Also pending   ", "bold"), " · ".join(shown.also), settled))
    if shown.beside:
        parts.insert(0, joined(("It stays beside   ", "bold"), " · ".join(shown.beside), "\n"))
    return Content("\n").join(parts)


def _of_agent(request: ConsentRequest) -> list[Content]:
    """Return the quote of another program, which nobody checked, with a warning."""
    parts = []
    if is_instruction(request.new_value) or is_instruction(request.quote):
        parts.append(
            plain(
                "! It reads like an instruction to a model, not like a fact about you.\n",
                "bold $text-warning",
            )
        )
    if request.quote:
        parts.append(joined(("It says that you said\n", "$text-muted"), f"“{request.quote}”\n"))
    return parts


def _end(expires_at: datetime, now: datetime) -> Content:
    end = expires(expires_at, now)
    return joined((end, "bold $text-warning" if "TODAY" in end else "$text-muted"))


def expires(expires_at: datetime, now: datetime) -> str:
    """Return how long a request can be answered; a later yes does not count."""
    time = max(timedelta(), expires_at - now)
    today = "" if time.days else ", TODAY"
    return f"A yes counts for {left(time)} more{today}; unanswered, it is a no."


def _quote(message: Message, value: str, now: datetime) -> Content:
    """Return the part of a message around the value, with its author."""
    at = (f" · {moment(message.created_at, now)}", "$text-muted")
    if message.text.strip() == ERASED:
        return joined("\n", ("its words were erased", "italic"), at)
    wanted = value.casefold()
    place = max(0, message.text.casefold().find(wanted))
    text = around(message.text, place, QUOTE_CHARS, QUOTE_CHARS // 3).strip()
    if message.typed_text and (wanted in message.typed_text.casefold() or not message.pasted):
        wrote, style = "you typed it", "$text-muted"
    else:
        wrote, style = (
            "! in text that you pasted" if message.pasted else "! not typed by you",
            "bold $text-warning",
        )
    return joined("\n“", text, "”", (f"\n{wrote}{at[0]}", style))
