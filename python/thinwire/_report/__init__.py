"""The report: results as one HTML page that needs nothing else, no network either.

Python gathers what the page shows as one JSON object (contents.py); the page draws it with
plotly's own JavaScript, which is inside (page.js and the files beside it).
"""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from .._errors import FileError, UsageError
from .._optional import need
from .contents import contents_of

if TYPE_CHECKING:
    from .._result import Result

_SCRIPTS = ("data.js", "curves.js", "space.js", "tables.js", "print.js", "page.js")
# By this a report knows a file as one of its own, which it may write over.
_MARK = '<meta name="generator" content="thinwire">'


def _asset(name: str) -> str:
    return resources.files(__name__).joinpath(name).read_text(encoding="utf-8")


def page_of(results: Sequence[tuple[str, Result]], title: str | None = None) -> str:
    """The page of named results as HTML.

    Args:
        results: Names, which stand in legends, and results: the first is what others are
            compared with.
        title: Of the page; None: the first result's name.

    Raises MissingPackage without plotly, UsageError without a result.
    """
    if not results:
        raise UsageError("report: there is no result to show. Give one at least.")
    plotly: str = need("plotly.offline", "report").get_plotlyjs()
    title = title or results[0][0]
    contents = json.dumps(contents_of(results, title), separators=(",", ":"), allow_nan=False)
    # Inside a script element nothing may look like a tag or a comment of HTML.
    parts = {"MARK": _MARK, "TITLE": html.escape(title), "STYLE": _asset("page.css"),
             "PLOTLY": plotly, "CONTENTS": contents.replace("<", "\\u003c"),
             "SCRIPTS": "\n".join(map(_asset, _SCRIPTS))}
    # In one pass: what is filled in may hold the names of other parts.
    return re.sub(f"@({'|'.join(parts)})@", lambda name: parts[name[1]], _asset("page.html"))


def _check_target(file: Path, part: Path, force: bool, inputs: Sequence[str]) -> None:
    """Raises FileError where a page may not be written there, and OSError where it cannot be.

    Args:
        part: What the page is called until it is whole.
        inputs: Files that are read, which are never overwritten.
    """
    if file.is_dir():
        raise FileError(f"{file}: is a folder. Give the page's name, too: "
                        f"{file / 'page.html'}.")
    for name in filter(Path.exists, (file, part)):
        # Of pipes and devices nothing is read, which could wait for ever.
        if not name.is_file():
            raise FileError(f"{name}: is no regular file. Give a name of a file to write; "
                            "`thinwire report -o -` writes to standard output.")
        if any(os.path.samefile(name, path) for path in inputs):
            raise FileError(f"{name}: is what report reads and would be overwritten. Choose "
                            "another name.")
        with name.open(encoding="utf-8", errors="replace") as old:
            head = old.read(400)
        if not force and head and _MARK not in head:
            raise FileError(f"{name}: exists, and is no page that thinwire wrote. "
                            "Give another name, or --force (force=True).")
    # Tried before the work: the name may be too long, for example.
    made = not part.exists()
    part.open("ab").close()
    if made:
        part.unlink()


def write_report(results: Sequence[tuple[str, Result]], path: str | os.PathLike[str],
                 title: str | None = None, *, force: bool = False,
                 inputs: Sequence[str] = ()) -> None:
    """Writes the page of page_of() to a file, under its name only once it is whole.

    inputs: files that the results come from; with `force`, too, they are not overwritten.

    Raises UsageError for an empty name, FileError where that is no page of thinwire's (unless
    `force`) or cannot be written.
    """
    if not os.fspath(path):
        raise UsageError("report: the page has no name. Give one: page.html.")
    file = Path(path)
    try:
        part = Path(f"{file}.part")
        _check_target(file, part, force, inputs)
        page = page_of(results, title)
        try:
            part.write_text(page, encoding="utf-8")
            part.replace(file)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise FileError(f"{file}: cannot be written ({error.strerror}). Write "
                        "elsewhere.") from None
