"""Read, verify and recompute SHARE scores of research datasets."""

from .errors import NotFound, ReleaseFault, ShareError
from .release import Release
from .rows import Rows
from .verify import Verification

__all__ = ["NotFound", "Release", "ReleaseFault", "Rows", "ShareError", "Verification"]
