"""Recording a step takes no longer the more is stored: nothing reads through a table."""

from pathlib import Path
from typing import Any

import pytest

from memapp.services import runs
from memapp.store.session import Session
from memapp.tools.scripted import ScriptedTool
from tests.builders import make_runtime

KILN = ScriptedTool("kiln", "studio", {"kiln frie": "kiln: 'frie' is not a kiln command"})
SMALL = ("SCAN json_each", "SCAN asked", "SCAN CONSTANT ROW")


def test_no_statement_scans_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runtime = make_runtime(tmp_path, embedder=False)
    asked = dict[str, dict[str, Any]]()
    run = Session.run

    def remembered(session: Session, sql: str, /, **values: Any) -> Any:
        asked[sql] = values
        return run(session, sql, **values)

    monkeypatch.setattr(Session, "run", remembered)
    for action in ("kiln frie", "kiln fire", *["kiln frie"] * 4, "kiln fire"):
        runs.attempt(runtime, KILN, action)
    runs.attempt(
        runtime, ScriptedTool("kiln", "studio", {"kiln frei": "kiln: it is too cold"}), "kiln frei"
    )
    monkeypatch.undo()
    with runtime.write() as session:
        plans = {
            sql: [row["detail"] for row in session.run(f"EXPLAIN QUERY PLAN {sql}", **asked[sql])]
            for sql in asked
        }
    runtime.close()
    assert len(plans) > 20
    through = [
        (sql, step) for sql, steps in plans.items() for step in steps if step.startswith("SCAN")
    ]
    assert [(sql, step) for sql, step in through if not step.startswith(SMALL)] == []
