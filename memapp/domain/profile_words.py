"""Tables for reading what a message states about a person: names, languages, places, conditions, beliefs."""

from memapp.domain.english import word_set

GIVEN_NAMES = word_set(
    "aaron abby abdul abigail adam adrian ahmed aisha alan albert alejandro alex alexander alexandra ali alice alicia amanda "
    "amber amelia amina amy ana andre andrea andrew andy angela anita ann anna anne anthony antonio ariana arthur ashley audrey "
    "ava barbara becky ben benjamin beth betty bill billy bob bobby brad bradley brandon brenda brian bruce bruno caleb camila "
    "camile carl carlos carmen carol caroline carrie catherine cathy charles charlie charlotte cheryl chloe chris christina "
    "christine christopher cindy claire clara claudia cody colin connor craig crystal cynthia daisy dan dana daniel daniela "
    "danny dave david debbie deborah denise dennis derek diana diane diego dmitri donald donna dorothy doug dylan ed eddie "
    "edward elena eli elijah elizabeth ella ellen emily emma eric erica erik erin ethan eva evan eve fatima felix fernando "
    "fiona francis frank fred gabriel gary george gerald gina gloria grace greg gregory hannah harry hassan heather hector "
    "helen henry ian ibrahim ingrid irene iris isaac isabel isabella ivan jack jacob jake james jamie jan jane janet jasmine "
    "jason javier jay jeff jeffrey jen jenna jennifer jenny jeremy jerry jesse jessica jim jimmy joan joe joel john johnny jon "
    "jonathan jordan jorge jose joseph josh joshua juan judith judy julia julian julie justin karen karl kate katherine kathy "
    "katie kayla keith kelly ken kenneth kevin kim kyle larry laura lauren lea leah lee leo leon leonard lewis liam lily linda "
    "lisa logan lola louis louise lucas lucia lucy luis luke luna lynn madison maggie marco marcus margaret maria marie marina "
    "mario mark marta martha martin mary mateo matt matthew megan melissa mia michael michelle miguel mike mila mohammed molly "
    "monica nancy natalie natasha nathan neil nick nicholas nicole nina noah noor nora olga oliver olivia omar oscar pablo pam "
    "pamela patricia patrick paul paula pedro peter phil philip priya rachel ralph raquel raul ray raymond rebecca ricardo "
    "richard rick rita rob robert roberto robin roger ron ronald rosa rosie roy ruby russell ruth ryan sally sam samantha "
    "samuel sandra sara sarah scott sean sebastian sergio shane shannon sharon shawn sheila simon sofia sonia sophia sophie "
    "stan stella stephanie stephen steve steven stuart susan suzanne sven sylvia tanya tara ted teresa terry thomas tim timothy "
    "tina todd tom tommy toni tony tracy travis tyler valerie vanessa vera veronica victor victoria vincent virginia walter "
    "wayne wendy wes will william yasmin yuki yusuf zach zachary zoe"
)
"""Names that are recognised where they stand small after `I am`; any name is read after `my name is` and `call me`."""

NOT_NAMES = word_set(
    "crazy later old weird stupid dumb asap tomorrow today tonight soon again lazy picky cheap mad silly anytime names name "
    "anything whatever biased lucky fat ugly everything something someone one out sometime during cynical naive nuts back home "
    "if different unknown private secret confidential spelled spelt misspelled pronounced saved stored listed written wrong "
    "correct right long short common unusual rare hard easy important irrelevant missing please thanks thank hello hi sorry "
    "good great fine okay ok well sure ready happy sad glad tired hungry thirsty bored cold hot sick ill late early busy free "
    "alone lonely single married divorced widowed engaged pregnant retired vegan vegetarian gay straight lesbian bisexual trans "
    "nonbinary male female done curious interested excited afraid scared worried new here there up down now always never just "
    "not no yes too also from in on at by an a the my your his her its our their this that these those what who why how when "
    "where which whether because and or but nor going trying looking using having doing being self none nothing nobody mother "
    "father english spanish french german christmas easter monday tuesday wednesday thursday friday saturday sunday god jesus "
    "team tall white black asian latino hispanic european american african deaf blind autistic diabetic jewish muslim hindu "
    "sikh catholic protestant buddhist atheist agnostic mormon democrat republican libertarian liberal conservative socialist "
    "communist feminist"
)
"""What follows `call me`, `my name is` or `I am` without being a name."""

