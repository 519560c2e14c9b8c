"""The templates of prompts, read once from `assets/prompts`."""

from functools import cache
from string import Template

from memapp.paths import bundled


@cache
def template(name: str) -> Template:
    """Return the template `assets/prompts/NAME.md` without the white space around it."""
    return Template(bundled("assets", "prompts", f"{name}.md").read_text("utf-8").strip())
