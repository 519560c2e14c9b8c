"""Does a failure have the same fingerprint when it happens again under other names?

In each recorded error the names, paths and numbers of the command are changed alike in command and
output; the shape must stay. Classes must not be mixed more than the raw text mixes them, and two
outputs of one class should often have one shape. Then commands that fail on this machine are run
twice, with other names.

python -m benchmarks.fingerprints [--small] [--data ../shared/data] [--show N]
"""

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from benchmarks import MISSED
from memapp.domain.lessons.feedback import ToolAttempt
from memapp.domain.lessons.fingerprint import fingerprint
from memapp.language.failures import staying_words

Error = Mapping[str, Any]
SEEDS = 5
STABLE, REAL, SAME_SHAPE = 0.97, 0.95, 0.50
MORE_MIXED = 1
SYLLABLES = re.findall("..", "bacedifoguhajekilomunapeqirosutavewixoyuza")
NAME = re.compile(r"[A-Za-z_][\w.@+-]*")
TWICE = (
    *("ls {name}", "cat {name}.txt", "cd_missing {name}", "cp {name} {other}",
        "mv {name}.txt {other}.txt", "rm {name}"),
    *("mkdir {name}/{other}/x", "rmdir {name}", "touch {name}/{other}", "ln {name} {other}",
        "chmod 644 {name}"),
    *("chown {name} x", "git checkout {name}", "git {name}", "git branch -d {name}",
        "git merge {name}"),
    *("git rebase {name}", "git show {name}", "git push {name} main", "git add {name}.txt",
        "git rm {name}.txt"),
    *("git stash pop {name}", "git tag -d {name}", "git log {name}", "python3 {name}.py",
        "python3 -c 'import {name}'"),
    *("python3 -c 'print({name})'", "python3 -m {name}", "python3 -c '{name}.{other}()'",
        "python3 -c 'open(\"{name}\")'"),
    *("python3 -c '{{}}[\"{name}\"]'", "python3 -c 'int(\"{name}\")'",
        "pip install --no-index {name}"),
    *("grep x {name}.txt", "head -n 3 {name}", "tar xf {name}.tar", "find {name} -name x",
        "sort {name}"),
    *("diff {name} {other}", "wc {name}", "sed -i s/a/b/ {name}", "kill {number}",
        "bash {name}.sh"),
    *("tail -f {name} --{other}", "stat {name}"),
)  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--small", action="store_true", help="one renaming of each error only")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument(
        "--show",
        type=int,
        default=0,
        help="print this many errors of each kind whose shape changed",
    )
    options = parser.parse_args()
    missed = _real(options.show)
    file = options.data / "thefuck_traces" / "dev" / "errors.jsonl"
    if file.exists():
        errors = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        missed += _renamed(errors, 1 if options.small else SEEDS, options.show) + _grouped(errors)
    else:
        print("skipped: there are no recorded errors")
    return MISSED if missed else 0


def shape(tool: str, command: str, output: str) -> tuple[str, str]:
    return tool, fingerprint(
        tool, "", ToolAttempt(command, output, 1, reason="exit 1"), staying_words()
    ).shape


def _renamed(errors: Sequence[Error], seeds: int, show: int) -> int:
    """Print how many shapes stay when things are changed."""
    print(f"{'changed':<10}{'errors':>8}{'same shape':>12}")
    missed = 0
    for kind, change in {**CHANGES, "all": _all}.items():
        rows = [
            (error, *change(error, random.Random(f"{seed} {number}")))
            for seed in range(seeds)
            for number, error in enumerate(errors)
        ]
        rows = [row for row in rows if (row[1], row[2]) != (row[0]["command"], row[0]["output"])]
        lost = [
            row
            for row in rows
            if shape(row[0]["tool"], row[0]["command"], row[0]["output"])
            != shape(row[0]["tool"], *row[1:])
        ]
        stable = 1 - len(lost) / max(1, len(rows))
        print(f"{kind:<10}{len(rows):>8}{stable:>12.3f}{'' if stable >= STABLE else '  missed'}")
        missed += stable < STABLE
        for item, command, output in lost[:show]:
            print(f"    {item['command']!r} -> {command!r}")
            print(
                f"      {shape('', item['command'], item['output'])[1]!r}\n"
                f"      {shape('', command, output)[1]!r}"
            )
    return missed


