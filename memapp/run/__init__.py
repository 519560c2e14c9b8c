"""Run commands outside the app and learn from their failures: `memapp run` and `memapp hook agent`.

Nothing is imported here: a command that succeeds must not wait for the rest of memapp.
"""
