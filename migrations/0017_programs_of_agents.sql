-- How the program behind an agent last introduced itself, such as "Claude Code 2.1": its own word, which is shown and decides nothing.
ALTER TABLE agents ADD COLUMN program TEXT NOT NULL DEFAULT '' CHECK (length(program) <= 80);