def _grouped(errors: Sequence[Error]) -> int:
    """Print how often classes are mixed, and how often two outputs of one class have one shape."""
    raw, shapes, by_class = defaultdict(set), defaultdict(set), defaultdict(list)
    for error in errors:
        key = shape(error["tool"], error["command"], error["output"])
        raw[error["tool"], error["output"]].add(error["error_class"])
        shapes[key].add(error["error_class"])
        by_class[error["error_class"]].append((error["output"], key[1]))
    mixed, mixed_raw = (sum(len(value) > 1 for value in found.values()) for found in (shapes, raw))
    pairs = [
        (a[1], b[1])
        for rows in by_class.values()
        for a, b in combinations(sorted(set(rows)), 2)
        if a[0] != b[0]
    ]
    same = sum(a == b for a, b in pairs) / max(1, len(pairs))
    print(
        f"classes mixed: {mixed}, of the raw text "
        f"{mixed_raw}{'' if mixed <= mixed_raw + MORE_MIXED else '  missed'}"
    )
    print(
        "two outputs of one class with one shape: "
        f"{same:.3f} of {len(pairs)}{'' if same >= SAME_SHAPE else '  missed'}"
    )
    return (mixed > mixed_raw + MORE_MIXED) + (same < SAME_SHAPE)


def _real(show: int) -> int:
    """Run commands that fail, twice; print how many have one fingerprint."""
    chance, same, ran = random.Random(5), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "init", "-q", folder], check=True)
        for template in TWICE:
            first, second = (
                _failed(
                    template.format(
                        name=_name(chance),
                        other=_name(chance),
                        number=chance.randint(4 * 10**6, 9 * 10**6),
                    ),
                    folder,
                )
                for _ in range(2)
            )
            if first is None or second is None:
                continue
            ran, same = ran + 1, same + (first == second)
            if first != second and show:
                print(f"    {template}\n      {first[1]!r}\n      {second[1]!r}")
    stable = same / max(1, ran)
    print(f"real commands run twice: {stable:.3f} of {ran}{'' if stable >= REAL else '  missed'}")
    return stable < REAL


def _failed(command: str, folder: str) -> tuple[str, str] | None:
    """Return the shape of a command's failure; None where it worked."""
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )
    output = re.sub(r"^bash: (?:line \d+: )?", "", done.stderr + done.stdout)
    return shape(command.split()[0], command, output) if done.returncode else None


# Changes ------------------------------------------------------------------------------------------


def _name(chance: random.Random) -> str:
    return "".join(chance.sample(SYLLABLES, 3))


def _replaced(error: Error, words: Iterator[str], new: Callable[[], str]) -> tuple[str, str]:
    """Return command and output with words replaced, each alike wherever it stands as a word."""
    command, output = error["command"], error["output"]
    for word in dict.fromkeys(words):
        pattern, other = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])"), new()
        head, space, rest = command.partition(" ")
        command, output = f"{head}{space}{pattern.sub(other, rest)}", pattern.sub(other, output)
    return command, output


def _names(error: Error, chance: random.Random) -> tuple[str, str]:
    """Rename the bare names of the command, from its third word on: the second may be a word of the
    program's.
    """
    words = [
        word for word in error["command"].split()[2:] if NAME.fullmatch(word) and len(word) > 1
    ]
    return _replaced(error, iter(words), lambda: _name(chance))


def _paths(error: Error, chance: random.Random) -> tuple[str, str]:
    paths = re.findall(
        r"(?<![\w/])(?:~|\.{1,2})?(?:/[\w.-]+)+", f"{error['command']} {error['output']}"
    )
    paths += re.findall(r"[\w.-]+(?:/[\w.-]+)+", error["command"])
    segments = (
        part
        for path in paths
        for part in re.split(r"\W+", path)
        if len(part) > 1 and part not in error["tool"]
    )
    return _replaced(error, segments, lambda: _name(chance))


def _numbers(error: Error, chance: random.Random) -> tuple[str, str]:
    numbers = iter(re.findall(r"(?<![\w.-])\d+(?![\w-])", f"{error['command']} {error['output']}"))
    return _replaced(error, numbers, lambda: str(chance.randint(11, 99_999)))


CHANGES = {"names": _names, "paths": _paths, "numbers": _numbers}


def _all(error: Error, chance: random.Random) -> tuple[str, str]:
    for change in CHANGES.values():
        command, output = change(error, chance)
        error = {**error, "command": command, "output": output}
    return error["command"], error["output"]


if __name__ == "__main__":
    sys.exit(main())
