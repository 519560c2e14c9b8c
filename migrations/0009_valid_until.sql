-- A memory that tells of a coming day is history after it: the last day on which it is news, as 2026-12-04.
ALTER TABLE memories ADD COLUMN valid_until TEXT;
