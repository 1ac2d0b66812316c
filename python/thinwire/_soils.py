"""Soils and waters by name."""

from __future__ import annotations

from typing import NamedTuple


class Soil(NamedTuple):
    """Relative permittivity, and conductivity in S/m."""

    permittivity: float
    conductivity: float


SOILS: dict[str, Soil] = {
    "very good": Soil(20, 0.0303),
    "good": Soil(14, 0.01),
    "average": Soil(13, 0.005),
    "poor": Soil(13, 0.002),
    "sandy": Soil(10, 0.002),
    "very poor": Soil(5, 0.001),
    "extremely poor": Soil(3, 0.001),
    "fresh water": Soil(80, 0.001),
    "salt water": Soil(81, 5),
}
"""Typical values, as antenna programs list them: rich soil (very good, good), heavy clay and
pastoral hills (average), rocky hills (poor), dry and coastal sand (sandy), cities (very poor),
cities with high buildings (extremely poor). Values measured at the place are better."""
