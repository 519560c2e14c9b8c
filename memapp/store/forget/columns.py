"""The columns in which a person's words can stand, and the statements that clean them there."""

from enum import StrEnum

from memapp.domain.forget import ERASED


class How(StrEnum):
    """What becomes of a column when something is forgotten."""

    ROW = "the row is deleted"
    MARK = f"{ERASED} takes its place"
    EMPTY = "the value is emptied, or the row deleted"
    OWNER = "it is deleted, or made anew, with what it belongs to"
    REBUILT = "the index is written anew without it"
    SHORT = "stands there only until the work is done"
    WORDLESS = "never holds what a person or a model wrote"


REGISTRY: dict[str, How] = {
    "threads.title": How.MARK,
    "threads.persona": How.WORDLESS,
    "messages.text": How.MARK,
    "messages.context": How.OWNER,
    "messages.pasted": How.OWNER,
    "messages.model": How.WORDLESS,
    "messages.usage": How.WORDLESS,
    "messages_fts": How.REBUILT,
    "memories_fts": How.REBUILT,
    "predictions.text": How.EMPTY,
    "predictions.needed_info": How.EMPTY,
    "predictions.why": How.EMPTY,
    "memories.text": How.ROW,
    "memories.normal_text": How.ROW,
    "memories.tags": How.ROW,
    "memories.category": How.WORDLESS,
    "memories.reason": How.WORDLESS,
    "versions.image": How.ROW,
    "embeddings.vector": How.OWNER,
    "embeddings.model_id": How.WORDLESS,
    "recalls.why": How.ROW,
    "evidence.text": How.ROW,
    "events.op": How.WORDLESS,
    "events.category": How.WORDLESS,
    "events.meta": How.ROW,
    "supervisor_checkpoints.checkpoint_data": How.ROW,
    "drafts.text": How.ROW,
    "interface.name": How.WORDLESS,
    "interface.value": How.ROW,
    "history.meta": How.WORDLESS,
    "change_log.meta": How.ROW,
    "patches.old_value": How.ROW,
    "patches.new_value": How.ROW,
    "patches.held": How.ROW,
    "profile.value": How.ROW,
    "profile_fields.name": How.WORDLESS,
    "forgotten.fingerprint": How.WORDLESS,
    "forgotten_key.secret": How.WORDLESS,
    "purge_todo.value": How.SHORT,
}
"""Every column that could hold words; a test fails when one of the schema is missing here. Ids, times, and columns that take
one of a few listed values are not named."""

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
# Where words stand that only somebody who wants them gone everywhere means; the profile changes by a patch only, see `erasing`.
ELSEWHERE = (
    "DELETE FROM drafts WHERE user_id = :user AND holds(text)",
    "DELETE FROM interface WHERE user_id = :user AND holds(value)",
    "UPDATE threads SET title = :mark WHERE user_id = :user AND holds(title)",
    "DELETE FROM evidence WHERE user_id = :user AND holds(text)",
    "DELETE FROM versions WHERE memory_id IN (SELECT id FROM memories WHERE user_id = :user) AND holds(image)",
)
PATCHES = "FROM patches WHERE user_id = :user AND (holds(old_value) OR holds(new_value) OR holds(held))"
