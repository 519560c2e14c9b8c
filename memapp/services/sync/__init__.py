"""One memory on all of a person's machines: each has its whole file, and what changed travels
encrypted through a database.

`keyring` holds the keys, `exchange` fetches, `sending` sends, `machines` begins and ends it.
Nothing here is loaded, and nothing connects, before the person ran `memapp sync init` or `join`.
"""
