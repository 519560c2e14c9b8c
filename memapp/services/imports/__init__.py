"""Bringing in what was exported, all of a file or nothing (`whole`): of memapp or of another program, read piece by piece
(`files`), also out of an archive (`archive`).

A file may be anybody's, also one that says it is memapp's own. So nothing that it holds was typed here, teaches anything or
counts as a signal, no decision about the profile comes in, and what the profile or a memory would say of the
person that only they can allow waits for their yes (`memories`).
"""
