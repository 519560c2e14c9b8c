-- How often learning from a message failed, on as many different days, and when it was tried last: what fails goes behind the rest.
ALTER TABLE surprises ADD COLUMN tries INTEGER NOT NULL DEFAULT 0 CHECK (tries >= 0);
ALTER TABLE surprises ADD COLUMN tried_at TEXT NOT NULL DEFAULT '';

-- A memory or message that changes drops its vectors, whatever model they are of: without this, all vectors were read for each.
CREATE INDEX embeddings_owner ON embeddings (owner_key, owner_kind);
