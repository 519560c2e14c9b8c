-- Commands that are run in a chat stay with it; a reply may come from a lesson.
INSERT INTO message_origins (name) VALUES ('command');
INSERT INTO owner_kinds (name) VALUES ('lesson');
