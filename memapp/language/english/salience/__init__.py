"""Salience, or what is worth remembering: rules by verb, for the person (`person`) and for what is theirs (`belongings`)."""
