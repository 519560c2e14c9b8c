"""The words that tell what lasts about a person from what passes: tables for the rules."""

import re

from memapp.domain.english import word_set

PASSING_VERBS = word_set(
    "think know see agree disagree understand guess hope mean suppose wonder bet need wish feel imagine believe appreciate "
    "thank promise say tell ask hear find remember forget recommend suggest apologize apologise care doubt expect assume admit "
    "swear mind look seem sound come let decide notice realize realise consider give send show stand book order request confirm "
    "check call get must shall dare figure recall reckon relate welcome accept choose pick note trust vote regret mention "
    "insist deserve miss lol gotta got cannot better rather beg concur envy sympathize sympathise owe want wait add prove leave "
    "return pay approve prepare bring put try keep set turn stay pass hold"
)
"""Verbs that tell nothing that lasts about the one who says them."""

PASSING_PASTS = word_set(
    "think know see agree understand guess hope mean suppose wonder bet need wish feel imagine believe appreciate "
    "promise say tell ask hear find remember forget recommend suggest expect assume notice realize realise consider "
    "give send show call want like love enjoy try look come do put thank use decide check bring take let make leave "
    "order book pick hate mention miss laugh cry scream smile eat drink watch sleep get keep wake walk go have be sit "
    "stand stay finish run talk submit catch crash chat help"
)
"""Pasts that are an anecdote unless they carry a time."""

PASSING_THINGS = word_set(
    "time fun idea question feeling problem thing things trouble doubt doubts chance look point issue issues request "
    "favor luck choice clue plans day night weekend evening morning while moment bit lot lots few minute sense right "
    "meeting appointment reservation suggestion recommendation blast ball opinion recommendations something anything "
    "everything nothing stuff conversation talk chat dream laugh news work homework access faith respect room space "
    "reason one some any more many all to both neither picture pictures photo photos error bug array list string file "
    "script function variable table dataframe dataset code json csv query loop exception plan story stories event "
    "events exam test interview deadline party tournament setback experience incident luggage favorite favourite "
    "favorites favourites interest intention memories memory preference preferences option options"
)
"""What one has for a while only, or has in hand in a task."""

VAGUE_OBJECTS = word_set(
    "it that this these those them something anything everything nothing someone anyone everyone some any all both "
    "either neither one ones others another hard few such similar how what when where why who if whether there here "
    "things stuff more most same so too each much lot"
)
"""Objects that need the chat around them."""

ROLES_PASSING = word_set(
    "little bit lot mix kid child baby teenager teen mess fool idiot guest customer few wreck tad new bot human ai person"
)
"""What somebody is only now, or everybody is."""

ADJECTIVES = word_set(
    "vegetarian vegan pescatarian married single divorced widowed engaged pregnant retired unemployed self-employed left-handed "
    "right-handed allergic diabetic dyslexic deaf blind colorblind autistic bilingual trilingual religious catholic christian "
    "muslim jewish buddhist hindu protestant mormon atheist agnostic gay lesbian straight bisexual asexual transgender "
    "nonbinary non-binary adopted homeschooled tall short shy introverted extroverted outgoing athletic artistic creative "
    "organized organised ambitious lactose-intolerant gluten-free intolerant bald blonde blond brunette overweight nearsighted "
    "short-sighted disabled paralyzed sober homeless wealthy famous musical spiritual conservative liberal republican "
    "democratic celiac coeliac asthmatic epileptic anemic celibate childless heterosexual straight-edge employed born raised "
    "based enrolled certified licensed named ambidextrous multilingual handicapped clumsy stubborn optimistic pessimistic "
    "adventurous competitive patriotic superstitious claustrophobic arachnophobic insomniac hispanic latino latina asian "
    "african european native american british english french german"
)
"""Traits that last."""

ADJECTIVES_WITH = {
    "afraid": "of", "scared": "of", "terrified": "of", "frightened": "of", "fond": "of", "interested": "in",
    "passionate": "about",
    "obsessed": "with", "addicted": "to", "allergic": "to", "good": "at", "great": "at", "bad": "at", "terrible": "at",
    "skilled": "at in", "talented": "at in", "fluent": "in", "involved": "in", "employed": "by at as", "named": "after",
    "fascinated": "by", "located": "in", "responsible": "for", "known": "for", "proficient": "in", "partial": "to",
    "intolerant": "to of", "sensitive": "to", "married": "to with for", "engaged": "to", "enrolled": "in at",
}  # fmt: skip
"""Traits that need to be told more of, with the prepositions that do so."""

SITUATIONS = word_set(
    "college school university grade army navy military marines reserves band choir relationship twenties thirties "
    "forties fifties sixties seventies eighties 20s 30s 40s 50s 60s 70s 80s kindergarten wheelchair team club "
    "orchestra recovery therapy industry business sales finance insurance real marketing it construction nursing "
    "graduate high law medical middle elementary"
)
"""What one can be in for long."""

DOING = word_set(
    "learning studying training working planning saving taking writing majoring teaching attending raising living dating "
    "expecting getting moving going volunteering coaching building renovating restoring remodeling pursuing homeschooling "
    "recovering fostering looking starting opening running interning apprenticing competing hoping trying"
)
"""Longer undertakings: `I am learning ...`."""

LASTING_TO = word_set(
    "be become learn travel visit move write study start own live retire open work play get have see quit lose stop buy build "
    "run teach go adopt marry graduate publish join climb try speak improve save sail ride master finish compete"
)
"""What longer plans are about."""

LIFE_AIMS = word_set("be become learn travel visit move write study own live retire open teach adopt marry publish climb")
"""What somebody wishes, hopes or decides for a life."""

