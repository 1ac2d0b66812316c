"""Files of thinwire."""

from __future__ import annotations

import os

from . import _core
from ._deck import deck_of_file
from ._errors import FileError
from ._optimize import History
from ._result import Result
from ._source import FileSource, content_of
from ._sweep_file import SweepFile
from ._words import in_python


def opened_file(path: str | os.PathLike[str]) -> Result | SweepFile | History:
    """What open() gives. Raises FileError in the words of the program."""
    name = os.fspath(path)
    content = content_of(_core.File(name))
    if content == "sweep":
        return SweepFile(name)
    if content == "optimization":
        return History.of_file(name)
    source = FileSource(name)
    return Result(source, model=deck_of_file(source._file, name))


def open(path: str | os.PathLike[str]) -> Result | SweepFile | History:
    """Opens a file (.h5) that thinwire wrote: a Result of `thinwire solve` or Result.save(), a
    SweepFile of `thinwire sweep`, the History of `thinwire optimize`.

    Raises FileError for what is none, or is damaged.
    """
    try:
        return opened_file(path)
    except FileError as error:
        raise FileError(in_python(str(error))) from None
