"""Results as xarray.Datasets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._optional import need
from ._source import port_names

if TYPE_CHECKING:
    from ._optimize import History
    from ._pattern import Pattern
    from ._result import Result
    from ._sweep_file import SweepFile

_Variables = dict[str, Any]


def _named(units: str, long_name: str) -> dict[str, str]:
    return {"units": units, "long_name": long_name}


# Names of the axes of fields, and of the variables that are arrays of a result file.
_AXES = {"F": "frequency", "P": "port", "V": "parameter", "S": "segment", "xyz": "xyz"}
_PORT = {"impedance": "/port/impedance_ohm", "voltage": "/port/voltage_v",
         "port_current": "/port/current_a", "port_power": "/port/power_w",
         "reflection": "/port/reflection"}
_FREQUENCY = {"input_power": "/power/input_w", "radiated_power": "/power/radiated_w",
              "efficiency": "/power/efficiency", "run": "/run_index",
              "model_error": "/solver/model_error"}
_SEGMENT = {"current": "/current/segment_current_a", "charge": "/current/segment_charge_c_per_m",
            "start": "/mesh/start_m", "end": "/mesh/end_m", "tag": "/mesh/tag"}


def _variables(result: Result, paths: dict[str, str]) -> _Variables:
    """Those arrays that the result has, with their axes, units and long names."""
    return {name: _variable(path, values) for name, path in paths.items()
            if (values := result._source.find(path)) is not None}


def _variable(path: str, values: Any, before: Sequence[str] = ("frequency",)) -> Any:
    """An array of a file as a variable; before: its axes instead of that of frequencies."""
    field = next(field for field in _core.fields if field["path"] == path)
    axes = [_AXES[axis] for axis in field["axes"].split()]
    return ([*before, *axes[1:]] if axes[0] == "frequency" else axes, values,
            _named(field["unit"], field["long_name"]))


def _derivative_variables(result: Result) -> _Variables:
    """Derivatives of impedances and, of each pattern, of gains."""
    along = ("frequency", "parameter")
    variables = _variables(result, {"impedance_derivative": "/port/impedance_derivative_ohm"})
    for k in range(len(result.patterns)):
        suffix, derivatives = _suffix(result, k), result.gain_derivatives(k)
        variables |= _over_all(result.patterns[k], result, {
            f"gain_derivative{suffix}": (along, derivatives.gain, _named(
                "dB", "derivative of the gain towards the maximum, for each unit of the symbol")),
            f"front_to_back_derivative{suffix}": (along, derivatives.front_to_back, _named(
                "dB", "derivative of the front-to-back ratio, for each unit of the symbol"))})
    return variables


def pattern_variables(pattern: Pattern, coordinates: _Variables,
                      suffix: str) -> tuple[_Variables, _Variables]:
    """Variables of a pattern, and `coordinates` with its own; suffix: of their names."""
    theta, phi = f"theta{suffix}", f"phi{suffix}"
    along = ("frequency", theta, phi)
    variables = {
        f"e_theta{suffix}": (along, pattern.e_theta, _named("V", "r E_theta exp(jkr), peak")),
        f"e_phi{suffix}": (along, pattern.e_phi, _named("V", "r E_phi exp(jkr), peak")),
        f"gain{suffix}": (along, pattern.gain, _named("dBi", "gain, total")),
        f"average_gain{suffix}": (("frequency",), pattern.average_gain,
                                  _named("1", "average gain over the grid")),
    }
    return variables, coordinates | {
        theta: ((theta,), pattern.theta, _named("deg", "angle from +z")),
        phi: ((phi,), pattern.phi, _named("deg", "azimuth from +x")),
    }


def _suffix(result: Result, pattern: int) -> str:
    """Of the names of a pattern's variables."""
    return "" if len(result.patterns) == 1 else f"_{pattern}"


def _over_all(pattern: Pattern, result: Result, variables: _Variables) -> _Variables:
    """Variables of a pattern of some frequencies along all of the result's, NaN elsewhere."""
    if len(pattern.frequency) == len(result.frequency):
        return variables
    here = pattern.index
    spread: _Variables = {}
    for name, (along, values, attributes) in variables.items():
        full = np.full((len(result.frequency), *values.shape[1:]), np.nan, dtype=values.dtype)
        full[here] = values
        spread[name] = (along, full, attributes)
    return spread


