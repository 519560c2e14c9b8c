"""Bringing in what was exported, all of it or nothing (`whole`). The way of a file: its documents
(`files`, `archive`), what each holds (`documents`, with the readers of `domain.foreign`),
conversations as chats (`conversations`), and the rest (`memories`).

A file may be anybody's, also one that says it is memapp's own. So nothing that it holds was typed
here, teaches anything or counts as a signal, no decision about the profile comes in, and what the
profile or a memory would say of the person that only they can allow waits for their yes
(`memories`).
"""
