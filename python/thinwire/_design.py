"""Antennas that a function builds."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import numpy.typing as npt

from . import _core
from ._errors import UsageError
from ._geometry import Floats
from ._model import Model


class Design(Model):
    """An antenna built by a function, whose arguments with defaults are its symbols. Use it as
    a decorator.

    Examples:
        >>> @tw.Design
        ... def dipole(h=0.24):
        ...     a = tw.Antenna()
        ...     a.port(a.wire((0, 0, -h), (0, 0, h), radius=1e-3, segments=21))
        ...     return a
        >>> dipole.set(h=0.25).solve(300e6).z
        >>> dipole.sweep(300e6, h=[0.23, 0.24, 0.25]).z
    """

    def __init__(self, build: Callable[..., Model], *,
                 values: dict[str, float] | None = None) -> None:
        self._build = build
        self._parameters = inspect.signature(build).parameters
        self.values = {name: p.default for name, p in self._parameters.items()
                       if p.default is not p.empty}
        self.__doc__ = build.__doc__ or type(self).__doc__
        unknown = set(values or {}) - set(self._parameters)
        if unknown:
            raise UsageError(f"{self.name} has no symbol {', '.join(sorted(unknown))}. It has "
                             f"{', '.join(self._parameters)}.")
        self.values |= values or {}

    @property
    def name(self) -> str:
        """That of the function."""
        return getattr(self._build, "__name__", "design")

    def set(self, **values: float) -> Design:
        """The design with other values of its symbols."""
        return Design(self._build, values={**self.values, **values})

    def _set(self, values: dict[str, float]) -> Design:
        return self.set(**values)

    def _values(self) -> dict[str, float]:
        return {name: value for name, value in self.values.items() if isinstance(value, float)}

    def _value(self, name: str) -> float | None:
        return self.values.get(name)

    def build(self) -> Model:
        """The antenna with the values that are set."""
        missing = set(self._parameters) - set(self.values)
        if missing:
            raise UsageError(f"{self.name} needs a value of {', '.join(sorted(missing))}. Set it, "
                             "or give the argument a default.")
        model = self._build(**self.values)
        if not isinstance(model, Model):
            raise UsageError(f"{self.name} must return an Antenna or a Deck (got {model!r}).")
        return model

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value}" for name, value in self.values.items())
        return f"<Design {self.name}: {values}>"

    def _read(self, frequencies: Floats | None) -> _core.Problem:
        return self.build()._read(frequencies)

    def _drawn(self) -> _core.Problem:
        return self.build()._drawn()

    def _in_user_terms(self, text: str) -> str:
        return self.build()._in_user_terms(text)

    def to_nec(self, frequencies: npt.ArrayLike | None = None) -> str:
        return self.build().to_nec(frequencies)
