"""How a statement about oneself begins, and the rules for name, pronouns, home and language.

Whether somebody says it of themselves, and means it, is decided in `profile`.
"""

import re
from dataclasses import dataclass
from functools import cache

from memapp.domain.english import ADVERBS, HEDGES, NEGATIONS, word_set
from memapp.domain.profile_readers import (
    LANGUAGE,
    Reader,
    city_in_address,
    city_of_address,
    ending_name,
    known_name,
    languages,
    name,
    nothing_named,
    own_name,
    place,
    pronouns,
    target_language,
)


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to state a field."""

    field: str
    begins: str
    """A pattern, in which a space stands for any white space."""
    read: Reader
    is_request: bool = False
    """It asks for a change, so it may have the form of a question."""

    @property
    def beginning(self) -> re.Pattern[str]:
        """Return the compiled pattern; compiled at the first message, not at the start of the program."""
        return _compiled(self.begins)


@cache
def _compiled(begins: str) -> re.Pattern[str]:
    return re.compile(begins.replace(" ", r"\s+"), re.IGNORECASE)


SURE_ADVERBS = "|".join(sorted(ADVERBS - HEDGES - NEGATIONS - word_set("hardly barely almost kind sort")))
A = rf"(?:(?:{SURE_ADVERBS}) ){{0,4}}"
I_DO = rf"(?P<subject>\bi|\band|,) {A}"
AM = rf"(?P<subject>\b(?:i'm|im|i am|and am)) {A}"
BEING = rf"(?P<subject>\b(?:i'm|im|i am|and am|i've been|i have been|i was)) {A}"
TRAITS = r"(?:(?:\d{1,3}(?: years? old)?|an?|very|severely|mildly|clinically|legally|tall|young|old|male|female|and) |,\s*){0,4}"
PLEASE = (
    r"(?:(?:please|pls|hey|hi|so|just|only|always|also|and|from now on|well|ok|okay|now|actually|instead|then|but),? ){0,5}"
    r"(?:(?:can|could|would|will|may) (?:you|we|i) (?:please |just |start |always ){0,3}|you (?:can|may|should|must|"
    r"could|have to) |(?:i (?:want|need|prefer|like|wish)|i(?:'d| would) (?:like|prefer|love|appreciate it if)|"
    r"i would appreciate it if) (?:for )?(?:you )?(?:could |would )?(?:to )?|let's |lets |feel free to |is (?:it possible|"
    r"there a way) (?:to|i can|you can|we can) |how (?:do|can|would|could) (?:i|we|you) |i (?:am|will be|'ll be) |"
    r"i'm |i will (?:be )?|i need you to )?(?:please |just |only |always |start |go ahead and |starting |going to |now ){0,3}"
)


_BY = r"(?:simply |just |only )?(?:as |by )?(?:(?:the )?(?:name|nickname) (?:of )?)?"
_CHANGE_NAME = (
    r"^(?!.*\b(?:call|calling|give|giving|rename|naming) you\b)(?!.*\b(?:your|whats|what's|last|sur|tell|know|"
    r"saved)\b)(?!\W*(?:what|who|which|do|does|did)\b)(?=.*\b(?:chang|updat|switch|edit|modif|set|different|new|another|else|"
    r"alter|replac|correct|fix|pick|choos|other|this|start|stop)\w*\b)(?:.*?\b(?:my (?:nick|preferred |first |user\s*)?name|"
    r"(?:a|another) (?:new |different |other )(?:nick)?name|(?:nick)?name (?:that )?you (?:use|call|have|refer|address)|"
    r"(?:call|calling|refer to|referring to|address|addressing) me "
    r"(?:by |as )?(?:something|another|this|a (?:new|different|other))|what you call me|how you (?:address|call|refer to) me))\b"
)
_AFTER_LANGUAGE = (
    "please|pls|from|now|instead|rather|only|with|going|if|and|or|when|whenever|for|too|today|until|as|than|then|but|so|while|"
    "always|exclusively|because|since|thanks|right|at|on|in|by|to|during|throughout|here|this|language|mode|moving|again|it|"
    "i|not|back|form"
)
_NO_TALK = (
    r"(?!\W*(?:do|did|does) (?:you|they|we|people)\b)(?!.*\b(?:say|said|translat\w*|words?|means?|meaning|call|called|"
    r"spell\w*|phrase|sentence|express\w*|a little|learn\w*|lessons?|class|course|teach|stud\w+|know how|movies?|films?|songs?|"
    r"people|someone|programming|body|he|she|they|his|her|"
    r"their|them|friend|wife|husband|mother|father|boss|about|stop|quit|don't|never|not|hate|avoid|without|if (?:i|you) were)\b)"
)
_SPEAK_TO_ME = (
    rf"^{_NO_TALK}\W*(?:(?!what|which|when|where|who|why|does|did|was)[\w']+,? ){{0,9}}?"
    r"(?:speak|talk|chat|convers|communicat|respond|repl[yi]|answer|writ|address|interact|correspond|switch|chang|go "
    r"with|revert|us[ei]|hear|default|respons|continu|deliver|conversation|instruct|provid|display|output|messag|prompt)\w*\b"
    r"(?:(?!how|because|from\b)[\w'\s]){0,40}?\s(?:(?:in|to|into|using|with) )?(?:only |just |simple |plain |formal )?"
    rf"(?={LANGUAGE}(?:\W*$|[.,!?;:]|\s(?:{_AFTER_LANGUAGE})\b))"
)
_THE_LANGUAGE = (
    r"(?:.*?)(?=\blanguages?\b)(?<!next\s)(?<!favorite\s)(?!languages? (?:model|server|barrier|file|pack|features?|skills?))"
)
_NO_STUDY = r"^(?!.*\b(?:what|which|learn\w*|stud\w+|programming|python|java\w*|rust|sql|html|code|body|foreign|word|say)\b)"
_CHANGE_LANGUAGE = (
    rf"{_NO_STUDY}(?=.*\b(?:chang|fix|switch|set|alter|adjust|modif|replac|updat|mak|us|select|pick|choos|put|turn|need|want|"
    rf"different|another|other|new|configur|edit|convert|swap|start|go)\w*){_THE_LANGUAGE}"
)
_OTHER_LANGUAGE = (
    rf"{_NO_STUDY}(?=.*\b(?:chang|fix|switch|set|alter|adjust|modif|replac|updat|different|another|other|configur|edit|swap)\w*)"
    rf"{_THE_LANGUAGE}"
)
_ADDRESS = r"(?:(?:new|home|current|postal|mailing|street|shipping|billing|primary|secondary|and) )*address(?:es)?"
NEW_ADDRESS = (
    r"(?:(?:i (?:want|need|would like) to |i'd like to |please |can you ){0,3}(?:(?:update|change|note|set|correct) )?)"
    rf"\bmy {_ADDRESS} (?:is|to)(?: (?:now|the same))?:? "
)
_ADDRESS_CHANGES = (
    rf"\b(?:(?:update|change|note|set|correct) my {_ADDRESS} (?:is|to)|my new {_ADDRESS} is)(?: (?:now|the same))?:? "
)

WHO: tuple[Rule, ...] = (
    # Requests come first: what somebody asks to be called counts more than what their name is.
    Rule(
        "preferred_name",
        rf"{PLEASE}(?:call(?:ed|ing)?|refer(?:red|ring)?(?: to)?|address(?:ed|ing)?|know|identify|recogni[sz]e|greet|name|"
        rf"speak to|talk to) me {_BY}",
        name,
        is_request=True,
    ),
    Rule(
        "preferred_name",
        r"\b(?:i|i'd|can i|may i|could i|let me)\b(?:(?!\b(?:not|hate|dislike)\b|n't\b)[\w'\s]){0,40}?"
        rf"\b(?:be|being|get) (?:called|known|addressed|referred to|named) {_BY}",
        name,
        is_request=True,
    ),
    Rule(
        "preferred_name",
        rf"{PLEASE}(?:change|update|set|save|make|switch|store|record) my (?:nick|preferred |first |"
        r"user\s*)?name (?:from \w+ )?(?:to|as|be|into)?\s*",
        name,
        is_request=True,
    ),
    Rule(
        "preferred_name",
        rf"{PLEASE}use (?:the name (?=\w+ (?:for|to (?:address|refer to)) me)|(?=\w+ as my (?:nick)?name))",
        name,
        is_request=True,
    ),
    Rule(
        "preferred_name",
        r"\b(?:(?:my (?:friends|family|mates|colleagues)|most people|everyone|everybody|people|they|friends) (?:(?:usually|"
        r"mostly|just|all|always) )?(?:calls?|refers? to|knows?) me) (?:as |by )?",
        name,
    ),
    Rule("preferred_name", r"\b(?:usually|mostly) people (?:call|refer to) me (?:as )?", name),
    Rule(
        "preferred_name",
        r"\bwhen you (?:talk|speak|write|refer) (?:to|with) me,? (?:please )?use (?:the name )?",
        ending_name,
        is_request=True,
    ),
    Rule(
        "preferred_name",
        rf"{I_DO}(?:(?:prefer to )?go by|answer to|prefer the name|prefer the nickname) (?:the (?:nick)?name )?(?!my\b)",
        ending_name,
    ),
    Rule(
        "preferred_name",
        r"\bthe (?:new )?(?:nick)?name (?:that )?(?:i (?:use|go by|prefer|want(?: you to (?:use|call me))?)|you (?:should|can|"
        r"must) (?:use|call me)) is ",
        ending_name,
    ),
    Rule("preferred_name", r"^(?:the )?name(?: is|'s) ", ending_name),
    Rule(
        "preferred_name",
        r"\b(?:i (?:want|need|would like)|i'd like|let) my (?:nick)?name (?:to )?be ",
        ending_name,
        is_request=True,
    ),
    Rule("preferred_name", rf"{AM}(?:called|known as|named) ", name),
    Rule(
        "preferred_name",
        r"\bmy (?:(?:full|first|real|given|preferred|new|actual|chosen|nick|user)\s*)?name(?:'s|s| is| (?:will|shall|"
        r"should) (?:now )?be) (?:(?:now|actually|just|really|called) )?",
        name,
    ),
    Rule("preferred_name", r"\b(?P<value>[^\W\d_]{1,40}) is my (?:first |preferred |nick)?name\b(?! \w)", nothing_named),
    Rule("preferred_name", AM, own_name),
    Rule("preferred_name", r"^(?:(?:hi|hey|hello|oh|btw),? )?(?:it's|it is|this is) ", known_name),
    Rule(
        "preferred_name",
        r"\b(?P<value>[^\W\d_]{1,40}) is "
        r"(?:what (?:i go by|(?:you (?:should|can)|people|everyone|they|to) call me)|the name i (?:use|go by|prefer))\b",
        nothing_named,
    ),
    Rule("preferred_name", _CHANGE_NAME, nothing_named, is_request=True),
    Rule("pronouns", r"\bmy (?:[\w-]+ )?pronouns?(?: are| is|'re|:) (?:now )?", pronouns),
    Rule("pronouns", rf"{PLEASE}(?:change|update|set|switch|make) my pronouns? (?:to|be|as) ", pronouns, is_request=True),
    Rule("pronouns", rf"{PLEASE}(?:change|update|set|switch) my pronouns?\b", nothing_named, is_request=True),
    Rule("pronouns", rf"{I_DO}(?:go by|use|prefer) (?:the pronouns |the )?", pronouns),
    Rule("pronouns", rf"{PLEASE}(?:use|using) (?=[\w/\s]{{1,60}}?\b(?:pronouns|for me|when)\b)", pronouns, is_request=True),
    Rule("pronouns", rf"{PLEASE}refer to me (?:as|with|using|by) (?:the pronouns )?", pronouns, is_request=True),
    Rule(
        "pronouns",
        r"(?:^|[,.!?(|•-]\s*|\band |\bpronouns?(?: are|:| is|\s*=)? |\bi (?:am|identify as|answer to) |\bi'm )(?=(?:she|he|they|"
        r"xe|ze|it|fae|ey)\s?/\s?\w+)",
        pronouns,
    ),
    Rule(
        "pronouns",
        rf"{PLEASE}(?=(?:she|he|they|xe|ze|it|fae|ey)\s?/\s?\w+(?:\s?/\s?\w+)? (?:pronouns|please|for me)\b)",
        pronouns,
        is_request=True,
    ),
    Rule(
        "city",
        rf"{I_DO}(?:live|reside|dwell|stay) (?:(?:with|alone)\b(?: (?!in\b)[\w']+){{0,4}} |{A})(?:in |(?=(?:near|outside|"
        r"close to)\b))(?:beautiful |sunny |rural |downtown |central |northern |southern |eastern |western )?",
        place,
    ),
    Rule(
        "city",
        rf"{AM}(?:living|residing|based|located|settled|(?:a )?resident of) (?:(?:with|alone)\b(?: (?!in\b)[\w']+){{0,4}} |"
        rf"{A})(?:in |(?<=of\s))",
        place,
    ),
    Rule(
        "city",
        r"\b(?P<subject>(?:i|i've|i have|we|we've|and)) (?:(?:just|recently|now|finally|also|have|had|'ve) )*(?:moved|"
        r"relocated) (?:back |over |out |here )*(?:from [\w\s]{1,60}? )?to ",
        place,
    ),
    Rule("city", r"\bmy (?:current |new )?(?:home|city|home\s*town|place|house|apartment|flat) is (?:now )?(?:in )?", place),
    Rule("city", NEW_ADDRESS, city_in_address, is_request=True),
    Rule("city", _ADDRESS_CHANGES, city_of_address, is_request=True),
    Rule(
        "language",
        rf"{I_DO}(?:speak|write|prefer to (?:speak|write|chat|talk)(?: in)?|prefer (?:speaking|writing|chatting)) (?:(?:fluent|"
        rf"mainly|mostly|both|native|fluently) )*(?:in )?(?={LANGUAGE})",
        languages,
    ),
    Rule(
        "language",
        rf"{AM}(?:completely |quite )?(?:fluent in|a (?:native|fluent) speaker of|a (?:native|fluent) (?={LANGUAGE} speaker))\s*",
        languages,
    ),
    Rule(
        "language",
        r"\b(?:the|my|your) (?:(?:native|first|mother|main|preferred|home|second|default|new) )*(?:language|"
        rf"tongue) (?:i (?:am using|use|want|prefer|speak) )?(?:will (?:now )?be|should (?:now )?be|is(?: now)?) (?={LANGUAGE})",
        languages,
    ),
    Rule("language", _SPEAK_TO_ME, languages, is_request=True),
    Rule("language", _CHANGE_LANGUAGE, target_language, is_request=True),
    Rule("language", _OTHER_LANGUAGE, nothing_named, is_request=True),
)
