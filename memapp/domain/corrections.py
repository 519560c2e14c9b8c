"""What somebody says in place of what they take back: `my name isn't Bob, it's Rob` says that it is Rob."""

import re

_INSTEAD = re.compile(
    r"\b(?P<be>(?P<it>is)|am|are|(?<=i)'m)(?: not|n't) [^\s,.;:!?]+(?: [^\s,.;:!?]+){0,3}?"
    r"(?: but(?: rather)?(?! (?:i|it|he|she|we|you|they|my|the)\b)"
    r"|[,;]? (?:but )?(?(it)(?:it's|its|it is)|(?:i'm|i am|they're|they are))) (?=\w)",
    re.IGNORECASE,
)
_AGAIN = re.compile(r"\b((?:no|nope|sorry|wait|actually)\b[,.! ]*) i (?:said|meant|mean)(?: that)?\b:?", re.IGNORECASE)
_NO_LONGER = re.compile(r"\b(I) no longer (?=\w)|\b(am|is|are) no longer (?=\w)", re.IGNORECASE)


def corrected(text: str) -> str:
    """Return the text, as long as before, without what it takes back in the same breath, and with `not` for `no longer`."""
    text = text.replace("’", "'")
    text = _AGAIN.sub(lambda found: found[1].ljust(len(found[0])), text)
    text = _INSTEAD.sub(lambda found: found["be"].ljust(len(found[0])), text)
    return _NO_LONGER.sub(lambda found: (f"{found[1]} do not " if found[1] else f"{found[2]} not ").ljust(len(found[0])), text)
