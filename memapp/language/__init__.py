"""Reading and wording: what a text in plain words says, and in which words a person is told things.

Everything that knows a language stands here, and the word lists it knows it by in `assets/language`. What is read becomes
nouns of `domain`; nothing here is stored, asked or decided. English is read by rules (`english`), any other language by none
(`any`): a capable model proposes what was said, in English, and that is judged. So how two facts relate is English for both.
"""
