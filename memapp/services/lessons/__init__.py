"""Lessons: what a failed command and the one that worked teach.

`capture` learns one, `before_run` and `hints` show it, `judge` counts if it helps, `curate` is the
person's hand, `browse` and `recall` look lessons up. Modules are imported one by one: a hint after
a failed command loads nothing else.
"""
