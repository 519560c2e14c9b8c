-- An imported message that came without a time has that of a neighbour, and says so.
ALTER TABLE messages ADD COLUMN time_estimated INTEGER NOT NULL DEFAULT 0 CHECK (time_estimated IN (0, 1));
