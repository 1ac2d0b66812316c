"""Packages that only some functions need."""

from __future__ import annotations

import importlib
from typing import Any

from ._errors import MissingPackage

# What pip knows a module as, where that is another name.
_PIP_NAMES = {"skrf": "scikit-rf", "matplotlib.pyplot": "matplotlib",
              "scipy.sparse.linalg": "scipy"}


def need(module: str, what: str) -> Any:
    """Imports a module. Throws MissingPackage where it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError as missing:
        package = _PIP_NAMES.get(module, module)
        raise MissingPackage(f"{what} needs {package}, which is not installed ({missing}). "
                             f"Run: pip install {package}") from None
