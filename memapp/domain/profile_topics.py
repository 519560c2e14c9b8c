"""Classes of words that speak of something sensitive, as patterns over a sentence in the first person."""

_ANOTHER = r"(?=\W*$| (?:last|this|in|at|on|when|before|after|to|during|\w+ (?:years?|months?|weeks?)|\d|and i)\b)"
"""What is lost is named to its end: a baby, not a baby blanket."""

BODY = (
    r"(?:blood )?sugar levels?|blood (?:transfusions?|group|type|sugar|count|tests?|results)|(?:my|a) bmi|hba1c|body fat|"
    r"(?:my|resting) (?:heart rate|pulse|waist|weight) (?:is|of|was)|"
    r"my (?:\w+ )?(?:weight|heart rate) is|viral load|sperm(?: count)?|(?:blood|t|cd4|white|red)-cell count|"
    r"weigh(?=\W*$| (?:\w+ ){0,2}?(?:\d|too|less|more|kilos?|kg|pounds?|stone|lbs))"
)
"""What is measured of a body."""

_MEDICINE_ENDS = (
    r"pril|sartan|statins?|prazole|olol|azepam|zolam|oxetine|pramine|triptyline|cillin|mycin|cycline|gliptin|glutide|formin|"
    r"setron|triptan|lukast|azole|codone|morphone|opram|traline|afaxine|tiapine|zapine|nisone|nisolone|asone|profen|"
    r"thyroxine|pentin|faxine|giline|mab|tinib"
)
MEDICINES = (
    rf"\w{{3,}}(?:{_MEDICINE_ENDS})|statins?|prescri(?:be|bed|ptions?)|beta[- ]?blockers?|blood thinners?|steroids|antibiotics|"
    r"antihistamines|sedatives?|testosterone|(?:o?estrogen)|progesterone|hrt|hormone (?:therapy|replacement|treatment|"
    r"blockers?)|epipens?|warfarin|tamoxifen|(?:on|take|use) the (?:mini-?)?pill(?! bug)|"
    r"birth control|contracepti\w+|vaccinated|(?:sleeping|diet) (?:pills|tablets)|(?:am on|took|have had) (?:my )?injections"
)
"""What is taken against an illness; most medicines are known by how their names end."""

TREATMENTS = (
    r"iuds?|stomas?|catheter|colostomy|(?:insulin|breast) pump|glucose (?:monitor|sensor)|cpap|dentures|cochlear|"
    r"(?:have|get|got|had|with|wear) (?:\w+ ){0,3}(?:implants?(?! of)|stents?)|gastric \w+|biops(?:y|ies)|"
    r"(?!micro|spectro|stetho|dicho|horo)\w{3,}(?:ectomy|ectomies|oscopy|ostomy|otomy|oplasty)|(?:hip|knee|"
    r"joint|shoulder|valve) replacements?|(?:knee|hip|back|eye|heart|brain|spinal|medical) operation|operated on|c-sections?|"
    r"ca?esareans?|bone marrow|mris?|ct scans?|mammograms?|smear tests?|the clinic|my (?:surgeon|specialist|doctor|gp)"
)
"""Devices in and on a body, and what is done to it."""

PREGNANCY = (
    r"(?:lost|lose) (?:an?|our|my|the|two) (?:unborn )?(?:bab(?:y|ies)|child|children|twins|triplets|son|daughter|"
    rf"pregnancy){_ANOTHER}|(?:lost|lose) (?:twins|triplets|babies){_ANOTHER}|still-?b(?:orn|irths?)|"
    r"(?:trying|want|unable|struggl\w+|hope|hoping) to conceive|(?:try|trying) for (?:an?|another) (?:baby|child)|"
    r"froze (?:my|our) (?:eggs|embryos)|egg freezing|fertility|months along(?=\W*$)|(?:had|have) a termination"
)
"""Pregnancy, and its loss."""

GROUPS = (
    r"(?:in|to|attend|joined|join|through|leave) (?:an? )?(?:aa|na|ga|oa)|(?:aa|na|ga) (?:meetings?|sponsor|chip)|"
    r"(?-i:AA)|al-?anon|(?:alcoholics|narcotics|gamblers|overeaters|\w+aholics|cocaine|debtors) anonymous|(?:twelve|"
    r"12)[- ]step (?:program\w*|meetings?|groups?)|gambling (?:problem|addict\w*|habit|debts?)|"
    r"clean (?:for|since) (?:\w+ ){0,2}(?:years?|months?|weeks?|days?|\d+|\w+day)|(?:am|been|got|get|stay) clean(?=\W*$)"
)
"""Ways out of an addiction."""

GENES = (
    r"brca\w*|huntington\w*|(?:genetic|gene|brca\w*) (?:mutation|test|disorder)|dna test\w*|(?:am|be) (?:an? )?carrier (?:of|"
    r"for)|carry the (?:[\w'-]+ ){0,3}(?:gene|trait|mutation)|have the (?:[\w'-]+ ){1,3}gene|sickle cell|cystic fibrosis"
)
"""What is inherited in a body."""

