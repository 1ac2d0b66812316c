"""A result file in the place of a solution in memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._errors import FileError
from ._geometry import Floats


# Files of thinwire that hold no result, by the root attribute `content`: what they are, and
# what to do instead.
_NO_RESULTS = {
    "converge": ("holds a mesh study of thinwire converge, not a result. Give a file that "
                 "`thinwire solve` wrote."),
}


def port_names(tags: Any, segments: Any, gaps: Any) -> tuple[str, ...]:
    """Of ports "1/11", or "1/11 end" for a gap there. Files of earlier versions have no gaps."""
    ends = ("", " start", " end")
    return tuple(f"{tag}/{segment}{ends[gap]}" for tag, segment, gap in
                 zip(tags, segments, [0] * len(tags) if gaps is None else gaps, strict=True))


def content_of(file: _core.File) -> str:
    """What a file of thinwire holds, by its root attribute: "" for results."""
    try:
        return file.attribute_text("/", "content")
    except FileError:
        return ""


def _is_thinwires(file: _core.File) -> bool:
    try:
        return file.attribute_text("/", "format") == "thinwire"
    except FileError:
        return False


class FileSource:
    """A result file of thinwire, with a solution's attributes, read when asked. Raises
    FileError."""

    def __init__(self, path: str, content: str = "") -> None:
        self._file, self.path = _core.File(path), path
        found = content_of(self._file)
        thinwires = _is_thinwires(self._file)
        if thinwires and found != content and found in _NO_RESULTS:
            raise FileError(f"{path}: {_NO_RESULTS[found].format(path=path)}")
        if not thinwires or found != content or not self._file.exists("/frequency_hz"):
            raise FileError(f"{path}: holds no result"
                            + (f" (content: {found})" if found else "")
                            + ". Give a file that `thinwire solve` wrote.")

    def __getattr__(self, name: str) -> Any:
        path = _core.short_names.get(name)
        if path is None:
            raise AttributeError(name)
        values = self.find(path)
        return np.empty(0) if values is None else values

    def exists(self, path: str) -> bool:
        """True for an array, not for a group."""
        return self._file.has_array(path)

    def array(self, path: str) -> Any:
        """An array by its path in the file (docs/reference/formats.md)."""
        return self._file.array(path)

    def find(self, path: str) -> Any:
        """An array, None where the file has none."""
        return self.array(path) if self.exists(path) else None

    def children(self, group: str) -> list[str]:
        return self._file.children(group) if self._file.exists(group) else []

    def attribute_integer(self, group: str, name: str) -> int:
        return self._file.attribute_integer(group, name)

    def attribute(self, name: str) -> str:
        """A text that says where the file comes from (docs/reference/formats.md)."""
        return self._file.attribute_text("/", name)

    @property
    def deck_text(self) -> str:
        return self._file.text("/input/deck")

    @property
    def deck_name(self) -> str:
        return self._file.attribute_text("/input/deck", "file_name")

    @property
    def unknowns(self) -> int:
        return self._file.attribute_integer("/", "unknowns")

    @property
    def device(self) -> str:
        return self._file.attribute_text("/", "device")

    @property
    def z0(self) -> float:
        if not self._file.exists("/port"):
            return 50.0
        return self._file.attribute_real("/port", "reference_impedance_ohm")

    @property
    def has_waves(self) -> bool:
        return self._file.exists("/incident")

    @property
    def warnings(self) -> list[str]:
        return list(self.array("/warnings")) if self.exists("/warnings") else []

    @property
    def timings_s(self) -> dict[str, float]:
        return {name: float(self.array(f"/timing/{name}"))
                for name in self._file.children("/timing")}