LANGUAGES = word_set(
    "english spanish french german italian portuguese dutch danish swedish norwegian finnish icelandic polish czech slovak "
    "hungarian romanian bulgarian greek turkish russian ukrainian belarusian serbian croatian bosnian slovenian macedonian "
    "albanian estonian latvian lithuanian irish gaelic welsh scottish breton basque catalan galician maltese arabic hebrew "
    "persian farsi urdu hindi bengali punjabi gujarati marathi tamil telugu kannada malayalam sinhala nepali thai lao khmer "
    "burmese vietnamese indonesian malay tagalog filipino javanese mandarin cantonese chinese japanese korean mongolian tibetan "
    "swahili zulu xhosa afrikaans yoruba igbo hausa amharic somali kurdish armenian georgian azerbaijani kazakh uzbek pashto "
    "dari latin esperanto yiddish luxembourgish faroese quechua guarani maori hawaiian samoan creole klingon asl bsl navajo "
    "cherokee inuktitut wolof twi lingala shona sotho tswana kinyarwanda malagasy hmong uyghur sindhi cebuano ilocano hokkien "
    "taiwanese hakka sicilian flemish occitan corsican aramaic sanskrit oromo tigrinya fijian tongan ojibwe cree romani ladino "
    "bahasa castilian"
)

GENERIC_PLACES = word_set(
    "city town village country countryside suburb suburbs area place house home apartment flat condo room basement attic "
    "building street neighborhood neighbourhood region state world cloud clouds farm ranch cabin castle mansion trailer van "
    "tent camper rv boat hotel shelter dorm dorms dormitory residence community complex duplex bungalow cottage studio loft "
    "penthouse villa woods forest desert mountains hills valley jungle island coast beach south north east west midwest peace "
    "fear poverty harmony hope luxury isolation solitude silence past present future moment middle same rural urban remote "
    "small big large tiny huge quiet downtown uptown student public shared temporary constant here there out one two three it "
    "that this what which my your his her our their bed work school college university prison jail hospital church space dreams "
    "dream real hell heaven paradise town's nature terror denial pain love sin debt sync different foreign another other "
    "new-build townhouse shack barn outskirts center centre"
)
"""Where one can live without telling which place it is."""

PLACE_OPENINGS = word_set(
    "new san los las el la st saint santa north south west east united great costa rio sri hong cape fort port puerto mount "
    "upper lower saudi czech dominican"
)
"""Words after which the next one belongs to the same name, however small it is written."""

PLACES_WITH_ARTICLE = (
    "united states|united kingdom|united arab emirates|netherlands|philippines|bahamas|maldives|czech republic|"
    "dominican republic|gambia|bay area|bronx|hague|usa|us|u\\.s\\.a?\\.?|uk|uae|gold coast|isle of \\w+|highlands"
)

CONDITIONS = (
    "(?:type (?:1|2|one|two) )?diabetes(?: mellitus)?(?: type (?:1|2|one|two))?|asthma|epilepsy|"
    "(?:stage \\w+ )?(?:(?:breast|lung|skin|prostate|bowel|colon|thyroid|cervical|ovarian|kidney) )?cancer|leuka?emia|"
    "arthritis|hypertension|high blood pressure|low blood pressure|depression|anxiety|ptsd|"
    "ocd|adhd|add|autism|asperger'?s?|bipolar disorder|schizophrenia|an? eating disorder|anorexia|bulimia|insomnia|migraines?|"
    "dyslexia|hiv|aids|hepatitis(?: [abc])?|lupus|multiple sclerosis|ms|parkinson'?s?(?: disease)?|alzheimer'?s?|dementia|"
    "celiac disease|coeliac disease|crohn'?s?(?: disease)?|ibs|colitis|endometriosis|pcos|fibromyalgia|chronic pain|"
    "chronic fatigue|long covid|covid|tuberculosis|psoriasis|eczema|glaucoma|tinnitus|vertigo|an? heart condition|heart disease|"
    "a pacemaker|kidney disease|kidney stones|a thyroid condition|hypothyroidism|hyperthyroidism|an? allergy to [\\w -]+|"
    "(?:\\w+ )?allergies|a disability|a panic disorder|panic attacks|seizures|sickle cell(?: disease| ana?emia)?|"
    "cystic fibrosis|cerebral palsy|an addiction|an alcohol problem|a tumou?r|an? (?:[\\w-]+ )?(?:disease|disorder|syndrome)|"
    "erectile dysfunction|"
    "herpes|chlamydia|syphilis|gout|sleep apno?ea|narcolepsy|scoliosis|osteoporosis|an? prosthe[\\w]+|a miscarriage|an abortion"
)
"""What `I have` may be followed by."""

