"""The two themes of memapp, defined in assets/themes.toml."""

import tomllib

from textual.theme import Theme

from memapp.paths import bundled

DEFAULT = "memapp-dark"


def themes() -> list[Theme]:
    definitions = tomllib.loads(bundled("assets", "themes.toml").read_text("utf-8"))
    return [Theme(name=name, **values) for name, values in definitions.items()]