def dataset_of(result: Result) -> Any:
    """Everything that a result holds. Several patterns have names that end in _0, _1, ..."""
    xarray = need("xarray", "dataset")
    coordinates: _Variables = {
        "frequency": ("frequency", result.frequency, _named("Hz", "frequency")),
        "segment": ("segment", np.arange(1, len(result.segment_tags) + 1),
                    _named("1", "segment number, from 1")),
        "xyz": ("xyz", ["x", "y", "z"]),
    }
    variables = _variables(result, _SEGMENT | _FREQUENCY | _PORT)
    variables["loss_power"] = (("frequency",), result.loss_power,
                               _named("W", "power lost in conductors, loads and networks"))
    if result.ports:
        coordinates["port"] = ("port", list(result.ports), {"long_name": "tag/segment"})
    if result.parameters:
        coordinates["parameter"] = ("parameter", list(result.parameters),
                                    {"long_name": "symbol that derivatives are by"})
        variables |= _derivative_variables(result)
    coordinates |= _variables(result, {"wave_theta": "/incident/theta_deg",
                                       "wave_phi": "/incident/phi_deg"})
    for k, pattern in enumerate(result.patterns):
        of_pattern, coordinates = pattern_variables(pattern, coordinates, _suffix(result, k))
        variables |= _over_all(pattern, result, of_pattern)
    attributes = {"program": "thinwire", "device": result.device, "unknowns": result.unknowns,
                  "z0_ohm": result.z0, "warnings": "\n".join(result.warnings)}
    return xarray.Dataset(variables, coordinates, attributes)


def sweep_dataset_of(sweep: SweepFile) -> Any:
    """What a file of a sweep holds, along its symbols."""
    xarray = need("xarray", "dataset")
    file, symbols = sweep._file, list(sweep.symbols)
    every = sweep.frequency.reshape(-1, sweep.frequency.shape[-1])
    same = bool((every == every[0]).all())
    along = [*symbols, "frequency" if same else "result"]
    coordinates: _Variables = {name: (name, values, _named("1", "value of the deck's symbol"))
                               for name, values in sweep.symbols.items()}
    variables: _Variables = {
        "gain_max": (along, sweep.gain_max, _named("dBi", "largest gain of the patterns")),
        "run": (along, file.array("/run_index"), _named("1", "run of the deck, from 0")),
        "converged": (along, file.array("/solver/converged"),
                      _named("1", "1 where the tolerance was reached")),
        "unknowns": (symbols, sweep.unknowns if symbols else np.asarray(np.nan),
                     _named("1", "unknowns of the variant")),
    }
    if same:
        coordinates["frequency"] = ("frequency", every[0], _named("Hz", "frequency"))
    else:
        variables["frequency"] = (along, sweep.frequency, _named("Hz", "frequency"))
    if file.exists("/port/tag"):
        # Variants may be fed in different places; the first says where most are.
        first = (0,) * (file.array("/port/tag").ndim - 1)
        tag, segment, gap = (file.find(f"/port/{name}") for name in ("tag", "segment", "gap"))
        names = port_names(tag[first], segment[first], None if gap is None else gap[first])
        coordinates["port"] = ("port", list(names),
                               {"long_name": "tag/segment in the first variant"})
    if file.exists("/segment_number"):
        coordinates["segment"] = ("segment", file.array("/segment_number"),
                                  _named("1", "segment number, from 1"))
    for name, path in (_PORT | _SEGMENT).items():
        if file.exists(path) and name != "tag":
            variables[name] = _variable(path, file.array(path), along)
    return xarray.Dataset(variables, coordinates, {"program": "thinwire", "z0_ohm": sweep.z0})


def history_dataset_of(history: History) -> Any:
    """Every variant of a search."""
    xarray = need("xarray", "dataset")
    coordinates: _Variables = {
        "evaluation": ("evaluation", np.arange(1, len(history.objective) + 1),
                       _named("1", "solved variant, from 1")),
        "variable": ("variable", list(history.values), {"long_name": "symbol that was varied"}),
        "goal": ("goal", list(history.goals), {"long_name": "goal as it was given"}),
        "search": ("evaluation", history.search, _named("1", "which search, from 0")),
    }
    variables: _Variables = {
        "value": (("evaluation", "variable"), history.variable_value,
                  _named("1", "value of the symbol")),
        "goal_value": (("evaluation", "goal"), history.goal_value,
                       _named("1", "what the goal's quantity came to; NaN: not solved")),
        "objective": (("evaluation",), history.objective, _named("1", "what is to be small")),
        "miss": (("evaluation",), history.miss, _named("1", "what bounds are missed by")),
        "lower": (("variable",), history.lower, _named("1", "lower bound")),
        "upper": (("variable",), history.upper, _named("1", "upper bound")),
    }
    return xarray.Dataset(variables, coordinates, {
        "program": "thinwire", "ended": history.ended, "best_evaluation": history.best + 1,
        "warnings": "\n".join(history.warnings)})
