"""What is worth remembering of a statement: rules by verb, for the person (`person`) and for what is theirs (`belongings`)."""
