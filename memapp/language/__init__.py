"""Reading and wording: what a text in plain words says, and in which words a person is told things.

Everything that knows a language stands here, and the word lists it knows it by in
`assets/language`. What is read becomes nouns of `domain`; nothing here is stored, asked or decided.
Each language has a file of patterns with the same entries (`word_file`). The word lists in
`assets/language/en` (`lexicon`), and the judge, know English only.
"""
