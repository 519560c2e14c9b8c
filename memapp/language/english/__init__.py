"""English: the rules that read it and write it. The words that they go by are data (see `lexicon`)."""
