"""Which field of the profile a remembered sentence may be about, where no statement with an exact value is read in it.

It would rather ask once too often: what it finds waits for the person's yes.
"""

import re
from dataclasses import dataclass
from functools import cache

from memapp.domain.profile import stated_by

_TOPICS = {
    "health": (
        r"diagnos\w+|tested positive|hiv|cancer|tumou?rs?|leuka?emia|diabet\w+|asthma\w*|epilep\w+|seizures?|depress\w+|anxiety|"
        r"panic (?:attacks?|disorder)|suicid\w+|self-?harm\w*|bipolar|schizo\w+|autis\w+|asperger\w*|adhd|ocd|ptsd|trauma|"
        r"psychos[ie]s|psychiatr\w+|psychotherap\w+|therap(?:y|ists?)|counsell?(?:or|ing)|burn-?out|anorexi\w+|bulimi\w+|"
        r"eating disorder|alcoholi\w+|aa meetings?|sober|addictions?|addicts?|relapsed?|overdosed?|rehab\w*|methadone|detox|"
        r"drugs|cocaine|heroin|medications?|meds|pills|insulin|antidepressants?|painkillers|inhaler|chemo\w*|radiotherapy|"
        r"dialysis|"
        r"transplant|pacemaker|surgery|hospitali[sz]ed|in (?:the )?hospital|wheelchair|crutches|prosthe\w+|hearing aids?|"
        r"disab(?:led|ility|ilities)|amput\w+|paraly[sz]ed|blind(?! dates?| to)|deaf|pregnan\w+|miscarriages?|abortions?|ivf|"
        r"infertil\w+|menopaus\w+|allerg\w+|intoleran\w+|arthritis|migraines?|insomnia|apno?ea|hepatitis|herpes|chlamydia|"
        r"syphilis|stds?|lupus|sclerosis|parkinson\w*|alzheimer\w*|dementia|co?eliac|crohn\w*|colitis|ibs|endometriosis|pcos|"
        r"fibromyalgia|chronic|covid|tuberculosis|psoriasis|eczema|glaucoma|tinnitus|thyroid|kidney (?:disease|stones?|failure)|"
        r"heart (?:attack|condition|disease|failure)|had a stroke|blood pressure|cholesterol|concussion|dyslexi\w+|obes(?:e|ity)|"
        r"syndrome|disorder|diseases?|illness(?:es)?|ill|sick(?! of)|infections?|injur(?:y|ies|ed)"
    ),
    "religion": (
        r"church|mosque|synagogue|parish|congregation|chapel|to (?:the |a )?temple|to mass|sunday school|worship\w*|"
        r"pray(?:s|ed|ing|ers?)?|faith|religio\w+|god|jesus|allah|bible|qur'?an|koran|torah|imam|rabbi|priest|pastor|ramadan|kosher|halal|"
        r"shabbat|sabbath|bapti[sz]ed|christian\w*|catholic\w*|protestant\w*|muslim\w*|islam\w*|jew(?:s|ish)?|judaism|hindu\w*|"
        r"buddhis\w+|sikh\w*|mormon\w*|atheis\w+|agnostic\w*|jehovah\w*|quakers?"
    ),
    "politics": (
        r"votes?|voted|voting|voters?|activis[mt]s?|politic(?:s|al|ally|ians?)|protest(?:s|ed|ing|ers?)|"
        r"campaign(?:s|ed|ing)? (?:for|against)|"
        r"elections?|trade unions?|labou?r (?:party|voters?|supporters?|members?|candidates?|mp)|tory|tories|conservatives?|"
        r"(?:conservative|green|liberal|socialist|communist|democratic|republican|reform|people's|left|workers'?) party|"
        r"lib(?:eral)? dem\w*|democrats?|republicans?|libertarian\w*|socialis[mt]s?|communis[mt]s?|marxis[mt]s?|anarchis[mt]s?|"
        r"feminis[mt]s?|nationalis[mt]s?|left[- ]wing|right[- ]wing|trump|biden|obama|maga|brexit|snp|ukip|afd|spd|cdu"
    ),
    "money": (
        r"salar(?:y|ies)|wages?|income|earns?|earned|debts?|in the red|bankrupt\w*|mortgages?|loans?|overdraft|owes?|owed|"
        r"savings|evict\w+|foreclos\w+|on welfare|unemployment benefits?|food stamps|credit score|net worth|inherit(?:ed|ance)"
    ),
    "relationship": (
        r"divorc\w+|(?<!current )affairs?|girlfriends?|boyfriends?|fianc[eé]e?s?|ex-\w+|user's ex|dating|mistress|"
        r"(?:has|with) a (?:secret )?lover|broke up|break-?up|"
        r"cheat(?:s|ed|ing) on|a crush on|sex|sexual\w*|gay|lesbian|bisexual|queer|trans(?:gender)?|non-?binary"
    ),
    "contact": (
        r"phone numbers?|mobile numbers?|telephone|e-?mail address(?:es)?|e-?mail is|[\w.+-]+@[\w-]+\.\w[\w.-]*|"
        r"\+?\d[\d ()-]{5,}\d"
    ),
    "address": (
        r"address|post ?codes?|zip code|"
        r"lives? (?:at|on|in) (?:\w+ ){1,3}(?:street|st|road|rd|lane|avenue|ave|drive|boulevard)|"
        r"\d+\w? (?:\w+ ){1,2}(?:street|road|rd|lane|avenue|ave|drive|boulevard)"
    ),
    "birth_date": r"birthday is|date of birth|born (?:on|in) \d+",
}
"""What speaks of each field. Words of family are left out: whose they are says little by itself."""

_WORK = (
    r"\b(?:works?|worked|working) (?:as|at|in|for) (?:an? |the )?(?:[\w-]+ )?"
    r"(?:nurse|doctor|therapist|hospital|rehab|counsell?or)\b"
)
_OTHERS = (
    r"user's (?:[\w-]+ )?(?:mother|father|mom|mum|dad|parents?|wife|husband|partner|sisters?|brothers?|siblings?|sons?|"
    r"daughters?|kids?|child|children|aunt|uncle|cousins?|niece|nephew|grand\w+|friends?|boss|colleagues?|neighbou?rs?|teacher|roommate|"
    r"dogs?|cats?|horse|pets?)\b(?!.*\buser\b)"
)
"""A sentence that is about somebody else altogether."""


def touches_sensitive(fact: str) -> str | None:
    """Return the sensitive field that a remembered sentence about `User` may be about, if any; the first that fits."""
    told = " ".join(fact.replace("’", "'").split()).casefold()
    told = re.sub(r"\b(?:i|me)\b", "user", re.sub(r"\bmy\b", "user's", told))  # as other programs may have written it
    if re.match(_OTHERS, told):
        return None
    told = re.sub(_WORK, "works", told)
    return next((field for field in _TOPICS if _topic(field).search(told)), None)


@dataclass(frozen=True, slots=True)
class Hint:
    """A sensitive field, and all that a sentence says as its value."""

    field: str
    value: str


def hint_of(fact: str) -> Hint | None:
    """Return the sensitive field that a remembered sentence may be about though no value of it is read there, if any."""
    field = touches_sensitive(fact)
    if field is None or field in [one.field for one in stated_by(fact)]:
        return None
    return Hint(field, as_value(fact))


def as_value(fact: str) -> str:
    """Return all that a remembered sentence says as the value of a field: what the person does or has."""
    return re.sub(r"^(?:User's|User|My|I) ", "", fact).rstrip(".")


@cache
def _topic(field: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w'])(?:{_TOPICS[field]})(?!\w)", re.IGNORECASE)
