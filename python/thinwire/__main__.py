"""python -m thinwire report: what `thinwire report` runs."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from . import Error, FileError, History, Result, SweepFile, UsageError
from ._open import opened_file
from ._report import page_of, write_report
from ._report.sweep_file import variants

# Exit status for each kind of error, as the program `thinwire` has them.
_STATUS = {"usage": 2, "deck": 3, "geometry": 3, "device": 4, "memory": 4, "file": 5}


def _names(paths: Sequence[str]) -> list[str]:
    """Of results: the files' names, with their folders where those differ alone."""
    stems = [Path(path).stem for path in paths]
    return [stem if stems.count(stem) == 1 else str(Path(path).with_suffix(""))
            for stem, path in zip(stems, paths, strict=True)]


def _print(page: str) -> None:
    """To standard output, as UTF-8 whatever the terminal's encoding is."""
    if sys.stdout.isatty():
        raise UsageError("-o -: a page of HTML is nothing for a terminal. Pipe it into another "
                         "program, or give a file: -o page.html.")
    try:
        sys.stdout.buffer.write(page.encode())
        sys.stdout.buffer.flush()
    except OSError as error:
        # Nothing more goes there, not when Python ends either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise FileError(f"standard output: cannot be written ({error.strerror}). Write to a "
                        "file: -o page.html.") from None


def _shown(text: object) -> str:
    """Foreign text on one line, without what a terminal would obey."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in str(text))


def _report(arguments: argparse.Namespace) -> None:
    output: str = arguments.output
    if output is None:
        output = f"{Path(arguments.results[0]).stem}.html"
    if output in ("", "none"):
        raise UsageError(f"-o '{output}': a report is a page, which needs a file. Give one: "
                         "-o page.html, or - for standard output.")
    results: list[tuple[str, Result]] = []
    title = arguments.title or _names(arguments.results)[0]
    for name, path in zip(_names(arguments.results), arguments.results, strict=True):
        opened = opened_file(path)
        if isinstance(opened, SweepFile):
            shown, count = variants(opened)
            results += shown
            title += f", {len(shown)} of {count} variants" if len(shown) < count else ""
        elif isinstance(opened, History):
            raise FileError(f"{path}: is the history of a thinwire optimize, not a result. Solve "
                            "the deck with the best values (DECK-optimized.nec) by `thinwire "
                            "solve` and take that.")
        else:
            results.append((name, opened))
    if output == "-":
        if arguments.force:
            raise UsageError("report: --force contradicts -o -, which writes no file. Leave one "
                             "of them out.")
        return _print(page_of(results, title))
    write_report(results, output, title, force=arguments.force, inputs=arguments.results)
    print(f"wrote {_shown(output)}", file=sys.stderr)


class _Parser(argparse.ArgumentParser):
    """One that says what is wrong in one line, as the program does."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"thinwire: {message}. Run `{self.prog} --help`.\n")


def _parser(program: str) -> argparse.ArgumentParser:
    parser = _Parser(prog=program, allow_abbrev=False)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    report = commands.add_parser(
        "report", allow_abbrev=False, help="draw results as a page of HTML",
        description="Draws results as one page of HTML that needs nothing else: antenna and "
                    "currents, patterns, impedance, power, solver. Several are compared.")
    report.add_argument("results", nargs="+", metavar="RESULT.h5",
                        help="what thinwire solve or sweep wrote; the first is compared with the others")
    report.add_argument("-o", "--output", metavar="PAGE.html",
                        help="the page, or - for standard output (default: <first "
                             "result>.html here)")
    report.add_argument("--title", metavar="TEXT", help="of the page (default: the first "
                                                        "result's name)")
    report.add_argument("--force", action="store_true",
                        help="overwrite a file that is no page of thinwire's")
    report.set_defaults(run=_report)
    return parser


def main(words: Sequence[str] | None = None, program: str = "python -m thinwire") -> int:
    """Runs a command line; its exit status."""
    arguments = _parser(program).parse_args(words)
    try:
        arguments.run(arguments)
    except Error as error:
        print(f"thinwire: {_shown(error)}", file=sys.stderr)
        return _STATUS.get(error.kind, 1)
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
