"""Language: reading text in natural language, and the wording in which people are told things.

Everything that knows a language is here, with its word lists in `assets/language`. Results are
records of `domain`; nothing here is stored, asked or decided. Each language has a file of patterns
with the same entries (`word_file`). The word lists in `assets/language/en` (`lexicon`), and the
judge, know English only.
"""
