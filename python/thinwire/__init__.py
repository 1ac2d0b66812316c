"""thinwire: wire antennas by the method of moments.

    >>> import thinwire as tw
    >>> a = tw.Antenna()
    >>> w = a.wire((0, 0, -0.24), (0, 0, 0.24), radius=1e-3, segments=21)
    >>> feed = a.port(w)
    >>> r = a.solve(300e6)
    >>> r.z[:, feed], r.vswr(50), r.pattern(theta=1, phi=1).peak

Lengths are metres, frequencies hertz, angles degrees; amplitudes are peak values with the time
factor exp(+j w t).
"""

import os as _os

# OpenMP reads this once, when it is loaded: threads that spin while they wait take the cores
# from others. What the user has set stays.
_set = not {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"} & set(_os.environ)
if _set:
    _os.environ["GOMP_SPINCOUNT"] = "500"
from . import _core  # noqa: E402

if _set:
    del _os.environ["GOMP_SPINCOUNT"]

from ._antenna import Antenna, Port  # noqa: E402
from ._deck import Deck, read_deck  # noqa: E402
from ._design import Design  # noqa: E402
from ._errors import (DeckError, DeviceError, Error, FileError, GeometryError,  # noqa: E402
                      MemoryShortage, MissingPackage, NumericError, UsageError)
from ._geometry import Segment, Wire  # noqa: E402
from ._ladder import Branch, series, shunt  # noqa: E402
from ._model import Model  # noqa: E402
from ._open import open  # noqa: E402
from ._optimize import History, Optimization  # noqa: E402
from ._options import SolveOptions  # noqa: E402
from ._pattern import Pattern  # noqa: E402
from ._result import Result  # noqa: E402
from ._s_parameters import SParameters  # noqa: E402
from ._derivatives import GainDerivatives  # noqa: E402
from ._sweep import Sweep  # noqa: E402
from ._sweep_file import SweepFile  # noqa: E402
from ._warnings import ModelWarning  # noqa: E402

__version__ = _core.version

__all__ = [
    "Antenna", "Branch", "Deck", "DeckError", "Design", "DeviceError", "Error", "FileError",
    "GainDerivatives", "GeometryError", "History", "MemoryShortage", "MissingPackage", "Model",
    "ModelWarning", "NumericError", "Optimization", "Pattern", "Port", "Result", "SParameters", "Segment",
    "SolveOptions", "Sweep", "SweepFile", "UsageError", "Wire", "open", "read_deck",
    "series", "shunt",
]
