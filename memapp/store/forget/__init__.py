"""Erasing for good inside one file: what is still to do (`purge_jobs`), finding it (`finding`), its
end (`erasing`), with that of consent requests (`consent_requests`), and the statements for the
columns in which words can stand (`columns`).

Works on the open file and on a copy of it alike. The files around it, and the proof, are
`store.text_traces`.
"""
