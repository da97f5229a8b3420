"""The errors that this package raises."""


class ShareError(Exception):
    """The base of all errors of this package."""


class ReleaseFault(ShareError):
    """A release is incomplete, malformed, or does not match its digests."""


class NotFound(ShareError):
    """A file, a table or a page does not exist."""
