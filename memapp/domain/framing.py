"""What stands around a statement and is no part of it: who told it, that it turned out, `to be honest`, the other half of `we`.

And what somebody says in place of what they take back: `my name isn't Bob, it's Rob` says that it is Rob. What is left is a
plain first-person statement, with every word that stays in its place. A frame is taken off only where the
statement begins with it, and only one that leaves the statement as sure as it was: `my doctor says`, never `my friend thinks`.
"""

import re
from functools import cache

from memapp.domain.english import word_set
from memapp.domain.salience.word_tables import ANIMALS, HOMES

_INSTEAD = (
    r"\b(?P<be>(?P<it>is)|am|are|(?<=i)'m)(?: not|n't) [^\s,.;:!?]+(?: [^\s,.;:!?]+){0,3}?"
    r"(?: but(?: rather)?(?! (?:i|it|he|she|we|you|they|my|the)\b)"
    r"|[,;]? (?:but )?(?(it)(?:it's|its|it is)|(?:i'm|i am|they're|they are))) (?=\w)"
)
_AGAIN = r"\b((?:no|nope|sorry|wait|actually)\b[,.! ]*) i (?:said|meant|mean)(?: that)?\b:?"
_NO_LONGER = r"\b(I) no longer (?=\w)|\b(am|is|are) no longer (?=\w)"
_FAMILY = word_set("kid kids child children son sons daughter daughters twins triplets grandchild grandchildren baby babies")
_MORE = r"(?:(?:just|only|also|recently|actually|now|always|finally|once|both|all|still|really|already|have|'ve) ){0,3}"
_OPENS = (
    r"(?:^|(?<=[.!?;\n])|(?<=,)(?= (?:and|but|so|because)\b))"
    r"(?P<gap>[ \t]{0,4}(?:(?:and|but|so|well|yes|yeah|no|oh|hi|hey|ok|okay|sorry|because),? ){0,3})"
)
_ABOUT_ME = r"(?=(?:I|my)\b)"
_HEALER = (
    r"(?:doctor|doc|gp|dentist|physician|surgeon|paediatrician|pediatrician|therapist|psychiatrist|psychologist|nurse|midwife|"
    r"optician|specialist|dietician|dietitian|physio(?:therapist)?|consultant|\w{4,}ologist)s?"
)
_TESTS = r"(?:(?:blood|allergy|medical|genetic|eye|hearing) )?(?:tests?|scans?|results|x-rays?|bloodwork)"
_BY_HEALER = (
    rf"(?:(?:my|our|the|a) )?(?:new |family )?{_HEALER} {_MORE}(?:says?|said|tells? me|told me|confirm(?:s|ed)|found(?: out)?)"
    rf"|(?:my|the) {_TESTS} {_MORE}(?:says?|said|shows?|showed|confirm(?:s|ed)|found)"
    rf"|I (?:was|have been|'ve been) told by (?:my|the|a) {_HEALER}|according to (?:my|the) (?:{_HEALER}|{_TESTS}),?"
)
_LEAD = (
    rf"apparently,?|(?:as )?(?:it )?(?:just |has |had )?turn(?:s|ed) out"
    rf"|I(?: have|'ve)? {_MORE}(?:found out|discovered|learnt|learned|reali[sz]ed)"
    r"|to be (?:perfectly |completely |totally |quite )?(?:honest|fair|frank)(?: with you)?|if (?:I am|I'm) honest"
    r"|to tell (?:you )?the truth|truth be told|in all honesty|not gonna lie|as it happens|as a matter of fact"
    r"|believe it or not|by the way|just so you know|for your information|guess what|funnily enough|fun fact|you know what"
)
_FRAME_ENDS = rf"(?: that)?[ \t]*[,:!–-]?[ \t]*{_ABOUT_ME}"
_FRAMES = rf"{_OPENS}(?P<frame>(?:{_BY_HEALER}|{_LEAD}){_FRAME_ENDS})"
_TOLD = rf"{_OPENS}(?:{_BY_HEALER}){_FRAME_ENDS}(?P<told>[^.!?;\n]+)"
_LIKING = r"(?:(?:really|absolutely|truly|most) )?(?:love|like|enjoy|hate|dislike|prefer|adore)"
_CLEFT = (
    rf"{_OPENS}(?P<what>what |the (?:one |only )?thing (?:that )?)(?P<liking>I {_LIKING})"
    r"(?P<be>(?: (?:the )?(?:most|best|more than anything))? is )(?!that\b|how\b|when\b|to\b)"
)
_HAPPEN = r"\bI happen to (?P<be>be\b)?"
_FOR_ONESELF = (
    r"\bI(?:'ve| have)? (?:just |recently |finally )?(?:got|bought|built|made|found|adopted|treated)"
    r"(?P<self> myself(?: to)?) (?=an?|two|three|some)"
)
_HOUSEHOLD = rf"(?:{'|'.join(sorted(ANIMALS | HOMES | _FAMILY))})"
_WE = (
    rf"{_OPENS}we(?P<both>(?: both| all)?)(?=(?:'ve| {_MORE}(?:have|own|keep|adopted|bought|raise|rent))\b(?! to\b| not\b)"
    rf"(?: [\w'-]+){{0,5}}? {_HOUSEHOLD}\b| {_MORE}live (?:in|near|on|outside|close to) (?:(?:an?|the) )?(?:[\w-]+ ){{0,2}}?"
    rf"(?:(?:{_HOUSEHOLD}|village|town|suburbs?|countryside)\b|(?-i:[A-Z])\w))"
)
_WE_ARE = (
    rf"{_OPENS}we(?P<are>'re| are)(?P<both>(?: both| all)?)(?= (?:(?:vegan|vegetarian|engaged|married|getting married|"
    rf"from (?-i:[A-Z])\w+"
    r"|(?:moving to|living in|based in) (?-i:[A-Z])\w+)(?! (?:as|with)\b)\b|expecting (?:a|another|our|twins)\b))"
)
_AM = {"'re": "'m ", " are": " am "}
_SELF_TAUGHT = r"\bI(?P<have>'ve| have)? taught myself(?: how)?(?= \w)"
_MUST_BE = r"(?P<what>\bmy favou?rite (?:[\w-]+ ){0,2}?[\w-]+)(?:'s got to|'s gotta| has (?:got )?to| must| would have to) be\b"
_CHAT_WORDS = (
    r"btw|atm|tbh|rn|fyi|ngl|imo|imho|ofc|lol|lmao|haha\w*|by the way|at the moment|to be honest|just so you know|"
    r"for the record|just saying|if you must know|for what it's worth|ugh|"
    r"yuck|sigh|ew+|for my sins|hands down|no contest|go figure|sue me|fight me|what can I say|can't help it|sorry not sorry|"
    r"no offen[cs]e|no judg\w+|(?:please |so |and )?(?:don't|do not) (?:judge|laugh|hate|ask|worry)\b[^,.!?;\n]{0,30}"
)
_TAIL = rf"(?<=\w)(?:,? +(?:{_CHAT_WORDS}))+ {{0,3}}(?=$|[.,!?;)\n])"
_ASIDE = (
    r"(?P<said>\bI\b[^,.!?;\n]{3,80}),(?= (?:tastes|smells|sounds|looks|feels|makes me|gives me|reminds me|drives me|"
    r"helps me|keeps me)\b)[^,.!?;\n]*(?=$|[.!?;\n])"
)
"""A clause without a subject behind what `I` do is not about me."""
_OUR = rf"{_OPENS}our(?= (?:[\w-]+ ){{0,2}}?{_HOUSEHOLD}\b)"
_JOKE = (
    r"(?:(?:no|nah|sorry|ok|okay|oops|haha\w*|lol|well|actually),? ){0,3}(?:"
    r"(?:(?:I am|I'm|im|I was|was) )?(?:(?:just|only) )?(?:kidding|joking|teasing|lying|pulling your leg)|j/?k|(?:just )?a joke|"
    r"(?:that|this|it) was (?:(?:just|only|all) )?a (?:(?:small|little|white|complete) )?(?:lie|joke|fib|prank)|"
    r"I (?:just )?(?:lied|made (?:that|it|this|all that) (?:all )?up)|scratch that|forget (?:that )?I said that)"
    r"(?:,? (?:about (?:that|it|the [\w' -]{1,40})|sorry|haha\w*|lol|before|earlier|just now|there)){0,2}"
)
_JOKED = rf"(?:^|(?<=[.!?,;)\n–-])|(?<=\blol)|(?<=\bhaha))[ \t]{{0,4}}(?:but )?{_JOKE}[ \t]{{0,4}}(?=$|[.!?,;:)\n])"


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile at the first message, not at the start of the program."""
    return re.compile(pattern, re.IGNORECASE | re.MULTILINE)


def unwrap(text: str) -> str:
    """Return the text, as long as before, without what it takes back and without what stands around its statements."""
    text = _compiled(_AGAIN).sub(lambda found: found[1].ljust(len(found[0])), text.replace("’", "'"))
    text = _compiled(_INSTEAD).sub(lambda found: found["be"].ljust(len(found[0])), text)
    text = _compiled(_NO_LONGER).sub(
        lambda found: (f"{found[1]} do not " if found[1] else f"{found[2]} not ").ljust(len(found[0])), text
    )
    jokes = [*_compiled(_JOKED).finditer(text)]
    if jokes:
        text = "\n" * jokes[-1].end() + text[jokes[-1].end() :]
    text = _compiled(_TAIL).sub(lambda found: " " * len(found[0]), text)
    text = _compiled(_ASIDE).sub(lambda found: found["said"].ljust(len(found[0])), text)
    text = _compiled(_FRAMES).sub(lambda found: found["gap"] + "\n" * len(found["frame"]), text)
    text = _compiled(_CLEFT).sub(
        lambda found: found["gap"] + "\n" * len(found["what"]) + found["liking"] + " " * len(found["be"]), text
    )
    text = _compiled(_HAPPEN).sub(lambda found: ("I am" if found["be"] else "I").ljust(len(found[0])), text)
    text = _compiled(_FOR_ONESELF).sub(lambda found: found[0][: -len(found["self"]) - 1] + " " * (len(found["self"]) + 1), text)
    text = _compiled(_WE).sub(lambda found: f"{found['gap']} I{' ' * len(found['both'])}", text)
    text = _compiled(_WE_ARE).sub(lambda found: f"{found['gap']} I{_AM[found['are'].lower()]}{' ' * len(found['both'])}", text)
    text = _compiled(_SELF_TAUGHT).sub(lambda found: f"I{found['have'] or ''} learned".ljust(len(found[0])), text)
    text = _compiled(_MUST_BE).sub(lambda found: f"{found['what']} is".ljust(len(found[0])), text)
    return _compiled(_OUR).sub(lambda found: f"{found['gap']} my", text)


def told_by_healers(text: str) -> list[str]:
    """Return what doctors or tests are said to have told the person about themselves: of health, whatever its words are."""
    return [found["told"] for found in _compiled(_TOLD).finditer(text.replace("’", "'"))]


def takes_back(text: str) -> bool:
    """Say whether a message says of the one before it that it was a joke or a lie, and no more."""
    return _compiled(rf"\s*{_JOKE}[\s.!)]*").fullmatch(text.replace("’", "'")) is not None
