"""The little English that writing facts needs: classes of words, word forms, contractions, sentences.

It knows verbs by short tables and endings, so it is sure only of common words; the rules that use it leave out what it is
not sure of. Compact tables were chosen over an inflection library because turning "I" into "User" changes a verb only in the
present tense; the hard part is to recognise words, and a dictionary does not tell a noun from a verb in its place either.
"""

import re
import unicodedata
from functools import lru_cache


def word_set(words: str) -> frozenset[str]:
    """Return the words of a line as a set."""
    return frozenset(words.split())


PRONOUNS = word_set(
    "i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers "
    "herself it its itself they them their theirs themselves"
)
FIRST_PERSON = word_set("i me my mine myself we us our ours ourselves")
DEMONSTRATIVES = word_set("this that these those")
NEGATIONS = word_set("not no never none nothing nobody nowhere neither nor without hardly barely cannot")
NOT = "¬"
"""Stands for each of them where stems are compared."""
HEDGES = word_set(
    "used want wish hope plan might may maybe perhaps could would should will if unless whether almost nearly try pretend dream "
    "imagine suppose guess probably possibly going supposed consider think believe doubt say tell ask claim rarely seldom"
)
"""Words that make a statement less than a plain fact; losing one makes it sound more certain than it was."""
_TO_TWENTY = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
    "nineteen twenty"
)
_TENS = {"thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90"}
NUMBERS = {word: str(number) for number, word in enumerate(_TO_TWENTY.split())} | _TENS
MOTION = word_set("from to before after")
"""Prepositions that give a direction or an order, so that swapping two of them changes the meaning."""
FUNCTION_WORDS = (
    word_set(
        "a an the and or but as than of in on at by for with about into over under between through during off out up down "
        "am is are was were be been being do does did has have had that which who whose where when while because since "
        "so too also very really both each other s user users user's"
    )
    | MOTION
)
"""Words that say nothing by themselves; a fact may have them without the message having them."""
ARTICLES = word_set("a an the")
FILLERS = word_set("also too really actually definitely absolutely totally certainly literally honestly truly simply just so")
ADVERBS = FILLERS | word_set(
    "always never often usually sometimes currently recently still only mostly mainly already now rarely seldom once "
    "both all especially particularly almost even ever very probably maybe perhaps kind sort pretty much quite well "
    "hardly barely either frequently normally generally typically occasionally regularly constantly"
)
COORDINATORS = word_set("and but so because although though plus yet then")

_IRREGULAR = """
be was were been; have had; do did done; go went gone; say said; get got gotten; make made; know knew known; think thought;
take took taken; see saw seen; come came; find found; give gave given; tell told; feel felt; leave left; keep kept; begin began
begun; show shown; hear heard; run ran; bring brought; write wrote written; sit sat; stand stood; lose lost; pay paid; meet met;
lead led; understand understood; speak spoke spoken; grow grew grown; win won; teach taught; buy bought; send sent; build built;
fall fell fallen; draw drew drawn; break broke broken; spend spent; drive drove driven; wear wore worn; choose chose chosen;
eat ate eaten; fly flew flown; sing sang sung; swim swam swum; drink drank drunk; ride rode ridden; sleep slept; forget forgot
forgotten; sell sold; fight fought; catch caught; throw threw thrown; hold held; become became; raise raised; bear born borne;
wake woke woken; steal stole stolen; hide hid hidden; dig dug; feed fed; breed bred; lend lent; mean meant; shoot shot; swear
swore sworn; tear tore torn; bite bit bitten; blow blew blown; freeze froze frozen; shake shook shaken; rise rose risen; ring
rang rung; sink sank sunk; strike struck; stick stuck; win won; weave wove woven; bend bent; sweep swept; deal dealt; dream
dreamt; learn learnt; burn burnt; spell spelt; light lit; lay laid; lie lain; flee fled; seek sought; overcome overcame; knit;
mow mown; sew sewn; give given; forgive forgave forgiven; quit; bind bound; swing swung; hang hung
"""
PAST_FORMS = {past: forms.split()[0] for forms in _IRREGULAR.split(";") for past in forms.split()[1:]}
UNCHANGED_PAST = word_set("quit put cut hit hurt set read let shut bet spread cost bid split adopted retired divorced")
"""Pasts that look like something else: the present, or a trait that somebody has now."""
_NOT_PAST = word_set(
    "need feed seed speed breed bleed weed proceed succeed exceed indeed red bed shed embed wed hundred naked sacred "
    "used unlimited mixed tired wicked retired divorced aged adopted"
)
_IRREGULAR_PLURALS = {
    "children": "child", "kids": "kid", "men": "man", "women": "woman", "feet": "foot", "teeth": "tooth", "mice": "mouse",
    "halves": "half", "geese": "goose", "wives": "wife", "knives": "knife", "wolves": "wolf", "leaves": "leaf",
    "people": "person",
}  # fmt: skip

