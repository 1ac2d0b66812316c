"""The live page: `thinwire serve [DECK]` edits and solves decks in a browser."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from .._errors import Error
from .._optional import need


def main(words: Sequence[str] | None = None) -> None:
    """Serves the page until Ctrl-C. words: arguments; None: those of the process."""
    parser = argparse.ArgumentParser(
        prog="thinwire serve", description="Opens a page on which decks are edited and solved live. "
        "It reads and writes in the current folder only.")
    parser.add_argument("deck", nargs="?", metavar="DECK", help="NEC deck to open")
    parser.add_argument("--port", type=int, default=0, metavar="N",
                        help="port of 127.0.0.1 (0: any that is free)")
    parser.add_argument("--no-browser", action="store_true",
                        help="print the address, and open no browser")
    given = parser.parse_args(words)
    try:
        need("aiohttp", "serve")
        from .server import serve

        serve(given.deck, given.port, not given.no_browser)
    except Error as error:
        print(f"thinwire: {error}", file=sys.stderr)
        sys.exit(5)
    except KeyboardInterrupt:
        pass
