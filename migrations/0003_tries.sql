-- How often learning from a message failed, on as many different days, and when it was tried last: what fails goes behind the rest.
ALTER TABLE surprises ADD COLUMN tries INTEGER NOT NULL DEFAULT 0 CHECK (tries >= 0);
ALTER TABLE surprises ADD COLUMN tried_at TEXT NOT NULL DEFAULT '';
