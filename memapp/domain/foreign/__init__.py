"""Exports of other programs: one small reader for each, behind the table in `programs`.

A reader gets one object of an export and yields its contents (`items`): conversations or pieces of
one, facts, and the kind of each part that is left out. To add a program, write a reader and add a
line to the table.
"""
