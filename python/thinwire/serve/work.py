"""Long work that a page starts: each function answers one message, in a thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .document import Document

if TYPE_CHECKING:
    from .session import Session


class Stopped(Exception):
    """The page wants nothing more of the work."""


Work = Callable[["Session", Document], dict[str, Any]]

LONG: dict[str, Work] = {}
"""By what the page asks for."""
