-- How many embeddings were deleted so far. With the highest number of one, it tells an open process at no cost whether the
-- embeddings that it holds in memory are still those of the file; to count them takes 25 ms where there are 200,000.
CREATE TABLE deleted_embeddings (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    count INTEGER NOT NULL CHECK (count >= 0)
) STRICT;
INSERT INTO deleted_embeddings (only, count) VALUES (1, 0);
CREATE TRIGGER embeddings_count_deleted AFTER DELETE ON embeddings BEGIN
    UPDATE deleted_embeddings SET count = count + 1;
END;
