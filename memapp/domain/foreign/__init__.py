"""Exports of other programs: one small reader for each, behind the table in `programs`.

A reader gets one object of an export and yields what is in it (`found`): conversations or pieces of
one, facts, and by its kind what it leaves out. To add a program: write its reader, and add its line
to the table.
"""