TRANSITIVE_LIKING = word_set("love like enjoy adore hate dislike prefer detest despise loathe avoid")
COMMON_VERBS = TRANSITIVE_LIKING | word_set(
    "be have do own live work play study teach speak drive collect grow volunteer attend belong suffer cook bake paint draw "
    "sing dance write read run walk hike swim ride ski surf climb travel smoke drink eat wear watch listen go take make manage "
    "coach train practice practise raise breed keep rent share serve spend sleep wake exercise meditate pray garden knit sew "
    "sculpt fish hunt camp cycle bike skate jog lift compete race build fix repair restore design sell buy program code develop "
    "edit translate blog tutor babysit commute identify struggle stutter snore weigh earn hold major plan want hope try tend "
    "visit call use follow support vote donate join start begin stop quit move graduate marry retire become leave lose win "
    "break meet learn get give help care fear faint dye shop craft record perform produce act film photograph farm fly sail "
    "dive row box wrestle golf bowl juggle deliver clean nurse operate represent host lead direct dream bring stay come turn"
)
"""Base forms that the rules may take for a verb wherever one can stand."""
NOUN_OR_VERB = word_set(
    "love like hate play study work drive walk hike swim ride ski surf climb travel smoke drink cook paint dance run watch "
    "exercise garden fish hunt camp cycle bike skate jog lift race design program code blog record film farm act box golf bowl "
    "nurse host dream train coach practice share rent use plan hope fear vote craft help care support visit call start stop "
    "move win break fly sail row shop produce perform dye bake read sleep keep hold lead do stay turn own sew knit sing"
)

SOLO_VERBS = word_set(
    "smoke drink dance snore meditate paint knit sew cook bake sing write draw garden travel jog run swim hike fish "
    "hunt camp surf ski skate exercise stutter code blog volunteer crochet workout sculpt babysit act model climb "
    "skateboard snowboard freelance bowl golf box wrestle farm collect read"
)
"""Verbs that say something without an object."""
FINITE = word_set("am is are was were have has had do does did can could will would should may might must")

_CONTRACTIONS = [
    (re.compile(pattern, re.IGNORECASE), whole)
    for pattern, whole in [
        (r"\bain't\b", "am not"),
        (r"\b(?:can't|cant|cannot)\b", "can not"),
        (r"\b(?:won't|wont)\b", "will not"),
        (r"\bshan't\b", "shall not"),
        (r"\b(do|does|did|is|was|have|has|had|are|were|could|would|should|must|need)(?:n't)\b", r"\1 not"),
        (r"\b(do|does|did|is|was|have|has|are|were|could|would|should)nt\b", r"\1 not"),
        (r"\bim\b", "I am"),
        (r"\bive\b", "I have"),
        (r"\bi'?ma\b", "I am going to"),
        (r"\b(i)'m\b", r"\1 am"),
        (r"\b(i|you|we|they|who)'ve\b", r"\1 have"),
        (r"\b(\w+)'ll\b", r"\1 will"),
        (r"\b(\w+)'d\b", r"\1 would"),
        (r"\b(you|we|they|who)'re\b", r"\1 are"),
        (r"\b(it|he|she|that|there|what|who|where|here|how|name|this|favou?rite)'s\b", r"\1 is"),
        (r"(?<!\w)(?:'cause|cuz|coz)\b", "because"),
        (r"\bgonna\b", "going to"),
        (r"\bwanna\b", "want to"),
        (r"\bgotta\b", "got to"),
    ]
]
_QUOTES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "´": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "…": ". "})
_TOKEN = re.compile(r"[,;:()\"?!]|[^\s,;:()\"?!]+")
_SENTENCE_END = re.compile(
    r"(?<=[.!?])[)\"']*\s+(?!(?:19|20)\d\d\b)|\n+"  # `in Oct. 1984`
    # A space was forgotten: `I like tea.My sister ...`, but not `Node.js` or `ASP.NET`.
    r"|(?<=\w\w[.!?])(?=(?:I|My|We|Our|The|He|She|It|They|You|Your|This|That|There|And|But|So|Also|Then|What|How|Do|Is)(?:\s|'\w))"
)
_NEW_STATEMENT = re.compile(r"\s*(?:I|My|I'\w+)\s")
_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|st|jr|sr|vs|e\.g|i\.e|approx|no|mt|ft|prof)|(?:^|[\s.])[A-Za-z])\.$", re.IGNORECASE
)


def expand(text: str) -> str:
    """Return the text with plain quotes and with contractions written out: `I'm` becomes `I am`."""
    text = text.translate(_QUOTES)
    for pattern, whole in _CONTRACTIONS:
        text = pattern.sub(whole, text)
    return re.sub(r"(?<![\w.'])i(?![\w.'])", "I", text)


