"""Parts of networks: what is in series or across."""

from __future__ import annotations

from dataclasses import dataclass

from ._errors import UsageError
from ._geometry import number


def lumped(name: str, resistance: float, inductance: float, capacitance: float, parallel: bool,
           impedance: complex | None, quality: float | None = None) -> tuple[int, tuple[float, ...]]:
    """Type of LD and its three values. Throws UsageError where parts contradict each other."""
    if impedance is not None:
        if resistance or inductance or capacitance or parallel or quality is not None:
            raise UsageError(f"{name}: impedance contradicts resistance, inductance, capacitance "
                             "and quality. Leave one of them out.")
        return 4, (impedance.real, impedance.imag, 0)
    if quality is not None:
        if resistance:
            raise UsageError(f"{name}: quality contradicts resistance. Leave one of them out.")
        return 6, (quality, inductance, capacitance)
    return int(parallel), (resistance, inductance, capacitance)


@dataclass(frozen=True)
class Branch:
    """A part of a ladder network, made by series() or shunt()."""

    place: str
    kind: int
    values: tuple[float, ...]

    @property
    def fields(self) -> str:
        return " ".join([f"{self.place}{self.kind}", *map(number, self.values)])


def series(*, resistance: float = 0, inductance: float = 0, capacitance: float = 0,
           parallel: bool = False, quality: float | None = None,
           impedance: complex | None = None) -> Branch:
    """A part in series with what follows in Antenna.ladder(): R, L and C in ohm, henry and
    farad, in series with each other or parallel, 0 being absent; a coil of a quality that holds
    at every frequency, with a capacitor beside it; or an impedance in ohm at every frequency."""
    return Branch("S", *lumped("series", resistance, inductance, capacitance, parallel, impedance,
                               quality))


def shunt(*, resistance: float = 0, inductance: float = 0, capacitance: float = 0,
          parallel: bool = False, quality: float | None = None,
          impedance: complex | None = None) -> Branch:
    """A part across the network at its place in Antenna.ladder(), with the values of series()."""
    return Branch("P", *lumped("shunt", resistance, inductance, capacitance, parallel, impedance,
                               quality))
