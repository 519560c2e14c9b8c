"""Erasing for good inside one file: what is still to do (`todo`), the columns that can hold words (`columns`), finding where
they do (`finding`), and their end (`erasing`).

Works on the open file and on a copy of it alike. The files around it, and the proof, are `store.traces`.
"""