def tokens(text: str) -> list[str]:
    """Split into words and `, ; : ( ) " ? !`; a final full stop goes away, inner ones (`U.S.`, `3.5`) stay."""
    found = []
    for token in _TOKEN.findall(text):
        word = token if re.fullmatch(r"(?:[A-Za-z]\.)+", token) else token.strip(".*_~`")
        if word:
            found.append(word)
    return found


def join(words: list[str]) -> str:
    """Put tokens together again, punctuation without a space before it."""
    return re.sub(r" ([,;:?!)])", r"\1", " ".join(words)).replace("( ", "(")


def sentences(text: str) -> list[str]:
    """Split at sentence ends and line ends; an abbreviation (`Dr. Who`, `St. Ives`) does not end a sentence."""
    found: list[str] = []
    open_end = False
    for line in re.split(r"\n+", text):
        for part in _SENTENCE_END.split(line):
            if not part.strip():
                continue
            if open_end and not _NEW_STATEMENT.match(part):
                found[-1] += " " + part.strip()
            else:
                found.append(part.strip())
            open_end = bool(_ABBREVIATION.search(part))
        open_end = False
    return found


def without_symbols(text: str) -> str:
    """Return the text with emoji and other pictures as sentence ends, which is how people use them."""
    return "".join("\n" if unicodedata.category(char) in ("So", "Sk", "Cs") and char not in "`^" else char for char in text)


def third_person(verb: str) -> str:
    """Return the present tense after `User`: love -> loves, have -> has, study -> studies."""
    special = {"am": "is", "are": "is", "be": "is", "have": "has", "do": "does", "go": "goes"}
    if verb in special:
        return special[verb]
    if re.search(r"(?:s|x|z|ch|sh|o)$", verb):
        return verb + "es"
    if re.search(r"[^aeiou]y$", verb):
        return verb[:-1] + "ies"
    return verb + "s"


THIRD_PERSON_VERBS = frozenset(third_person(verb) for verb in COMMON_VERBS)


def is_past(word: str) -> bool:
    """Say whether the word is a past tense or participle that differs from the present."""
    word = word.casefold()
    return word in PAST_FORMS or (word.endswith("ed") and len(word) > 3 and word not in _NOT_PAST)


def is_adverb(word: str) -> bool:
    word = word.casefold()
    return word in ADVERBS or (word.endswith("ly") and len(word) > 4 and word not in _LY_WORDS)


_LY_WORDS = word_set(
    "family only early daily weekly monthly yearly friendly lovely lonely elderly italy ugly silly jelly belly bully fly apply "
    "reply supply rely july lily emily holly molly sally kelly billy rally assembly anomaly melancholy curly homely lively"
) - {"only"}


@lru_cache(maxsize=8192)
def stems(word: str) -> frozenset[str]:
    """Return what the word may be a form of: `studies` -> {studies, studie, study}; a number is written in digits."""
    word = word.casefold().removesuffix("'s").removesuffix("'")
    found = {word, NUMBERS.get(word, word), PAST_FORMS.get(word, word), _IRREGULAR_PLURALS.get(word, word)}
    found |= {re.sub(r"(?<=[a-z]{2}[bdlnv])our(?=s?$|ed$|ing$|ite)", "or", one) for one in found}
    for one in list(found):
        found |= _without_endings(one)
    return frozenset(stem for stem in found if stem)


def root(word: str) -> str:
    """Return what the forms of a word have in common, which need not be a word: `studies` and `studied` -> `studi`."""
    word = word.casefold().removesuffix("'s").removesuffix("'")
    word = NUMBERS.get(word) or PAST_FORMS.get(word) or _IRREGULAR_PLURALS.get(word) or word
    word = re.sub(r"(?<=[a-z]{2}[bdlnv])our(?=s?$|ed$|ing$|ite)", "or", word)
    word = re.sub(r"(?<=[a-z]{2}[^s])s$", "", word)
    word = re.sub(r"^(?=\w{4})(\w*[aeiouy]\w*)(?:ing|ed)$", r"\1", word)
    return re.sub(r"y$", "i", re.sub(r"([^aeiou\d])\1$", r"\1", word.rstrip("e")))


def _without_endings(word: str) -> set[str]:
    found = set()
    if word.endswith("ies") and len(word) > 4:
        found |= {word[:-3] + "y", word[:-1]}
    elif word.endswith("s") and not word.endswith("ss") and len(word) > 3:
        found.add(word[:-1])
        if re.search(r"(?:s|x|z|ch|sh|o)es$", word):
            found.add(word[:-2])
    for ending in ("ed", "ing"):
        root = word.removesuffix(ending)
        if root != word and len(root) >= 2 and re.search(r"[aeiouy]", root):
            found |= {root, root + "e"}
            if root.endswith("i") and ending == "ed":
                found.add(root[:-1] + "y")
            if len(root) > 2 and root[-1] == root[-2]:
                found.add(root[:-1])
    return found
