-- A council's card stands below the message whose answer it reviewed; a dissent says what of the answer it is about.
ALTER TABLE rounds ADD COLUMN message_id TEXT REFERENCES messages (id) ON DELETE CASCADE;
CREATE INDEX rounds_message ON rounds (message_id) WHERE message_id IS NOT NULL;
ALTER TABLE dissents ADD COLUMN quote TEXT NOT NULL DEFAULT '' CHECK (length(quote) <= 2000);
INSERT INTO actors (name) VALUES ('reviewer'), ('council');
