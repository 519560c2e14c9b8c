"""Chats from the command line: list, show, search, export, import, rm, restore, purge."""

from pathlib import Path
from typing import Any, Literal

import click

from memapp.cli.options import FILE, ListingGroup, as_json_option, limit_option, reads, yes_option
from memapp.cli.output import Output, listing, opened, refuse_own, say, short_ids, show, when
from memapp.cli.trash import erased
from memapp.domain.chat import Thread
from memapp.domain.text import counted
from memapp.errors import NeedsYes
from memapp.runtime import Runtime
from memapp.services import chat_files, exports, forget, global_search, id_lookup
from memapp.services import chats as service


@click.group(cls=ListingGroup)
def chats() -> None:
    """List, show, search, export, import and delete chats."""


@chats.command("list")
@click.option(
    "--deleted", is_flag=True, help="Deleted chats, and the earliest day of their erasure."
)
@limit_option(50)
@reads
def list_(runtime: Runtime, deleted: bool, limit: int) -> Output:
    """List chats, newest first."""
    name = short_ids(runtime, "threads")

    def row(thread: Thread) -> dict[str, str]:
        times = {"when": when(thread.updated_at)}
        if gone := thread.deleted_at:
            times = {"since": when(gone), "until": when(runtime.purge_at(gone))}
        return {"id": name(thread.id), **times, "persona": thread.persona, "title": thread.title}

    threads = service.list_threads(runtime, limit=limit + 1, deleted=deleted)
    return listing(
        threads, row, "No chat was deleted." if deleted else "There are no chats yet.", limit
    )


@chats.command("show")
@click.argument("chat_id", metavar="ID")
@as_json_option
@click.pass_obj
def show_(options: dict[str, Any], chat_id: str, as_json: bool) -> None:
    """Show a whole chat."""
    _export(options, chat_id, "json" if as_json else "md")


@chats.command("search")
@click.argument("query", nargs=-1, required=True)
@limit_option(20)
@reads
def search(runtime: Runtime, query: tuple[str, ...], limit: int) -> Output:
    """Search the messages of all chats."""
    name = short_ids(runtime, "threads")
    return listing(
        global_search.find(runtime, " ".join(query), limit, kinds=("message",)),
        lambda hit: {
            "chat": name(hit.thread_id),
            "when": when(hit.at),
            "text": hit.snippet,
            "beside": hit.beside,
        },
        "Nothing found.",
    )


@chats.command("export")
@click.argument("chat_id", metavar="ID")
@click.option(
    "--format", "form", type=click.Choice(["md", "json"]), default="md", show_default=True
)
@click.option("-o", "--output", type=FILE, help="The file to write; otherwise standard output.")
@click.pass_obj
def export(
    options: dict[str, Any], chat_id: str, form: Literal["md", "json"], output: Path | None
) -> None:
    """Write a chat as Markdown or JSON."""
    _export(options, chat_id, form, output)


@chats.command("import")
@click.argument("file", type=FILE)
@click.option(
    "--persona",
    default="companion",
    show_default=True,
    help="The persona that answers from now on.",
)
@click.pass_obj
def import_(options: dict[str, Any], file: Path, persona: str) -> None:
    """Import an old save with a conversation_history as a chat.

    memapp learns nothing from the chat.
    """
    with opened(options) as runtime:
        thread, count = chat_files.import_save(runtime, file, persona)
    say(
        f"Imported {counted(count, 'message')}."
        if count
        else "This save has no conversation in it: the new chat is empty."
    )
    say("Imported chats are conversation only: memapp learns no facts from them.")
    show(thread.id)


@chats.command("rm")
@click.argument("chat_ids", metavar="ID...", nargs=-1, required=True)
@click.pass_obj
def rm(options: dict[str, Any], chat_ids: tuple[str, ...]) -> None:
    """Delete chats; `memapp chats restore` brings them back."""
    with opened(options) as runtime:
        for chat_id in [id_lookup.chat(runtime, part) for part in chat_ids]:
            thread = service.get_thread(runtime, chat_id)
            service.delete_thread(runtime, chat_id)
            say(f"Deleted {thread.title!r}. To undo: memapp chats restore {chat_id}")


@chats.command("restore")
@click.argument("chat_ids", metavar="ID...", nargs=-1, required=True)
@click.pass_obj
def restore(options: dict[str, Any], chat_ids: tuple[str, ...]) -> None:
    """Restore deleted chats."""
    with opened(options) as runtime:
        for chat_id in [id_lookup.chat(runtime, part) for part in chat_ids]:
            service.restore_thread(runtime, chat_id)
            say(f"Restored {service.get_thread(runtime, chat_id).title!r}.")


@chats.command("purge")
@click.argument("chat_ids", metavar="ID...", nargs=-1, required=True)
@yes_option
@as_json_option
@click.pass_obj
def purge(options: dict[str, Any], chat_ids: tuple[str, ...], yes: bool, as_json: bool) -> None:
    """Erase chats for good, deleted or not. What memapp learned from them stays."""
    with opened(options, read_only=not yes) as runtime:
        chosen = list(dict.fromkeys(id_lookup.chat(runtime, part) for part in chat_ids))
        titles = ", ".join(repr(service.get_thread(runtime, chat_id).title) for chat_id in chosen)
        warning = NeedsYes(
            f"This would erase for good: {titles}. What memapp learned there stays.",
            "Add --yes to do it.",
        )
        answer = (
            erased(forget.purge_chats(runtime, chosen))
            if yes
            else Output({"chats": len(chosen)}, error=warning)
        )
    answer.write(as_json)


def _export(
    options: dict[str, Any], chat_id: str, form: Literal["md", "json"], output: Path | None = None
) -> None:
    with opened(options, read_only=True) as runtime:
        text = chat_files.export_thread(runtime, id_lookup.chat(runtime, chat_id), form)
        if output is not None:
            refuse_own(options, output)
            exports.write_private(runtime, output, [text])
    if output is None:
        show(text, newline=False)
        return
    say(f"Written to {output}.")
