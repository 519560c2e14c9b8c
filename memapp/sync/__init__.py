"""The way to the person's other machines: the keys, and the database between them. It needs the
extra `memapp[sync]`.
"""
