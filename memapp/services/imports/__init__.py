"""Imports of exported files, all of a file or nothing (`import_file`).

A file passes through `files` and `archive` (its documents), `documents` with the readers of
`domain.foreign` (their items), `conversations` (chats) and `memories` (the rest).

Anybody may have written a file, also one that claims to be memapp's own. So nothing in it counts as
typed, teaches anything or is a signal, no decision about the profile is imported, and statements
only the person can allow wait for their yes (`memories`).
"""
