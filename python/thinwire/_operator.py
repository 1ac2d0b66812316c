"""The impedance matrix for scipy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _core
from ._geometry import Complexes
from ._optional import need

if TYPE_CHECKING:
    _Base: Any = object
else:
    _Base = need("scipy.sparse.linalg", "operator").LinearOperator


class Operator(_Base):  # type: ignore[misc]
    """Z of Z I = V as a LinearOperator of scipy, ohm, [unknowns, unknowns], loads included. It
    is complex symmetric: Z = Z^T, not Hermitian.

    Attributes:
        matrix: The matrix itself, not copied, where thinwire filled it.
        excitation: V, volt: what the ports, networks or the plane wave apply.
        solution: I, ampere: thinwire's own solution.

    Examples:
        >>> op = a.operator(300e6)
        >>> x, info = scipy.sparse.linalg.gmres(op, op.excitation)
    """

    def __init__(self, solution: _core.Solution) -> None:
        self.matrix: Complexes = solution.matrix_ohm
        last = len(solution.find("/frequency_hz")) - 1
        self.excitation: Complexes = _core.excitation(solution, last)
        self.solution: Complexes = solution.coefficients_a[:len(self.matrix)]
        super().__init__(self.matrix.dtype, self.matrix.shape)

    def _matvec(self, x: Complexes) -> Complexes:
        return self.matrix @ x

    def _matmat(self, x: Complexes) -> Complexes:
        return self.matrix @ x

    def _rmatvec(self, x: Complexes) -> Complexes:
        y: Complexes = (self.matrix @ x.conj()).conj()
        return y

    def _transpose(self) -> Operator:
        return self
