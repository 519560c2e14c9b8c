"""Requests to the memory, “remember ...” or “forget ...”, carried out without a model.

`requests` reads and carries out, `remember` stores, `trash` moves to the trash;
`refused_sentences` tells what of a message was not kept, and keeps a sentence anyway.
"""
