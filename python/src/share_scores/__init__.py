"""Read, verify and recompute SHARE scores of research datasets."""

from .client import Client
from .errors import NotFound, Problem, ReleaseFault, ShareError
from .own_contract import ContractRejected
from .release import Release
from .rows import Rows
from .signatures import read_keys
from .verify import Verification

__all__ = [
    "Client",
    "ContractRejected",
    "NotFound",
    "Problem",
    "Release",
    "ReleaseFault",
    "Rows",
    "ShareError",
    "Verification",
    "read_keys",
]
