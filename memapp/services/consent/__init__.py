"""Consent requests: profile values and sensitive memories are pending until the person decides.

`requests` proposes what the person said, `proposals` what a program says; `pending` lists,
`decisions` decides, `past_decisions` reverts, `questions` asks in the chat. Nothing else decides,
except that `requests` applies a benign value typed twice, and `services.forget` erases.
"""
