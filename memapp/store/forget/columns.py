"""The statements that erase words from the columns that can contain them."""

from memapp.store.snapshots import STEPS, TAGS, TEXT

# Rows written from a memory, which may repeat its words. `holds` is a function of the connection:
# see `finding`. Of JSON only parts with a person's words are searched, since memapp's own, such as
# the name of a category, may be the same.
REPEATING = (
    """UPDATE predictions SET text = '', needed_info = '[]', why = ''
       WHERE user_id = :user AND surprised IS NOT NULL AND (holds(text) OR holds(needed_info))""",
    "DELETE FROM predictions WHERE user_id = :user AND (holds(text) OR holds(needed_info))",
    """DELETE FROM supervisor_checkpoints
       WHERE user_id = :user
       AND (holds(checkpoint_data ->> 'needed_info')
            OR holds(checkpoint_data ->> 'last_prediction')
            OR holds(checkpoint_data ->> '$.prefetch.needed_info'))""",
)
# Other places with words, for an erasure everywhere; for the profile and its requests see
# `consent_requests`.
ELSEWHERE = (
    "DELETE FROM drafts WHERE user_id = :user AND holds(text)",
    """DELETE FROM interface
       WHERE user_id = :user
       AND EXISTS (SELECT 1 FROM json_tree(interface.value) one
                   WHERE one.type = 'text' AND holds(one.value))""",
    "UPDATE threads SET title = :mark WHERE user_id = :user AND holds(title)",
    "UPDATE imported_files SET name = :mark WHERE user_id = :user AND holds(name)",
    "DELETE FROM context_cards WHERE user_id = :user AND holds(text)",
    f"""DELETE FROM versions
        WHERE memory_id IN (SELECT id FROM memories WHERE user_id = :user)
        AND (holds({TEXT}) OR holds({TAGS}) OR holds({STEPS}))""",  # noqa: S608
    """DELETE FROM lesson_versions
       WHERE user_id = :user
       AND EXISTS (SELECT 1 FROM json_tree(lesson_versions.snapshot) one
                   WHERE one.type = 'text' AND holds(one.value))""",
    *(
        f"""DELETE FROM {table}
            WHERE user_id = :user
            AND EXISTS (SELECT 1 FROM json_tree({table}.said) one
                        WHERE (one.type = 'text' AND holds(one.value))
                        OR (typeof(one.key) = 'text' AND holds(one.key)))"""  # noqa: S608
        for table in ("lesson_rows", "error_rows")
    ),
    """DELETE FROM run_steps
       WHERE user_id = :user
       AND (holds(action)
            OR EXISTS (SELECT 1 FROM error_events e
                       WHERE e.step_id = run_steps.id AND holds(e.excerpt)))""",
    "DELETE FROM dissents WHERE user_id = :user AND (holds(text) OR holds(quote))",
    """DELETE FROM rounds
       WHERE user_id = :user
       AND (holds(task) OR holds(draft) OR holds(revision) OR holds(final))""",
    "UPDATE agents SET program = '' WHERE user_id = :user AND holds(program)",
    """UPDATE agents SET imported = ''
       WHERE user_id = :user AND imported <> ''
       AND EXISTS (SELECT 1 FROM json_tree(agents.imported) one
                   WHERE one.type = 'text' AND holds(one.value))""",
    """DELETE FROM fingerprints
       WHERE user_id = :user AND (holds(tool) OR holds(shape) OR holds(subject))""",
    "DELETE FROM runs WHERE user_id = :user AND (holds(tool) OR holds(task) OR holds(agent))",
)
