"""Antennas built in Python."""

from __future__ import annotations

import re
from copy import copy
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy.typing as npt

from . import _core
from ._counted import counted
from ._errors import UsageError
from ._geometry import PLACE, Floats, Segment, Wire, index_at, number
from ._ladder import Branch, lumped
from ._model import Model, hertz_of
from ._soils import SOILS
from ._structure import Structure, Wires, caller
from ._tables import html_table

_NODE_M = 9901.0
"""Where nodes are, m."""

Place: TypeAlias = Wire | Segment
"""A segment, or a wire for its middle segment."""

GroundKind: TypeAlias = Literal["perfect", "sommerfeld", "coefficients", "mininec"]

SoilName: TypeAlias = Literal["very good", "good", "average", "poor", "sandy", "very poor",
                              "extremely poor", "fresh water", "salt water"]
"""Soils and waters whose values are known."""


@dataclass(frozen=True)
class Port:
    """A source. It stands for its own number: `result.z[:, port]`.

    Attributes:
        segment: Where it feeds.
        index: Its number among the antenna's ports, from 0.
    """

    segment: Segment
    index: int

    def __index__(self) -> int:
        return self.index


@dataclass
class _Card:
    text: str
    origin: str = field(default="antenna")


class Antenna(Structure, Model):
    """An antenna of wires, built piece by piece. All lengths are in metres.

    Examples:
        >>> a = tw.Antenna()
        >>> w = a.wire((0, 0, -0.24), (0, 0, 0.24), radius=1e-3, segments=21)
        >>> feed = a.port(w)
        >>> r = a.solve(np.linspace(290e6, 310e6, 41))
        >>> r.z[:, feed]  # ohm, at each frequency
    """

    def __init__(self, comment: str = "") -> None:
        """comment: What it is, for decks and results."""
        super().__init__()
        self._comment = comment
        self._ports: list[Port] = []
        self._contact = True
        self._loads: list[_Card] = []
        self._ground: _Card | None = None
        self._sources: list[_Card] = []
        self._networks: list[_Card] = []

    @property
    def ports(self) -> tuple[Port, ...]:
        """All ports, in their order in results."""
        return tuple(self._ports)

    def __repr__(self) -> str:
        segments = sum(len(wire) for wire in self._wires if not wire.is_auto)
        auto = any(wire.is_auto for wire in self._wires)
        count = "segments by frequency" if auto else counted(segments, "segment")
        return (f"<Antenna: {counted(len(self._wires), 'wire')}, {count}, "
                f"{counted(len(self._ports), 'port')}>")

    def _repr_html_(self) -> str:
        """A table of the wires, for notebooks."""
        def place(point: Floats) -> str:
            return ", ".join(f"{c:.5g}" for c in point)

        fed = [port.segment.wire for port in self._ports]
        rows = [[wire.tag, "auto" if wire.is_auto else len(wire), f"{wire.length:.5g}",
                 f"{wire.radius.max() * 1e3:.4g}", place(wire.start), place(wire.end),
                 "fed" if wire in fed else ""] for wire in self._wires]
        notes = [] if self._ground is None else [f"ground: {self._ground.text}"]
        return html_table(self, ["tag", "segments", "length / m", "radius / mm", "start / m", "end / m",
                                 ""], rows, notes)

    def _drawn(self) -> _core.Problem:
        if not self._wires:
            raise UsageError("the antenna has no wires. Add some: antenna.wire(...).")
        return _core.Problem.read(self._text(None), "antenna", "", {}, None)

    # Sources.

    def port(self, where: Place, *, voltage: complex = 1, current: complex | None = None,
             gap: bool = False) -> Port:
        """Feeds the antenna.

        Args:
            where: A segment, or a wire for its middle segment.
            voltage: Volt, peak, uniformly applied over the segment.
            current: Ampere, peak, instead of a voltage.
            gap: Apply it over a gap at the segment's start instead, where it must join one other.
        """
        segment = self._segment(where)
        kind, value = (5 if gap else 0, voltage) if current is None else (7 if gap else 6, current)
        self._source(kind, f"{segment.fields} 0 {_complex(value)}")
        port = Port(segment, len(self._ports))
        self._ports.append(port)
        return port

    def plane_wave(self, theta: float, phi: float, *, eta: float = 0,
                   polarization: Literal["linear", "right", "left"] = "linear",
                   axial_ratio: float = 0) -> None:
        """A plane wave of 1 V/m, peak, that comes from (theta, phi), degrees; instead of ports.

        Args:
            eta: Degrees, of its field (the major axis of its ellipse) from theta towards phi.
            polarization: Linear, or right- or left-handed elliptic.
            axial_ratio: Minor over major axis.
        """
        kinds = {"linear": 1, "right": 2, "left": 3}
        if polarization not in kinds:
            raise UsageError("polarization must be 'linear', 'right' or 'left' "
                             f"(got {polarization!r}).")
        numbers = " ".join(map(number, (theta, phi, eta, 0, 0, axial_ratio)))
        self._source(kinds[polarization], f"1 1 0 {numbers}")

    def _source(self, kind: int, fields: str) -> None:
        self._sources.append(_Card(f"EX {kind} {fields}", caller()))

    # Loads.

    def load(self, where: Place, *, resistance: float = 0, inductance: float = 0,
             capacitance: float = 0, parallel: bool = False,
             impedance: complex | None = None) -> None:
        """A load in series with one segment, or a wire's middle segment: R, L and C in ohm,
        henry and farad, in series or parallel, 0 being absent; or an impedance in ohm at every
        frequency."""
        kind, values = lumped("load", resistance, inductance, capacitance, parallel, impedance)
        self._load(kind, self._segment_fields(where), *values)

    def trap(self, where: Place, *, quality: float, inductance: float, capacitance: float) -> None:
        """A coil (henry) of a quality that holds at every frequency, and a capacitor (farad)
        beside it, in series with one segment."""
        self._load(6, self._segment_fields(where), quality, inductance, capacitance)

    def conductivity(self, siemens_per_metre: float, wires: Wires = None, *,
                     relative_permeability: float = 1) -> None:
        """The metal of wires, 5.8e7 for copper. Without it they conduct perfectly."""
        for fields in self._wire_fields(wires):
            self._load(5, fields, siemens_per_metre, relative_permeability, 0)

    def insulation(self, relative_permittivity: float, outer_radius: float, wires: Wires = None, *,
                   conductivity: float = 0) -> None:
        """A sheath around wires, to this radius in metres from their axis; its conductivity is
        in S/m."""
        numbers = " ".join(map(number, (relative_permittivity, conductivity, outer_radius)))
        for fields in self._wire_fields(wires):
            self._loads.append(_Card(f"IS 0 {fields} {numbers}", caller()))

    def _wire_fields(self, wires: Wires) -> list[str]:
        return ["0 0 0"] if wires is None else [f"{w.tag} 0 0" for w in self._chosen(wires)]

    def _load(self, kind: int, fields: str, *numbers: float) -> None:
        self._loads.append(_Card(f"LD {kind} {fields} {' '.join(map(number, numbers))}", caller()))

    # Networks.

    def node(self) -> Wire:
        """A place for ends of networks and a port that is on no wire, such as the transmitter's
        end of a cable: a wire of 0.2 mm, 10 km away."""
        count = sum(wire.start[0] == _NODE_M for wire in self._wires)
        return self.wire((_NODE_M, 0.1 * count, _NODE_M), (_NODE_M, 0.1 * count, _NODE_M + 2e-4),
                         radius=1e-5, segments=1)

    def line(self, first: Place, second: Place, *, z0: float | None = None,
             cable: str | None = None, length: float = 0, velocity: float = 1, loss: float = 0,
             loss_frequency: float = 0, crossed: bool = False,
             shunts: tuple[complex, complex] = (0, 0)) -> None:
        """A transmission line between two segments.

        Args:
            z0: Ohm.
            cable: A type instead of z0, velocity and loss: "RG-58", "RG-213", "RG-8X", "RG-6",
                "LMR-240", "LMR-400", "LMR-600" or "LDF4-50".
            length: Metres; 0: the distance.
            velocity: Velocity factor.
            loss: Of the matched line, dB per 100 m at `loss_frequency`, hertz; it grows with the
                root of the frequency.
            crossed: The conductors change places on the way.
            shunts: Admittances at both ends, siemens.
        """
        if (z0 is None) == (cable is None):
            raise UsageError("line: give either z0 or cable.")
        if cable is not None:
            if velocity != 1 or loss or loss_frequency:
                raise UsageError("line: cable contradicts velocity and loss. Give z0 with them.")
            if not re.fullmatch(r"[\w-]+", cable):
                raise UsageError(f"line: {cable!r} is no type of a cable. Give one such as 'RG-58'.")
            kind, tail = f"{'-' if crossed else ''}{cable}", ""
        else:
            if z0 is None or not z0 > 0:
                raise UsageError(f"line: z0 must be positive (got {z0} ohm). For a crossed line "
                                 "give crossed=True.")
            kind = number(-z0 if crossed else z0)
            lossy = loss != 0 or velocity != 1
            tail = " ".join(map(number, (loss, loss_frequency / 1e6, velocity))) if lossy else ""
        numbers = f"{kind} {number(length)} {' '.join(map(_complex, shunts))}"
        self._network("TL", first, second, f"{numbers} {tail}".rstrip())

    def transformer(self, first: Place, second: Place, *, turns: float) -> None:
        """An ideal transformer.

        Args:
            turns: Of the second winding over those of the first; negative where one is reversed.
                Impedances go with its square.
        """
        self._network("LN", first, second, f"T {number(turns)}")

    def ladder(self, first: Place, second: Place, *parts: Branch) -> None:
        """A network of parts from the first segment to the second, each in series() or shunt():
        L, pi and T networks, filters."""
        if not parts:
            raise UsageError("ladder: give its parts: ladder(v, w, tw.series(inductance=1e-6), "
                             "tw.shunt(capacitance=1e-10)).")
        self._network("LN", first, second, " ".join(part.fields for part in parts))

    def network(self, first: Place, second: Place, *, y11: complex, y12: complex,
                y22: complex) -> None:
        """A reciprocal two-port between two segments, by its admittances in siemens."""
        self._network("NT", first, second, " ".join(map(_complex, (y11, y12, y22))))

    def _segment(self, where: Place) -> Segment:
        """The segment that is meant. Throws UsageError."""
        if not isinstance(where, Wire | Segment):
            raise UsageError(f"a place must be a wire or a segment of one, wire[0] (got {where!r}).")
        segment = where.middle if isinstance(where, Wire) else where
        self._chosen(segment.wire)
        return segment

    def _segment_fields(self, where: Place) -> str:
        segment = self._segment(where)
        return f"{segment.fields} {segment.fields.split()[1]}"

    def _network(self, card: str, first: Place, second: Place, numbers: str) -> None:
        places = f"{self._segment(first).fields} {self._segment(second).fields}"
        self._networks.append(_Card(f"{card} {places} {numbers}", caller()))

    # Ground.

    def ground(self, kind: GroundKind | SoilName, *, permittivity: float = 1, conductivity: float = 0,
               contact: bool = True, radials: int = 0, radial_length: float = 0,
               radial_radius: float = 0) -> None:
        """What fills the half space below z = 0; without it there is free space.

        Args:
            kind: "perfect", a perfect conductor; "sommerfeld", a lossy dielectric by
                Sommerfeld's integrals, which wires may lie in; "coefficients", the same by
                reflection coefficients; "mininec", perfect to currents and real to far fields.
                Or a soil, which is "sommerfeld" with its values (permittivity, S/m; typical
                ones, not measured): "very good" (20, 0.0303), "good" (14, 0.01), "average"
                (13, 0.005), "poor" (13, 0.002), "sandy" (10, 0.002), "very poor" (5, 0.001),
                "extremely poor" (3, 0.001), "fresh water" (80, 0.001), "salt water" (81, 5).
            permittivity: Relative permittivity of a real ground.
            conductivity: S/m.
            contact: Whether wires that end at z = 0 are connected to the ground.
            radials: With "coefficients": radial wires on the ground, how many.
            radial_length, radial_radius: Theirs, metres.
        """
        numbers = {"perfect": 1, "sommerfeld": 2, "coefficients": 0, "mininec": 3}
        if kind in SOILS:
            if permittivity != 1 or conductivity:
                raise UsageError(f"ground: {kind!r} has a permittivity and a conductivity of its own. "
                                 "Leave them out, or take 'sommerfeld'.")
            (permittivity, conductivity), kind = SOILS[kind], "sommerfeld"
        if kind not in numbers:
            raise UsageError(f"ground must be one of {', '.join([*numbers, *SOILS])} (got {kind!r}).")
        if radials and kind != "coefficients":
            raise UsageError(f"radials go with ground 'coefficients' only (got {kind!r}). Model "
                             "them as wires.")
        if kind == "perfect" and (permittivity != 1 or conductivity):
            raise UsageError("a perfect ground has no permittivity or conductivity. Leave them "
                             "out, or take 'sommerfeld'.")
        values: list[float] = [] if kind == "perfect" else [permittivity, conductivity]
        if radials:
            values += [radial_length, radial_radius]
        self._ground = _Card(" ".join([f"GN {numbers[kind]} {radials} 0 0", *map(number, values)]),
                             caller())
        self._contact = contact

    # As a deck.

    def _cards(self, frequencies: Floats | None) -> list[_Card]:
        cards = [_Card(f"CM {line}") for line in self._comment.splitlines()] + [_Card("CE")]
        highest = None if frequencies is None else float(frequencies.max())
        counts = {wire.tag: wire.count_at(highest) for wire in self._wires}
        cards += [_Card(text, wire._origin) for wire in self._wires
                  for text in wire.cards(counts[wire.tag])]
        end = 0 if self._ground is None else 1 if self._contact else -1
        cards.append(_Card(f"GE {end}"))
        cards += self._loads
        cards += [self._ground] if self._ground else []
        cards += self._sources + self._networks
        for start, step, count in _stepped(frequencies):
            mhz = f"{number(start / 1e6)} {number(step / 1e6)}"
            cards += [_Card(f"FR 0 {count} 0 0 {mhz}"), _Card("XQ")]

        def number_of(place: re.Match[str]) -> str:
            return str(index_at(float(place[2]), counts[int(place[1])]) + 1)

        return [*(_Card(PLACE.sub(number_of, card.text), card.origin) for card in cards), _Card("EN")]

    def to_nec(self, frequencies: npt.ArrayLike | None = None) -> str:
        return self._text(None if frequencies is None else hertz_of(frequencies))

    def _text(self, frequencies: Floats | None) -> str:
        return "".join(f"{card.text}\n" for card in self._cards(frequencies))

    def _read(self, frequencies: Floats | None) -> _core.Problem:
        if frequencies is None:
            raise UsageError("solve: an Antenna has no frequencies of its own. Give them, in "
                             "hertz: solve(14.1e6).")
        if not self._wires:
            raise UsageError("the antenna has no wires. Add some: antenna.wire(...).")
        if not self._sources:
            raise UsageError("the antenna is not fed. Add a port: antenna.port(wire).")
        problem = _core.Problem.read(self._text(frequencies), "antenna", "", {}, None)
        # As they are, not by way of megahertz and steps.
        problem.set_frequencies(frequencies.tolist())
        return problem

    def _scatterer(self) -> Antenna:
        scatterer = copy(self)
        scatterer._sources = [_Card("EX 1 1 1 0 0 0 0")]
        return scatterer

    def _in_user_terms(self, text: str) -> str:
        cards = self._cards(None)
        return re.sub(r"\bantenna:(\d+)\b", lambda match: cards[int(match[1]) - 1].origin, text)


def _complex(value: complex) -> str:
    value = complex(value)
    return f"{number(value.real)} {number(value.imag)}"


def _stepped(frequencies: Floats | None) -> list[tuple[float, float, int]]:
    """Frequencies as start, step and count of FR cards: as few as there are even stretches."""
    if frequencies is None:
        return []
    cards: list[tuple[float, float, int]] = []
    first = 0
    while first < len(frequencies):
        last = first + 1
        step = frequencies[last] - frequencies[first] if last < len(frequencies) else 0.0
        while (last + 1 < len(frequencies) and
               abs(frequencies[last + 1] - frequencies[last] - step)
               <= 1e-12 * frequencies[last]):
            last += 1
        count = min(last, len(frequencies) - 1) - first + 1
        cards.append((float(frequencies[first]), float(step), count))
        first += count
    return cards
