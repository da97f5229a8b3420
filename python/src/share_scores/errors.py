"""The errors that this package raises."""

from typing import Any


class ShareError(Exception):
    """The base of all errors of this package."""


class ReleaseFault(ShareError):
    """A release is incomplete, malformed, or does not match its digests. `what` says in which way."""

    def __init__(self, what: str) -> None:
        self.what = what
        super().__init__(f"{what}. Report this to the publisher of the release, or use another copy of it.")


class NotFound(ShareError):
    """A file, a table or a page does not exist."""


class Problem(ShareError):
    """An error of the API. `code` is stable (docs/reference/endpoints.md). Status 0 means that nothing responded."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        errors: list[dict[str, Any]] | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(f"{code}: {detail}")
        self.status, self.code, self.detail = status, code, detail
        #: The malformed fields and parameters, each with a `path`.
        self.errors = errors or []
        #: Seconds after which the request may succeed.
        self.retry_after = retry_after