LOSS = (
    r"(?:am|was|be|been|became|become) (?:an? )?(?:young )?widow(?:er|ed)?(?!')|widowed|(?:lost|lose) my (?:late |"
    r"first )?(?:husband|wife|partner|spouse|fianc\w+)(?! in the (?:crowd|shop|store))|my late (?:husband|wife|partner)|"
    r"(?:husband|wife|partner|spouse|boyfriend|girlfriend|fianc\w+) (?:has )?(?:just |recently )?(?:left|dumped|"
    r"walked out on|kicked out|threw out|is leaving|wants to leave) (?:me|us)(?! (?:an?|the|my|some|\d+|two|three)\b)|"
    r"split(?:ting)? up(?! (?:the|an?|our|my|into|logs)\b)|(?:and i|i|am|are|we) separated?(?= (?:from my|in|last|two|"
    r"three|an?|this|\d)\b|\W*$)|"
    r"my marriage (?:ended|is over|broke|failed)|annul\w+|civil (?:partner\w*|union|marriage)|custody|alimony|estranged"
)
"""Marital states, and how they end."""

GENDER = (
    r"c[ao]m(?:e|ing) out(?= as\b| to (?:my|me|our|everyone|everybody|family|friends|colleagues)\b| at (?:\d|\w+teen|work|"
    r"school|home|twenty|thirty)| (?:last|this|two|three|publicly)\b| in (?:my|\d)|\W*$)|"
    r"i (?:de)?transition(?:ed)?(?! (?:\w+ )?(?:to|into|from|away|words?|year)\b)|transition(?:ed|ing) (?:to|from) (?:fe)?male|"
    r"in the closet(?=\W*$)|hormones to transition|assigned (?:fe)?male|gender ?-?(?:fluid|queer|dysphoria|identity|"
    r"affirming)\w*|intersex|asexual|pansexual|sexuality"
)
"""Whom somebody loves, and which gender they live."""

STAYING = (
    r"(?:am|was|be|being) undocumented|undocumented (?:im)?migrant|asylum|refugees? status|am an? (?:\w+ )?(?:refugee|"
    r"immigrant|migrant)|overstay\w*|deport\w+|"
    r"(?:student|work|tourist|spouse|spousal|family|holiday|h-?1b|temporary|fianc\w+|my) visa(?! (?:officer|card|debit))|"
    r"(?:have|get|got|had|apply for|applied for) (?:a|my|the) green card|leave to remain|settled status|(?:residence|"
    r"work) permit|immigration status|naturali[sz]ed|illegal (?:im)?migrant|(?:here|country) illegally|without (?:any )?papers|"
    r"stateless|citizenship|have no papers|border illegally|fingerprints (?:are|were)|biometric\w*"
)
"""On what right somebody is in a country, and what it holds of them."""

UNIONS = (
    r"(?:in|joined|join|belong to|member of|active in|leave|left) (?:an?|the|my|our) (?!european|student|credit|soviet|"
    r"rugby|western)(?:[\w']+ )?union(?! (?:jack|station|square|of (?!teachers|workers|\w+ers)))|(?<!student )union (?:member|"
    r"rep|representative|steward|organi[sz]er|official|dues)s?|trade unions?|shop steward|unioni[sz]ed"
)

DESCENT = (
    r"(?:of|have) (?:\w+ )?(?-i:[A-Z])[\w-]+ (?:descent|ancestry|origin|heritage|blood)|(?:person|man|woman|"
    r"people) of colou?r|ethnically|ethnicity|mixed[- ]race|bi-?racial|"
    r"multi-?racial|my race|am (?:an? )?(?:black|white|brown|asian|latin[oax]|hispanic|roma|romani|indigenous|aboriginal|"
    r"native american|arab|african american|caucasian)(?=\W*$| (?:man|woman|person|guy|girl|and|american|british)\b)"
)
"""Ethnic origin."""

_NUMBERED = (
    r"(?:bank |debit |credit )?(?:card|account)|passport|sort|routing|social security|national insurance|tax|id|insurance|"
    r"(?:driving |driver's |drivers )?licen[cs]e|medicare|nhs|cvv|cvc"
)
SECRETS = (
    r"pass-?(?:words?|codes?|phrases?) (?:(?:for|to|of) (?:\w+ ){1,3})?(?:is|are|was)|(?:my|"
    r"the) (?:\w+ ){0,2}(?:pin(?: code| number)?|login|cvv|cvc|ssn|iban|(?:door|alarm|gate|security|access|safe|"
    r"lock|garage|unlock|entry) code|(?:recovery|seed) (?:phrase|key|code)|(?:private|api) key) (?:is|was|ends|starts|begins)|"
    rf"my (?:\w+ ){{0,1}}(?:{_NUMBERED})(?: \w+)? (?:number|no|code|id) (?:is|was|ends|starts|begins)|"
    r"my (?:\w+ ){0,2}(?:card|account) (?:is \d|(?:ends|starts|begins) (?:in|with))|"
    r"(?:\d[ -]?){12,18}\d|(?-i:[A-Z]{2})\d{2} ?[a-z\d]{4}[a-z\d ]{7,26}|\d{3}-\d{2}-\d{4}"
)
"""What opens doors and accounts: nobody needs a chat to remember it."""
