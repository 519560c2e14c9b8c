"""`memapp hook`: lets a shell or a coding agent learn from failed commands."""

from functools import partial
from typing import Any

import click

from memapp.cli.output import show
from memapp.tools.program import OF_SHELL

COMMENT = """# memapp learns only from a command that is typed behind m: `m make check`.
# No other command is watched or kept: not b in `m a && b`, and nothing of the shell, such as cd.
"""
M = (
    f'm() {{ m_ended=; case "$1" in {"|".join(OF_SHELL)}) "$@" ;; '
    '*) memapp run -- "$@"; m_ended=$?; return $m_ended ;; esac; }\n'
)
# In bash `$_` is the last argument of the failed command: of a plain `a && b`, `why` runs only the
# part that ends with this argument. If several do, or none, it runs the whole line.
SH = r"""why() {
  local failed=$? ended=$_ last part answer
  last=$(fc -ln -1 -1 | sed '1s/^[[:space:]]*//')
  case "$last" in why|why\ *) last=$(fc -ln -2 -2 | sed '1s/^[[:space:]]*//') ;; esac
  case "$last" in memapp\ *) failed=0 ;; m\ *) [ "$failed" = "$m_ended" ] && failed=0 ;; esac
  if [ $# -gt 0 ] || [ "$failed" -eq 0 ]; then memapp why "$@" && return; fi
  [ -n "$last" ] || return
  part=$(printf '%s\n' "$last" | ended=$ended awk '!/[^A-Za-z0-9 _.\/:=@%+,&-]/ {
    n = split($0, parts, / *&& */)
    for (i = 1; i <= n; i++) { words = split(parts[i], word, " ")
      if (word[words] == ENVIRON["ended"]) { found = parts[i]; count++ } } }
    END { if (NR == 1 && count == 1) print found }')
  [ -n "$part" ] || printf 'The last command in the history is this. '
  last=${part:-$last} last=${last#m }
  printf 'Run it again, to see what it says?\n%s\n[y/N] ' "$last"
  read -r answer
  [ "$answer" = y ] && eval "m $last"
}"""
M_FISH = (
    f"function m; set -g m_ended; if contains -- $argv[1] {' '.join(OF_SHELL)}; $argv; "
    "else; memapp run -- $argv; set -g m_ended $status; return $m_ended; end; end\n"
)
FISH = r"""function why
    set -l failed $status
    set -l last $history[1]
    string match -qr '^why\b' -- "$last"; and set last $history[2]
    switch "$last"
        case 'memapp *'
            set failed 0
        case 'm *'
            test "$failed" = "$m_ended"; and set failed 0
    end
    if test (count $argv) -gt 0 -o $failed -eq 0
        memapp why $argv; and return
    end
    test -n "$last"; or return
    set last (string replace -r '^m ' '' -- $last | string collect)
    read -P "The last command in the history is this. Run it again, to see what it says?
$last
[y/N] " answer
    test "$answer" = y; and eval "m $last"
end"""


@click.group()
def hook() -> None:
    """Print short forms of `run` and `why` for a shell or an agent.

    For bash, zsh and fish: `m COMMAND` is `memapp run -- COMMAND`, and `why` explains the last
    failure. If nothing is known of the failure, or the command ran without m, `why` offers to run
    it again. memapp watches only commands behind m. To load the functions: eval "$(memapp hook
    bash)", or in fish: memapp hook fish | source.
    """


for shell, script in {"bash": M + SH, "zsh": M + SH, "fish": M_FISH + FISH}.items():
    about = f"Print m and why for {shell}."
    hook.command(shell, help=about)(partial(show, COMMENT + script))


@hook.command()
@click.pass_obj
def agent(options: dict[str, Any]) -> int:
    """Answer a coding agent with a hint after a command.

    Register `memapp hook agent` with the agent, to run after a tool was used and after a tool
    failed. In Claude Code: under "hooks" of settings.json, for PostToolUse and PostToolUseFailure,
    matcher Bash. The hook reads the event from standard input, and exits with 0 whatever it reads.
    A wrapper may add the fields `progress`, `expect`, `score` and `passed`, as for `memapp run`;
    the last two also without a command.
    """
    from memapp.run import hook as run_hook

    where = {"home": options["home"], "db": options["database"]}
    return run_hook.main({name: str(path) for name, path in where.items() if path is not None})
