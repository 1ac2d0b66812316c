"""The progress bar of long work."""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

# Work of less time shows no bar.
_PATIENCE_S = 1.0


class ProgressBar:
    """A tqdm bar on stderr for work that goes on for more than a second.

    Args:
        show: True, False, or None for a bar where stderr is a terminal or a notebook. Without
            tqdm there is none. A function is called instead, with step and fraction, at once
            and every 50 ms (step is empty until the work reports one).
    """

    def __init__(self, show: bool | Callable[[str, float], None] | None) -> None:
        self._tell = show if callable(show) else None
        self._start = time.monotonic()
        self._bar: Any = None
        if show is None or callable(show):
            show = sys.stderr.isatty() or "ipykernel" in sys.modules
        self._show = show

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.close()

    def __call__(self, step: str, done: float) -> None:
        """Shows the step at work, and the fraction of it that is done."""
        if self._tell is not None:
            return self._tell(step, done)
        if not step or not self._show or time.monotonic() - self._start < _PATIENCE_S:
            return
        if self._bar is None:
            try:
                tqdm = importlib.import_module("tqdm.auto").tqdm
            except ImportError:
                self._show = False
                return
            # Without miniters, tqdm waits for steps as large as those it has seen.
            self._bar = tqdm(total=1, leave=False, miniters=0,
                             bar_format="{desc} {percentage:3.0f}%|{bar}| {elapsed}<{remaining}")
        self._bar.set_description(step, refresh=False)
        if done < self._bar.n:  # the next step counts from zero
            self._bar.reset()
        self._bar.update(done - self._bar.n)
