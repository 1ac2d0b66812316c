"""How to solve: the options of `thinwire solve`, by the same names."""

from __future__ import annotations

from typing import Literal, TypedDict


class SolveOptions(TypedDict, total=False):
    """Options of Model.solve(), which all others that solve take, too. Those not given are as
    `thinwire solve` has them."""

    solver: Literal["auto", "direct", "cg", "cocg", "cocr", "gmres"]
    """The linear solver; auto takes what is predicted fastest."""
    precond: Literal["auto", "none", "block", "two-level", "overlap"]
    """Preconditioner of the iterative solvers."""
    boxes: str
    """SIDE,OVERLAP of precond="overlap", in cells."""
    operator: Literal["auto", "dense", "toeplitz", "fft"]
    """The whole matrix, a lattice of equal antennas, or a grid."""
    operator_tolerance: float
    """How right an operator without the matrix is to be (1e-5)."""
    tolerance: float
    """Relative residual at which iterations stop (1e-6)."""
    max_iterations: int
    """Most iterations; 0: from the number of unknowns."""
    device: str
    """auto, cpu, cuda, cuda:N, cuda:N,M or cuda:all."""
    placement: Literal["product", "resident", "graph"]
    """What of an iteration runs on a GPU."""
    precision: Literal["double", "mixed", "single"]
    """How the matrix is stored; others than double on a GPU only."""
    mesh: Literal["graded", "as-given"]
    """Finer at open ends and ports, or the given segments."""
    refine: int
    """Pieces that every element of the mesh is cut into: 1, 2, 4 .. 64."""
    kernel: Literal["exact", "reduced"]
    """The exact kernel, or about NEC-2's."""
    sweep: Literal["full", "fast"]
    """Solve every frequency, or some, and model the others."""
    threads: int
    """CPU threads; 0: all, or one for a short solve."""
    save_matrix: bool
    """Keep the impedance matrix of the last frequency."""
    port_matrix: bool
    """Compute the impedances between the ports, which S-parameters of several need."""
