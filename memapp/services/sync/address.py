"""The address of a database, looked at before a passphrase is asked for."""

from contextlib import closing

from memapp.errors import UsageError
from memapp.runtime import Runtime
from memapp.services.sync import keyring, machines


def checked(
    runtime: Runtime, url: str, schema: str = machines.SCHEMA, *, begins: bool = False
) -> str:
    """Return the address of a database that answers and holds a memory to join, or none if one
    begins. Raises `UsageError` or `SyncError` for any other.
    """
    keyring.require_libraries()
    if machines.is_shared(runtime):
        raise UsageError(
            "This memory is shared already.",
            "To share it elsewhere, leave first: memapp sync leave.",
        )
    from memapp.sync.server import Server

    with closing(Server(url, schema)) as server:
        holds_memory = bool(server.find_memory())
    if begins and holds_memory:
        raise UsageError(
            "There is a memory in this database already.", "To share it: memapp sync join URL."
        )
    if not begins and not holds_memory:
        raise UsageError(
            "There is no memory in this database.", "To begin one: memapp sync init URL."
        )
    return url
