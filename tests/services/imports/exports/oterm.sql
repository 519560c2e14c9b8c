CREATE TABLE "chat" ("id" INTEGER PRIMARY KEY, "name" TEXT, "model" TEXT NOT NULL, "system" TEXT);
CREATE TABLE "message" ("id" INTEGER PRIMARY KEY, "chat_id" INTEGER, "author" TEXT, "text" TEXT, "images" TEXT);
INSERT INTO chat VALUES (1, 'Bees', 'm', '');
INSERT INTO message
       VALUES (1, 1, 'user', 'Hi', '["aGk="]'), (2, 1, 'assistant', 'Yes.', '[]');
