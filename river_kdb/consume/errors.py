"""What stops a consumer, said in one line."""

from __future__ import annotations

__all__ = ["BadEntryError", "ConsumeError"]


class ConsumeError(RuntimeError):
    """Why a consumer can't start or go on: the server, the group's lock, the checkpoint.

    Its message is one line, meant to be shown to the user as it is.
    """


class BadEntryError(ValueError):
    """Why an entry can't be used; its message is the reason that its dead letter states."""
