"""The statements that clean words out of the columns in which they can stand."""

# What memapp wrote out of a memory and repeats its words. `holds` is a function of the connection: see `finding`.
REPEATING = (
    """UPDATE predictions SET text = '', needed_info = '[]', why = '' WHERE user_id = :user AND surprised IS NOT NULL
       AND (holds(text) OR holds(needed_info) OR holds(why))""",
    "DELETE FROM predictions WHERE user_id = :user AND (holds(text) OR holds(needed_info) OR holds(why))",
    "DELETE FROM supervisor_checkpoints WHERE user_id = :user AND holds(checkpoint_data)",
    "DELETE FROM events WHERE user_id = :user AND meta <> '{}' AND holds(meta)",
    "DELETE FROM change_log WHERE user_id = :user AND meta <> '{}' AND holds(meta)",
    "DELETE FROM recalls WHERE message_id IN (SELECT id FROM messages WHERE user_id = :user) AND holds(why)",
)
# Where words stand that only somebody who wants them gone everywhere means; for the profile and its patches see `proposals`.
ELSEWHERE = (
    "DELETE FROM drafts WHERE user_id = :user AND holds(text)",
    "DELETE FROM interface WHERE user_id = :user AND holds(value)",
    "UPDATE threads SET title = :mark WHERE user_id = :user AND holds(title)",
    "DELETE FROM evidence WHERE user_id = :user AND holds(text)",
    "DELETE FROM versions WHERE memory_id IN (SELECT id FROM memories WHERE user_id = :user) AND holds(image)",
)
