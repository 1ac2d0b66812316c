"""python -m thinwire: the program `thinwire` that lies in this package."""

import os
import sys
from pathlib import Path


def main() -> None:
    """Becomes the program, with this command line; `serve` is Python's own."""
    if sys.argv[1:2] == ["serve"]:
        from .serve import main as serve

        del sys.argv[1]
        return serve()
    os.environ["THINWIRE_PYTHON"] = sys.executable  # for commands that this package computes
    program = str(Path(__file__).with_name("thinwire"))
    try:
        os.execv(program, [program, *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"thinwire: {program}: cannot be started ({error.strerror}). Install the package "
                 "by pip, or run the program `thinwire` itself.")


if __name__ == "__main__":
    main()
