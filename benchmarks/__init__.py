"""What memapp promises about speed, memory and quality, measured: `python -m benchmarks.NAME`, each one table from one run."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memapp.inference.embedder import ChildEmbedder

MISSED = 3
"""How a benchmark leaves that missed a bound. One that crashes leaves with 1, as Python does, and bad options with 2."""
MADE_UP = Path(__file__).parent / "made_up"
"""What a benchmark uses when there is no data, in the same form."""


def bundled_embedder() -> "ChildEmbedder":
    """Open the embedding model that comes with memapp, in the form that the app made or will use."""
    from memapp import paths
    from memapp.inference.embedder import ChildEmbedder, bundled

    return ChildEmbedder(bundled(paths.locate().cache))
