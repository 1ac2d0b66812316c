"""Exceptions: one class for each kind of error of the library."""

from __future__ import annotations

import re

from ._words import in_python

_PLACE = re.compile(r"^(?:with [^\n]*?=[^\n]*?: )?(?P<file>[^\n]*?):(?P<line>\d+): ")


class Error(Exception):
    """What thinwire refuses, and why. The text says where, what, why and what to do next;
    for a deck with several problems it has a line for each.

    Attributes:
        kind: "usage", "deck", "geometry", "device", "memory", "file" or "numeric".
        file: The deck or Python file that the first problem is in, None where there is none.
        line: Its line there, from 1.
    """

    kind = "numeric"

    def __init__(self, text: str) -> None:
        super().__init__(text)
        place = _PLACE.match(text)
        self.file: str | None = place["file"] if place else None
        self.line: int | None = int(place["line"]) if place else None


class UsageError(Error, ValueError):
    """An argument or option that thinwire does not take."""

    kind = "usage"


class DeckError(Error, ValueError):
    """A card that cannot be read, or contradicts another."""

    kind = "deck"


class GeometryError(Error, ValueError):
    """Wires that make no antenna."""

    kind = "geometry"


class DeviceError(Error):
    """A GPU that is not there, or does not work."""

    kind = "device"


class MemoryShortage(Error, MemoryError):
    """More memory needed than there is."""

    kind = "memory"


class FileError(Error):
    """A file that cannot be read or written."""

    kind = "file"


class NumericError(Error, ArithmeticError):
    """Numbers without a solution: a singular matrix, contradicting sources."""

    kind = "numeric"


class MissingPackage(Error, ImportError):
    """An optional package that is not installed; the text has the pip command."""

    kind = "usage"


def error_of(kind: str, text: str) -> BaseException:
    """The exception for an error of the library."""
    if kind == "interrupted":
        return KeyboardInterrupt(text)
    text = in_python(text)
    classes = (UsageError, DeckError, GeometryError, DeviceError, MemoryShortage, FileError)
    return next((c for c in classes if c.kind == kind), NumericError)(text)