UNWELL = (
    "(?:type (?:1|2|one|two) )?diabetic|asthmatic|epileptic|ana?emic|dyslexic|autistic|bipolar|schizophrenic|anorexic|"
    "bulimic|alcoholic|an alcoholic|a recovering \\w+|an? (?:[\\w-]+ )?addict|"
    "pregnant|expecting(?: twins| a baby)?|disabled|deaf|blind(?! to)|colou?r ?-?blind|hard of hearing|paraly[sz]ed|"
    "hiv[- ]positive|ha?emophiliac|immunocompromised|celiac|coeliac|neurodivergent|suicidal|depressed|infertile|a "
    "wheelchair user|lactose[- ]intolerant|gluten[- ]intolerant|in a wheelchair|in therapy|in rehab|in recovery|in remission|on "
    "dialysis|allergic to (?!(?:them|it|that|this|you|everything|those)\\b)[\\w' -]+?(?=$|[,.;!?]| and i\\b| but\\b| so\\b)|on "
    "(?:insulin|antidepressants?|chemo(?:therapy)?|medication|blood thinners|ssris?|lithium|methadone|birth control)[\\w ]{0,30}"
)
"""What `I am` may be followed by."""

FAITHS = (
    "christian|catholic|roman catholic|protestant|lutheran|methodist|baptist|anglican|presbyterian|evangelical|orthodox|"
    "orthodox christian|orthodox jew|mormon|quaker|jehovah'?s witness|muslim|sunni|shia|sufi|jew|jewish|hindu|buddhist|"
    "sikh|jain|taoist|daoist|pagan|wiccan|atheist|agnostic|satanist|rastafarian|scientologist|bah[aá]'?[ií]|unitarian|deist|"
    "non-?religious|born[- ]again christian"
)
RELIGIONS = (
    "christianity|catholicism|protestantism|islam|judaism|hinduism|buddhism|sikhism|jainism|taoism|daoism|paganism|mormonism|"
    "atheism"
)
LEANINGS = (
    "democrat|republican|libertarian|liberal|conservative|socialist|communist|marxist|anarchist|social democrat|leftist|"
    "centrist|progressive|green|tory|labour voter|labour supporter|nationalist|feminist|monarchist|left[- ]wing|right[- ]wing|"
    "(?:trump|biden|obama|maga|bernie|brexit) (?:supporter|voter|fan)"
)
BONDS = (
    "married(?! to my (?:job|work|career)\\b)(?: to (?!an?\\b|my\\b|the\\b)[\\w'-]+)?|single|divorced|widowed|"
    "engaged(?! in| with)(?: to (?!an?\\b|my\\b|the\\b)[\\w'-]+)?|separated|in a (?:\\w+[ -]){0,2}relationship|in an open "
    "relationship|polyamorous|celibate|gay|lesbian|bi|bisexual|straight(?! with| to| from)|heterosexual|homosexual|"
    "asexual|pansexual|queer|trans|transgender|non-?binary|dating (?:my |a )?[\\w'-]+|"
    "a (?:widow|widower|bachelor|single (?:mother|father|mom|mum|dad|parent)|divorcee)|getting (?:married|divorced)"
)
"""What `I am` may be followed by."""
