"""Consent requests: profile values and sensitive memories wait for the person's decision.

`requests` proposes, `pending` lists, `decisions` decides, `questions` asks in the chat. Nothing
else decides, except `services.forget`.
"""
