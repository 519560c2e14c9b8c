"""What memapp does; the screen, the command line and agents call it.

`turn` answers a message, `recall` finds what bears on it, `learning` reads what to keep of it, and
`memory_requests` carries out what it asks. `consent` lets the person decide; `curate`, `undo` and
`forget` (for good) act on memories; `upkeep` runs the `jobs` of idle time. `agents`, `trust` and
`write_gate` hold other programs to their permissions, `council` reviews an answer, `runs` and
`lessons` learn from commands. `models`, `imports`, `exports`, `sync`, `backups`, `chats`, `howtos`
and `preferences` are what their names say.

A package's `__init__` exports what the rest of memapp calls by name; its other modules are imported
as modules, where their name belongs to the call (`questions.ask`).
"""
