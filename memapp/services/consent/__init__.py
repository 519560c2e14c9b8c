"""Asks before the profile changes: values found about the person (`requests`) wait (`pending`)
until they decide (`decisions`).

The chat may ask them, too (`questions`). Nothing is decided anywhere else, but for what is to be
forgotten (`services.forget`).
"""
