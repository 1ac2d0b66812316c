"""Messages of the library, whose options are those of the program, in Python's words."""

from __future__ import annotations

import re
from typing import Literal, get_args, get_origin, get_type_hints

from ._options import SolveOptions

_NUMBER = r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?"


def _value_of(kind: object) -> str:
    """What the value of an option looks like in a message; "" where it has none."""
    if get_origin(kind) is Literal:
        return "|".join(map(re.escape, get_args(kind)))
    return _NUMBER if kind in (int, float) else ""


# By the option's name in Python, what its value looks like.
_VALUES = {name: _value_of(kind) for name, kind in get_type_hints(SolveOptions).items()} | {
    "boxes": r"auto|\d+,\d+", "device": r"auto|cpu|cuda(?::[\w,]+)?", "structure": r"\d+",
    "dialect": r"auto|nec2|nec4|nec5|4nec2", "patches": "refuse|grid",
    "method": r"[a-z]+(?:-[a-z]+)?", "starts": r"\d+", "gradient": "", "goal": ""}
# What the program calls otherwise.
_NAMES = {"vary": "bounds", "set": "set()"}

_OPTION = re.compile(r"(?<![\w-])--([a-z][a-z0-9]*(?:-[a-z0-9]+)*)(?: ([^\s`]*[^\s`.,:;)]))?")
# What writes a result: of a deck that is named, or of any.
_SOLVE = re.compile(r"`thinwire solve(?: ([^`]+))?`")


def _replaced(match: re.Match[str]) -> str:
    name, value = match[1].replace("-", "_"), match[2]
    name = _NAMES.get(name, name)
    if value is None:
        return name
    if not re.fullmatch(_VALUES.get(name) or "(?!)", value):
        return f"{name} {value}"
    return f"{name}={value if re.fullmatch(_NUMBER, value) else repr(value)}"


def in_python(text: str) -> str:
    """A message that names options as Python has them: "--mesh as-given" is mesh='as-given'."""
    text = _SOLVE.sub(lambda deck: f"tw.read_deck({deck[1]!r}).solve().save('RESULT.h5')" if deck[1]
                      else "Result.save()", text)
    return _OPTION.sub(_replaced, text).replace("`thinwire devices`", "`nvidia-smi`")