ABILITIES = word_set(
    "speak swim play cook drive sing dance eat read write ride ski juggle whistle sew knit bake surf type code "
    "program draw paint hear see walk drink stand tolerate digest run lift bench fly sail skate understand"
)
"""What `can` tells a skill of."""

LASTING_PASTS = word_set(
    "grow move graduate study major marry lose win quit retire adopt buy work serve attend drop break publish learn "
    "teach become found build raise inherit join compete volunteer own live travel play train start earn divorce "
    "immigrate emigrate enlist write visit drive sell meet design complete invent direct star perform pass-out lead "
    "coach beat fail begin stop speak"
)
"""Events that change a life, or are worth keeping without a time."""

GENERIC_THE = word_set(
    "outdoors outdoor beach ocean sea mountains mountain water city country countryside snow rain sun cold heat winter summer "
    "spring fall autumn holidays holiday guitar piano violin drums drum cello flute saxophone trumpet banjo ukulele bass harp "
    "clarinet keyboard keyboards viola trombone harmonica accordion oboe army navy military dark weekends gym theater theatre "
    "opera ballet movies internet woods forest lake desert environment arts news olympics library park zoo dentist us usa uk "
    "night sky stars weather blues bus train subway market lottery dishes marines world nhl nba nfl mlb beatles"
)
"""What everybody knows with `the` before it."""

PASSING_NOUNS = word_set(
    "day week weekend night morning evening point question questions bad pleasure fault guess mistake apologies "
    "thoughts thought understanding turn flight order reservation appointment account problem issue concern opinion "
    "goodness god advice suggestion request message email phone booking ticket tickets trip budget plan plans mood "
    "mind heart head answer idea feeling condolences boy man dear love friend treat luck choice preference card bill "
    "balance credit check password room table"
)
"""Subjects after `my` that come and go, or belong to a task."""

LASTING_ATTRIBUTES = word_set(
    "favorite favourite name nickname job hobby hobbies birthday hair eyes dream passion goal age height profession "
    "occupation specialty speciality pronouns hometown home house mother-tongue language diet religion major zodiac "
    "sign birthplace nationality faith weakness strength talent interests background surname"
)
"""Subjects after `my` of which anything said lasts."""

DENIED = word_set(
    "kids children child siblings brother brothers sister sisters pets pet dog cat car job family parents partner "
    "girlfriend boyfriend wife husband allergies tattoos degree license licence garden"
)
"""What is worth remembering when somebody has none."""

SIZES = word_set(
    "a an the big huge great good bad nice lovely terrible little small some any no many few several only long real "
    "lots lot of whole"
)
"""Words between `have` and the thing."""

ANIMALS = word_set(
    "dog dogs puppy puppies cat cats kitten kittens rabbit rabbits hamster hamsters parrot parrots budgie budgies bird birds "
    "fish goldfish horse horses pony ponies chicken chickens hen hens duck ducks goat goats sheep cow cows pig pigs bees pet "
    "pets tortoise tortoises turtle turtles ferret ferrets snake snakes lizard lizards gecko geckos greyhound labrador retriever "
    "terrier poodle dachshund spaniel collie husky beagle"
)
"""Whom people live with."""

HOMES = word_set(
    "house houseboat flat apartment cottage cabin farm farmhouse bungalow garden allotment caravan campervan boat sailboat"
)
"""Where people live, or are at home at times."""

GETTABLE = (
    word_set(
        "job degree promotion divorce car phd scholarship masters tattoo license certificate truck internship piano guitar "
        "violin bike motorbike telescope"
    )
    | ANIMALS
    | HOMES
)
"""What it matters to have got or had."""

PEOPLE = word_set(
    "mother father mom mum dad sister brother wife husband son daughter grandfather grandmother grandpa grandma uncle "
    "aunt cousin parents parent partner boyfriend girlfriend"
)
"""Whom it matters to know of."""

_SEASON = r"spring|summer|fall|autumn|winter"
_MONTH = r"january|february|march|april|may|june|july|august|september|october|november|december"
TIME = re.compile(
    r"\b(?:yesterday|ago|tomorrow|since|recently|years? old|when I|next \w+|at (?:age|the age)"
    rf"|last (?:night|week|weekend|month|year|{_SEASON}|\w+day)|this (?:year|month|week|{_SEASON})|(?:in|until|by|from|before|"
    rf"after) (?:(?:19|20)\d\d|{_MONTH}|college|(?:high |elementary |middle )?school|university)|for (?:\w+ )?(?:years?|months|"
    r"decades?|\d+|two|three|four|five|six|seven|eight|nine|ten|many)|as a (?:kid|child|teen|teenager|student|boy|girl))\b",
    re.IGNORECASE,
)
"""When something happened, or for how long."""

HAPPENED = re.compile(r"\b(?:just|recently|yesterday|ago|last)\b", re.IGNORECASE)
"""Makes a past of a verb that looks the same in the present: `I just quit`."""

FREQUENT = re.compile(
    rf"\b(?:(?:every|each) (?:other )?(?:\w*day|week|weekend|month|year|morning|evening|night|{_SEASON})|daily|weekly|once|twice"
    r"|often|usually|always|sometimes|never|regularly|weekends|mornings|evenings|nights|times? a|at night|a (?:day|"
    r"week|month|year)|on (?:mon|tues|wednes|thurs|fri|satur|sun)days?|in my (?:free|spare) time|for (?:fun|a living|work))\b",
    re.IGNORECASE,
)
"""How often; makes a habit of any verb."""
