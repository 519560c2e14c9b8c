"""Erasing for good inside one file: `purge_jobs` plans, `finding` searches, `erasing` deletes.

`consent_requests` erases requests, and `columns` has the statements for columns with words. All of
them work on the open file and on a copy alike. The files around it, and the proof, are
`store.text_traces`.
"""
