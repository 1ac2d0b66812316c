"""Files of the folder that the server was started in."""

from __future__ import annotations

import json
import os
import re
import secrets
from pathlib import Path
from typing import Any

from .._errors import FileError

MAX_DECK_BYTES = 1 << 20
"""Longest deck that is read, solved or written."""

_SUFFIXES = (".nec", ".deck", ".txt", ".inp")
_READ_SUFFIXES = (*_SUFFIXES, ".maa")
_MAX_LISTED = 1000
_STORED_MATRIX = re.compile(r"^\s*(?:GF\s*0?|WG)[\s,]+(\S+)", re.I | re.M)


class Kept:
    """What outlives pages and the server: the last deck and pins, the last search. It is in the
    folder, in .thinwire/page.json."""

    def __init__(self, root: Path) -> None:
        self._path = root / ".thinwire" / "page.json"
        self.values: dict[str, Any] = {}
        self._told = False
        try:
            found = json.loads(self._path.read_text(encoding="utf-8"))
            self.values = found if isinstance(found, dict) else {}
        except (OSError, ValueError):
            pass

    def put(self, some: dict[str, Any]) -> None:
        """Keeps some values, those that cannot be written until the server ends. Raises FileError
        the first time that they cannot."""
        text = json.dumps({**self.values, **some})
        if len(text) > 16 * MAX_DECK_BYTES:
            return self._tell(f"is not written beyond {16 * MAX_DECK_BYTES >> 20} MiB")
        self.values = {**self.values, **some}
        part = self._path.with_suffix(".part")
        try:
            self._path.parent.mkdir(exist_ok=True)
            part.write_text(text, encoding="utf-8")
            os.replace(part, self._path)
        except OSError as error:
            self._tell(f"cannot be written ({error.strerror})")

    def _tell(self, why: str) -> None:
        if not self._told:
            self._told = True
            raise FileError(f"{self._path}: {why}: the page's state ends with the server. Save decks "
                            "under names.")


class Folder:
    """Reads and writes below a folder, and nowhere else: names with `..`, absolute ones and links
    that lead outside raise FileError."""

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self.root = Path(root).resolve()

    def path(self, name: str) -> Path:
        """The file with this name. Raises FileError where that is outside."""
        if not name or "\0" in name or len(name) > 500:
            raise FileError("the file has no name that can be used. Give one like yagi.nec.")
        try:
            path = (self.root / name).resolve()
        except (OSError, RuntimeError):
            raise FileError(f"{name}: is no file. Choose another one.") from None
        if not path.is_relative_to(self.root) or any(
                part.startswith(".") for part in path.relative_to(self.root).parts):
            raise FileError(f"{name}: is outside of the folder that the server was started in. "
                            "Start it there, or choose a file below it.")
        return path

    def decks(self) -> list[str]:
        """Names of decks, in this folder and those below it, at most two deep."""
        found: list[str] = []
        for at, folders, files in os.walk(self.root):
            here = Path(at).relative_to(self.root)
            folders[:] = sorted(f for f in folders if not f.startswith(".")) if len(
                here.parts) < 2 else []
            found += [str(here / name) for name in sorted(files)
                      if name.lower().endswith(_READ_SUFFIXES) and not name.startswith(".") and (Path(at) / name).is_file()]
            if len(found) >= _MAX_LISTED:
                break
        return found[:_MAX_LISTED]

    def read(self, name: str) -> str:
        """A deck's text. Raises FileError."""
        path = self.path(name)
        try:
            if path.exists() and not path.is_file():
                raise FileError(f"{name}: is not a regular file. Choose another one.")
            if path.stat().st_size > MAX_DECK_BYTES:
                raise FileError(f"{name}: is too large to edit ({path.stat().st_size} bytes). "
                                "Solve it by `thinwire solve`.")
            data = path.read_bytes()
        except OSError as error:
            raise FileError(f"{name}: cannot be read ({error.strerror}). Choose another file.") from None
        try:
            return data.decode()
        except UnicodeDecodeError:
            return data.decode("latin-1")

    def write(self, name: str, text: str) -> None:
        """Writes a deck under its name only once it is whole. Raises FileError."""
        path = self.path(name)
        if path.suffix.lower() not in _SUFFIXES:
            raise FileError(f"{name}: decks are saved as {', '.join(_SUFFIXES)}. Give such a name.")
        part = path.with_name(f".{secrets.token_hex(8)}.part")
        try:
            with part.open("x", encoding="utf-8", newline="") as file:
                file.write(text)
            os.replace(part, path)
        except OSError as error:
            part.unlink(missing_ok=True)
            raise FileError(f"{name}: cannot be written ({error.strerror}). Choose another name.") from None

    def holds_other(self, name: str, text: str) -> bool:
        """Whether there is a file with this name and another text. Raises FileError where it cannot
        be read."""
        return self.path(name).exists() and self.read(name).splitlines() != text.splitlines()

    def check(self, text: str) -> None:
        """Raises FileError for a deck that is too large, that UTF-8 cannot hold or that names a
        matrix file outside."""
        try:
            text.encode()
        except UnicodeEncodeError:
            raise FileError("the deck holds half a character (a surrogate). Type it again.") from None
        if len(text) > MAX_DECK_BYTES:
            raise FileError(f"the deck is too large to edit ({len(text)} characters, at most "
                            f"{MAX_DECK_BYTES}). Solve it by `thinwire solve`.")
        for name in _STORED_MATRIX.findall(text):
            self.path(name)
