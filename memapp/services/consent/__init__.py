"""Asking first: what was noticed about the person (`proposals`) waits (`pending`) until they decide (`decisions`).

The chat may ask them, too (`questions`). Nothing is decided anywhere else, but for what is to be forgotten
(`services.forget`).
"""
