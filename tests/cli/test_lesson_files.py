"""Lessons to files and back, from the command line."""

import json
from pathlib import Path

from tests.cli.conftest import Terminal

ROW = '{"lesson":"kiln frie -> kiln fire","task_id":"t1","eval_score":0.5}\n'


def test_lessons_come_from_a_file_and_go_to_one(memapp: Terminal, tmp_path: Path) -> None:
    file, out = tmp_path / "lessons.jsonl", tmp_path / "out.jsonl"
    file.write_text(ROW)
    assert memapp("lessons", "import", str(file))[1] == "Imported: 1 lesson, 0 failures.\n"
    assert json.loads(memapp("lessons", "import", "--json", str(file))[1])["known"] == 1
    assert memapp("lessons", "export")[1] == ROW
    assert memapp("lessons", "export", "-o", str(out))[0] == 0 and out.read_text() == ROW
    assert memapp("lessons", "export", "--failures")[1] == ""
    assert "nothing yet" in memapp("lessons", "export", "--skills")[1]
    assert memapp("undo")[0] == 0 and memapp("lessons", "--json")[1] == "[]\n"
    file.write_text("Dear diary")
    code, _, err = memapp("lessons", "import", str(file))
    assert code == 2 and "Line 1" in err and "Nothing was imported" in err
    assert memapp("lessons", "import", str(tmp_path / "none"))[0] == 2
