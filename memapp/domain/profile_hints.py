"""Which field of the profile a remembered sentence may be about, where no statement with an exact value is read in it.

It would rather ask once too often: what it finds waits for the person's yes. What it reads is the sentence in the first person
and in its plainest form, so that the topics name each verb once.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from memapp.domain.profile import Stated, has_value, is_sensitive, stated_by
from memapp.domain.profile_forms import in_first_person, plain_forms
from memapp.domain.profile_readers import (
    AMOUNT,
    LANGUAGE,
    MONTH,
    NUMBER,
    Reader,
    address,
    date,
    ending_name,
    is_card_number,
    languages,
    place,
    pronouns,
)
from memapp.domain.profile_topics import (
    BODY,
    DESCENT,
    GENDER,
    GENES,
    GROUPS,
    LOSS,
    MEDICINES,
    PREGNANCY,
    SECRETS,
    STAYING,
    TREATMENTS,
    UNIONS,
)

_HOME = (
    r"(?<!to )live|living|reside|dwell|based|settled|rent|moved|moving|come from|home ?town|homes?|house|flat|apartment|condo|"
    r"studio|room|life|neighbou?rhood"
)
_A_PLACE = r"(?-i:[A-Z])\w*"
_STREET = r"(?:street|st|road|rd|lane|avenue|ave|drive|boulevard|gate|square)"
_TOPICS: Mapping[str, str] = {
    "health": (
        rf"{BODY}|{MEDICINES}|{TREATMENTS}|{PREGNANCY}|{GROUPS}|{GENES}|diagnos\w+|tested positive|hiv|cancer|tumou?rs?|"
        r"leuka?emia|diabet\w+|asthma\w*|epilep\w+|seizures?|depress\w+|anxiety|panic (?:attacks?|disorder)|suicid\w+|"
        r"self-?harm\w*|cutting(?=\W*$| myself| me)|cut (?:myself|me)|bipolar|schizo\w+|autis\w+|asperger\w*|adhd|ocd|ptsd|"
        r"trauma|psychos[ie]s|psychiatr\w+|psychotherap\w+|psychologists?|therap(?:y|ists?)|counsell?(?:or|ing)|oncolog\w+|"
        r"burn-?out|anorexi\w+|bulimi\w+|eating disorder|alcoholi\w+|sober|addictions?|addicts?|relapsed?|overdosed?|rehab\w*|"
        r"(?:quit|stop(?:ped)?|gave up) drinking|my drinking|drink too much|methadone|detox|drugs|cocaine|"
        r"heroin|weed|cannabis|marijuana|ecstasy|ketamine|opi(?:oids?|um)|medications?|meds|pills|insulin|antidepressants?|"
        r"painkillers|prozac|xanax|valium|zoloft|ritalin|adderall|ozempic|lithium|inhaler|chemo\w*|radiotherapy|dialysis|"
        r"transplant|pacemaker|surgery|hospitali[sz]ed|in (?:the )?hospital|wheelchair|crutches|prosthe\w+|hearing aids?|"
        r"can ?not (?:walk|hear|see)(?=\W*$| well| properly| without)|can ?not have (?:kids|children)|overweight|"
        r"disab(?:led|ility|ilities)|amput\w+|paraly[sz]ed|blind(?! dates?| to)|deaf|pregnan\w+|miscarr\w+|abortions?|ivf|"
        r"infertil\w+|menopaus\w+|allerg\w+|intoleran\w+|arthritis|migraines?|insomnia|apno?ea|hepatitis|herpes|chlamydia|"
        r"syphilis|stds?|lupus|sclerosis|parkinson\w*|alzheimer\w*|dementia|co?eliac|crohn\w*|colitis|ibs|endometriosis|pcos|"
        r"fibromyalgia|chronic|covid|tuberculosis|psoriasis|eczema|glaucoma|tinnitus|thyroid|kidney (?:disease|stones?|failure)"
        r"|heart (?:attack|condition|disease|failure)|had a stroke|blood pressure|cholesterol|concussion|dyslexi\w+|obes(?:e|"
        r"ity)|heart(?:beat| murmur)|syndrome|disorder|diseases?|illness(?:es)?|ill|sick(?! of)|infections?|injur(?:y|ies|ed)"
    ),
    "ethnicity": DESCENT,
    "religion": (
        r"church|mosque|synagogue|parish|congregation|chapel|to (?:the |a )?temple|to mass|sunday school|worship\w*|"
        r"pray(?:ed|ing|ers?)?|faith|religio\w+|god|jesus|allah|bible|qur'?an|koran|torah|imam|rabbi|priest|pastor|ramadan|"
        r"kosher|halal|eid|hanukkah|passover|diwali|"
        r"shabbat|sabbath|bapti[sz]ed|christian\w*|catholic\w*|protestant\w*|muslim\w*|islam\w*|jew(?:s|ish)?|judaism|hindu\w*|"
        r"buddhis\w+|sikh\w*|mormon\w*|atheis\w+|agnostic\w*|jehovah\w*|quakers?|pagan\w*|wicca\w*"
    ),
    "politics": (
        rf"{UNIONS}|votes?|voted|voting|voters?|activis[mt]s?|politic(?:s|al|ally|ians?)|protest(?:ed|ing|ers?)?|"
        r"campaign(?:ed|ing)? (?:for|against)|my party is|(?-i:Labour)(?! day)|the greens|"
        r"elections?|labou?r (?:party|voters?|supporters?|members?|candidates?|mp)|tory|tories|conservatives?|"
        r"(?:conservative|green|liberal|socialist|communist|democratic|republican|reform|people's|left|workers'?) party|"
        r"lib(?:eral)? dem\w*|democrats?|republicans?|libertarian\w*|socialis[mt]s?|communis[mt]s?|marxis[mt]s?|anarchis[mt]s?|"
        r"feminis[mt]s?|nationalis[mt]s?|fascis[mt]s?|left[- ]wing|right[- ]wing|trump|biden|obama|maga|brexit|snp|ukip|afd|"
        r"spd|cdu"
    ),
    "money": (
        r"salar(?:y|ies)|wages?|income|earn|earned|debts?|in the red|bankrupt\w*|mortgages?|loans?|overdraft|owe|owed|"
        r"savings|evict\w+|foreclos\w+|on welfare|unemployment benefits?|food stamps|credit (?:score|cards?)|net worth|"
        rf"inherit(?:ed|ance)|bank (?:account|balance)s?|(?:make|get|have|save|saved) {AMOUNT}"
    ),
    "law": (
        rf"{STAYING}|convict(?:ed|ions?|s)?|(?:criminal|police) record|arrested|sentenced|jailed|imprison\w+|felon(?:s|y|ies)?|"
        r"on (?:parole|bail|probation)|(?:to|in) (?:prison|jail)|serve time(?! (?:as|with))|found guilty|"
        r"charged with|restraining order"
    ),
    "relationship": (
        rf"{LOSS}|{GENDER}|divorc\w+|(?<!current )affairs?|girlfriends?|boyfriends?|fianc[eé]e?s?|ex-\w+|my ex|dating|mistress|"
        r"(?:have|with) a (?:secret )?lover|broke up(?! (?:an?|the)\b)|break-?up|marry|cheat(?:ed|ing)? on|a crush on|"
        r"sex|sexual\w*|gay|lesbian|bisexual|queer|trans(?:gender)?|non-?binary|polyamor\w+|(?:like|love|prefer|fancy|date|"
        r"into|attracted to|sleep with) (?:both )?(?:\w+ (?:and|or) |only |older |younger )?(?:men|women|guys|girls|boys)(?!')"
    ),
    "contact": (
        r"phone numbers?|mobile numbers?|telephone|e-?mail address(?:es)?|e-?mail is|[\w.+-]{1,64}@[\w-]+\.\w[\w.-]*|"
        r"\+?\d[\d ()-]{5,}\d|user ?name|handle is|"
        r"(?:phone|mobile|cell|number)(?: number)? (?:end|start|begin)s?(?:ing)? (?:in|with|on) \d+"
    ),
    "address": (
        rf"address|post ?codes?|zip code|live (?:at|on|in) (?:\w+ ){{1,3}}{_STREET}|\d+\w? (?:\w+ ){{1,3}}{_STREET}|"
        rf"(?:{_HOME})(?: \w+){{0,3}}? (?:at|on) (?:\d|(?:\w+ ){{1,3}}\d)"
    ),
    "birth_date": rf"birthday (?:is|was)|date of birth|born (?:on|in) (?:\d|{MONTH}\b)|turn(?:ed)? \d+ (?:on|in)",
    "pronouns": r"pronouns?|(?:she|he|they|xe|ze) ?/ ?\w+(?! for (?!me))",
    "language": (
        rf"(?<!not )(?<!to )(?:speak|speaking|fluent in|bilingual in|native) (?!a (?:little|bit))(?:\w+ )?{LANGUAGE}|"
        r"mother tongue|(?:native|first) language"
    ),
    "preferred_name": (
        r"my (?!sur|(?:last|family|middle|maiden) )(?:\w+ )?(?:nick)?name(?: is|'s)|go by (?-i:[A-Z])|(?:am|be|"
        r"being) (?:called|known as|named|nicknamed)|calls? me|know me as"
    ),
    "city": (
        rf"(?:{_HOME})(?: (?!in\b)[\w']+){{0,4}} (?:in|near|around|outside|to|from|of) (?:the )?{_A_PLACE}|"
        rf"{_A_PLACE} residents?|{_A_PLACE}[\w ]{{0,40}}, (?:where i live|my (?:home|city|town))"
    ),
}
"""What speaks of each field. Words of family are left out: whose they are says little by itself."""

_WORK = (
    r"\b(?:work|works|worked|working) (?:as|at|in|for) (?:an? |the )?(?:[\w-]+ )?"
    r"(?:nurse|doctor|therapist|hospital|rehab|counsell?or)\b"
)
_OTHERS = (
    r"my (?:[\w-]+ )?(?:mother|father|mom|mum|dad|parents?|wife|husband|partner|sisters?|brothers?|siblings?|sons?|"
    r"daughters?|kids?|child|children|aunt|uncle|cousins?|niece|nephew|grand\w+|friends?|boss|colleagues?|neighbou?rs?|"
    r"teacher|roommate|dogs?|cats?|horse|pets?)\b(?!.*\b(?:i|me|my)\b)"
)
"""A sentence that is about somebody else altogether."""
_NAMED: Mapping[str, tuple[str, Reader]] = {
    "preferred_name": (r"\b(?:is|by|called|named|as|me) ", ending_name),
    "pronouns": (r"(?=\b\w+ ?/)", pronouns),
    "city": (r"\b(?:(?:in|near|around|outside|to|from|of|like|love) (?:the )?|^)(?=[A-Z])", place),
    "language": (rf"(?=\b{LANGUAGE})", languages),
    "address": (r"\b(?:at|on|in|is) ", address),
    "birth_date": (r"\b(?:in|on|is) ", date),
}
"""Where the value of a field that takes only a certain kind of value may stand in a sentence, and what reads it."""


def touches_sensitive(fact: str) -> str | None:
    """Return the sensitive field that a remembered sentence about `User` may be about, if any; the first that fits."""
    return next(_touched(fact), None)


def is_secret(fact: str) -> bool:
    """Say whether a remembered sentence tells a password or a number that opens something: never asked about, never learned."""
    return _pattern(SECRETS).search(_plain(fact)) is not None or any(map(is_card_number, re.findall(NUMBER, fact)))


def may_apply_by_itself(field: str, value: str) -> bool:
    """Say whether a value may enter the profile without a yes: its field is benign, and the value tells nothing that is not."""
    told = f"User wants to {value}."
    return not is_sensitive(field) and touches_sensitive(told) is None and touches_sensitive(f"User is {value}.") is None


@dataclass(frozen=True, slots=True)
class Hint:
    """A sensitive field, and what a sentence says as its value."""

    field: str
    value: str
    """Empty where the field takes a certain kind of value and none is there: there is nothing to ask, and nothing to remember."""


def unknown_in(fact: str, profile: Mapping[str, Collection[str]], *, field: str = "") -> list[Hint]:
    """Return what a remembered sentence says that only the person's yes can make known, and that the profile does not say.

    `field` is what it is known to be about, where its words alone do not tell.
    """
    if is_secret(fact):
        return [Hint("contact", "")]
    read = stated_by(fact)
    if said := [Hint(one.field, one.value) for one in read if is_sensitive(one.field)]:
        return _not_in(profile, [*said, *_hidden_behind(said, fact)])
    hint = _hint_beside(read, fact) or (Hint(field, as_value(fact)) if field else None)
    return _not_in(profile, [hint] if hint else [])


def _hint_beside(read: Sequence[Stated], fact: str) -> Hint | None:
    """Return the sensitive field that a remembered sentence may be about though no value of it was read there, if any."""
    fields = {one.field for one in read}
    field = next((field for field in _touched(fact) if field not in fields), None)
    return Hint(field, _named(field, fact) if field in _NAMED else as_value(fact)) if field else None


def _hidden_behind(said: Sequence[Hint], fact: str) -> list[Hint]:
    """Return what a sentence touches besides the values that were read of it: a yes to those is none to the rest."""
    rest = fact
    for one in said:
        rest = re.sub(re.escape(one.value), " ", rest, flags=re.IGNORECASE)
    known = {one.field for one in said} | _NAMED.keys()
    return [Hint(field, as_value(fact)) for field in _touched(rest) if field not in known]


def _not_in(profile: Mapping[str, Collection[str]], said: Sequence[Hint]) -> list[Hint]:
    return [one for one in said if not has_value(one.field, profile.get(one.field, ()), one.value)]


def as_value(fact: str) -> str:
    """Return all that a remembered sentence says as the value of a field: what the person does or has."""
    told = in_first_person(fact) if fact.startswith("User and ") else fact
    return re.sub(r"^(?:User's|User|My|my|I) ", "", told).rstrip(".")


def _touched(fact: str) -> Iterator[str]:
    told = _plain(fact)
    if not re.match(_OTHERS, told, re.IGNORECASE):
        told = re.sub(_WORK, "work", told, flags=re.IGNORECASE)
        yield from (field for field in _TOPICS if _pattern(_TOPICS[field]).search(told))


def _plain(fact: str) -> str:
    told = plain_forms(in_first_person(fact.replace("’", "'")))
    return " ".join(told.split())


def _named(field: str, fact: str) -> str:
    leads, read = _NAMED[field]
    told = _plain(fact)
    if re.search(r"\b(?:not|never|cannot|hate|dislike)\b", told):
        return ""  # what somebody is not called, and where they do not live
    values = (read(told[lead.end() :]) for lead in re.finditer(leads, told))
    return next((value[0] for value in values if value), "")


@cache
def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w'])(?:{words})(?!\w)", re.IGNORECASE)
