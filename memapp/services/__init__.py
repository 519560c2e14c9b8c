"""What memapp does, one verb after the other; the screen, the command line and agents call it.

`turn` answers a message, `recall` finds what bears on it, `learning` keeps what it says, and
`memory_requests` carries out what it asks. `consent` lets the person decide, `curate`, `forget` and
`undo` act on memories, `upkeep` runs the `jobs` of idle time. `models`, `lessons`, `imports` and
`sync` are the other packages. Where a package's `__init__` exports verbs, that is its door.
"""
