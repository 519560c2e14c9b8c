"""The rules for what else a profile may hold: health, contact, birth, relationships, beliefs, money, law, tone and goals."""

from memapp.domain.profile_readers import AMOUNT, MAIL, address, belief, date, matching, phone, phrase
from memapp.domain.profile_rules import AM, BEING, I_DO, NEW_ADDRESS, PLEASE, TRAITS, Rule
from memapp.domain.profile_words import BONDS, CONDITIONS, FAITHS, LEANINGS, RELIGIONS, UNWELL

_PARTNER = "(?:ex-)?(?:wife|husband|partner|boyfriend|girlfriend|spouse|fianc[eé]e?)"
_LEAVES = "(?:has |have )?(?:just |recently )?(?:left|leave|dumped|dump|walked out on|divorced|is leaving|cheated on)"
_PARTS = (
    r"(?:have |are )?(?:just |recently )?(?:split up|broke up|break up|separated?(?! (?:the|our)\b)|divorced|"
    r"getting divorced|splitting up)"
)

LIFE: tuple[Rule, ...] = (
    Rule("health", rf"{AM}{TRAITS}(?!and )", matching(UNWELL)),
    Rule(
        "health",
        rf"{I_DO}(?:have|have got|suffer from|live with|struggle with|am being treated for|had|was born with) (?:(?:severe|mild|"
        r"chronic) )*",
        matching(CONDITIONS, small=False),
    ),
    Rule("health", r"(?P<subject>\bi've got|\bi've had) (?:(?:severe|mild|chronic) )*", matching(CONDITIONS, small=False)),
    Rule("health", rf"{BEING}(?:been )?(?:recently )?diagnosed (?:with|as) ", phrase),
    Rule("health", r"\b(?:they|he|she|my [\w-]+|the [\w-]+) (?:just |recently |finally )?diagnosed me (?:with|as) ", phrase),
    Rule(
        "health",
        rf"(?:{I_DO}(?:take|use)|\bi(?:'m| am| have been|'ve been) (?:taking|using)) (?=(?:my )?(?:insulin|antidepressants?|"
        r"medication|meds|lithium|methadone|metformin|blood pressure|birth control|ssris?|statins|prozac|xanax))",
        phrase,
    ),
    Rule("health", r"\bmy (?:blood (?:type|group)|diagnosis|disability|medication) is ", phrase),
    Rule(
        "contact",
        r"\bmy (?:(?:new|mobile|cell|home|work|phone|telephone|contact|whatsapp|personal)\s*)*(?:phone|number|mobile|"
        r"cell)(?: number)?(?: is|'s|:) (?:now )?",
        phone,
    ),
    Rule(
        "contact",
        r"\bmy (?:(?:new|work|private|personal) )*e?-?mail(?: address)?(?: is|'s|:) (?:now )?",
        matching(MAIL, small=False),
    ),
    Rule("contact", r"\bmy (?:new )?address is ", matching(MAIL, small=False)),
    Rule("contact", rf"{PLEASE}(?:call|text|phone|ring|reach|contact|message) me (?:at|on|under) ", phone, is_request=True),
    Rule(
        "contact",
        rf"{PLEASE}(?:e?-?mail|reach|contact|write to|dm|pm|message|text) me (?:at|on|under) ",
        matching(MAIL, small=False),
        is_request=True,
    ),
    Rule(
        "contact",
        r"\bmy (?:telegram|instagram|twitter|discord|skype|signal|snapchat|facebook|linkedin|github)(?: (?:handle|user\s*name|"
        r"id|name|account))? is ",
        matching(r"@?[\w.#-]{3,40}", small=False),
    ),
    Rule("address", NEW_ADDRESS, address, is_request=True),
    Rule("address", rf"{I_DO}live (?:at|on) (?=[^.!?]{{0,80}}\d)", address),
    Rule("birth_date", r"(?P<subject>\bi was|\band was) born ", date),
    Rule("birth_date", r"\bmy (?:birth\s*day|date of birth|dob|birth\s*date)(?: is|'s|:) (?:on )?", date),
    Rule("relationship", rf"{AM}(?:happily |newly |recently |a )?", matching(BONDS, small=False)),
    Rule(
        "relationship",
        r"(?P<subject>\bi have been|\bi've been) (?:happily )?",
        matching(r"married(?: to [\w'-]+)?|single|divorced|widowed|engaged", small=False),
    ),
    Rule("relationship", rf"{I_DO}(?:(?:just|recently|finally) )?(?:got|was) ", matching(r"married|divorced|engaged|widowed")),
    Rule(
        "relationship",
        rf"{I_DO}have ",
        matching(r"an? (?:wife|husband|girlfriend|boyfriend|fianc[eé]e?|partner|spouse|lover|mistress)"),
    ),
    Rule(
        "relationship",
        rf"\bmy (?={_PARTNER}\b)",
        matching(rf"{_PARTNER} {_LEAVES} me(?! (?:an?|the|my|some|\d+)\b)", small=False),
    ),
    Rule("relationship", rf"\bmy (?={_PARTNER} and i\b)", matching(rf"{_PARTNER} and i {_PARTS}", small=False)),
    Rule("religion", rf"{AM}", belief(FAITHS)),
    Rule(
        "religion",
        rf"{I_DO}(?:converted to|practi[sc]e|believe in|follow|was raised|grew up|was brought up) ",
        belief(f"{RELIGIONS}|{FAITHS}|god|jesus|allah"),
    ),
    Rule("religion", I_DO, matching(r"(?:do not|don't) believe in (?:god|any god|any religion|religion)", small=False)),
    Rule("religion", r"\bmy (?:religion|faith) is ", phrase),
    Rule(
        "religion",
        rf"{I_DO}(?:go to|attend|belong to) ",
        matching(r"(?:(?:my|the|a|an?) )?(?:[\w-]+ )?(?:church|mosque|synagogue|temple|mass)"),
    ),
    Rule("politics", rf"{AM}(?:politically )?", belief(LEANINGS)),
    Rule(
        "politics",
        rf"{I_DO}(?:vote|voted|will vote|canvass|campaign) (?:for )?"
        r"(?=(?:the )?(?:(?-i:[A-Z])|labour|tory|green|left|right|democrat|republican|conservative|liberal))",
        phrase,
    ),
    Rule(
        "politics",
        rf"{I_DO}(?:support|back|am a member of|belong to|joined) (?=the (?:[\w-]+ ){{0,2}}(?:party|democrats|republicans|"
        r"greens|tories|liberals|conservatives|socialists)\b)",
        phrase,
    ),
    Rule(
        "money", rf"{I_DO}(?:earn|make|get paid|am paid|owe|have saved|have savings of|inherited) ", matching(AMOUNT, small=False)
    ),
    Rule(
        "money",
        r"\bmy (?:(?:yearly|annual|monthly|net|gross|current) )?(?:salary|income|wage|wages|pension|net worth|rent|mortgage|"
        r"credit score|debt|debts|savings|bank balance)(?: is| are|'s) ",
        phrase,
    ),
    Rule(
        "money",
        rf"{AM}(?:deeply |heavily |deep )?",
        matching(r"in debt|bankrupt|on (?:benefits|welfare|food stamps|disability)|a millionaire|living paycheck to paycheck"),
    ),
    Rule("money", rf"{I_DO}(?:filed|am filing|have filed) for ", matching("bankruptcy")),
    Rule(
        "law",
        rf"{I_DO}have ",
        matching(
            r"(?:an? (?:long |short )?)?(?:criminal|police) (?:record|convictions?)|a (?:felony|conviction)(?: for [\w ]{1,40})?"
        ),
    ),
    Rule(
        "law",
        r"(?P<subject>\bi was|\bi've been|\bi have been|\bi got|\band was) "
        r"(?=(?:(?:once|twice) )?(?:convicted(?! that)|arrested|sentenced|jailed|imprisoned|charged with|found guilty)\b)",
        phrase,
    ),
    Rule(
        "law",
        rf"{I_DO}(?=(?:(?:did|served) time(?! (?:as|at|on|with|in (?!prison|jail)))"
        r"|(?:did|served|spent) (?:[\w-]+ ){0,4}in (?:prison|jail))\b)",
        phrase,
    ),
    Rule(
        "law",
        AM,
        matching(
            r"on (?:parole|bail|probation(?! (?:at|period)))|an? (?:ex-|convicted |registered )?(?:felon|convict|"
            r"criminal)(?! (?:law|justice|def|psych)\w*)"
        ),
    ),
    Rule(
        "tone",
        rf"{PLEASE}(?:be|sound) (?:(?:more|less|a bit|a little) )*(?=(?:formal|informal|casual|concise|brief|short|direct|blunt|"
        r"friendly|polite|serious|funny|playful|verbose|detailed|chatty|terse|gentle|professional)\b)",
        phrase,
        is_request=True,
    ),
    Rule(
        "tone",
        rf"{PLEASE}(?:keep|make|give me) (?:your |the |it )?(?=(?:(?:answers|replies|responses) )?(?:short|brief|concise|formal|"
        r"informal|casual|simple|detailed|long)\w*\b)",
        phrase,
        is_request=True,
    ),
    Rule(
        "tone",
        rf"{I_DO}(?:prefer|like|want) (?=(?:your )?(?:[\w-]+ )?(?:short|brief|concise|formal|informal|casual|detailed|direct|"
        r"longer|shorter|plain|simple) (?:answers|replies|responses|explanations|tone|language))",
        phrase,
    ),
    Rule(
        "tone",
        rf"{PLEASE}(?:use|speak in|write in|stop using|don't use|do not use|no more) (?=(?:[\w-]+ ){{0,2}}(?:tone|emojis?|"
        r"exclamation marks|slang|jargon)\b)",
        phrase,
        is_request=True,
    ),
    Rule(
        "goals_add",
        r"\bmy (?:(?:main|biggest|next|current|new|personal) )?(?:goal|aim|dream|resolution)(?: is|'s) (?:to )?",
        phrase,
    ),
    Rule(
        "goals_add",
        rf"{I_DO}(?:want|hope|plan|intend|aim) to (?=(?:learn|become|lose|quit|stop|run|write|save|study|start|finish|graduate|"
        r"move|buy|build|get (?:fit|better|in shape|healthier)|improve|read|train|exercise|travel)\b)",
        phrase,
    ),
    Rule(
        "goals_add",
        rf"{AM}(?:trying|planning|hoping|working hard|aiming|training) to (?=(?:learn|become|lose|quit|stop|run|write|save|"
        r"study|start|finish|graduate|move|buy|build|get (?:fit|better|in shape)|improve|read|train|exercise|travel)\b)",
        phrase,
    ),
)
