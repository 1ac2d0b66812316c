"""Solver options: those of `thinwire solve`, by the same names."""

from __future__ import annotations

from typing import Literal, TypedDict


class SolveOptions(TypedDict, total=False):
    """Options of Model.solve() and of every other function that solves. The defaults are those
    of `thinwire solve`."""

    solver: Literal["auto", "direct", "cg", "cocg", "cocr", "gmres"]
    """Linear solver; auto chooses the one with the shortest predicted time."""
    precond: Literal["auto", "none", "block", "two-level", "overlap"]
    """Preconditioner of the iterative solvers."""
    boxes: str
    """Box size and overlap of precond="overlap", SIDE,OVERLAP in cells."""
    coarse: Literal["auto", "off", "on"]
    """Coarse level of precond="overlap" (on the CPU); auto uses it where it saves time."""
    operator: Literal["auto", "dense", "toeplitz", "fft"]
    """Dense matrix, lattice of equal antennas, or uniform grid."""
    operator_tolerance: float
    """Target relative error of matrix-free operators (1e-5)."""
    tolerance: float
    """Relative residual at which iterations stop (1e-6)."""
    max_iterations: int
    """Iteration limit (0: chosen from the number of unknowns)."""
    device: str
    """auto, cpu, cuda, cuda:N, cuda:N,M or cuda:all."""
    placement: Literal["product", "resident", "graph"]
    """Part of an iteration that runs on a GPU."""
    precision: Literal["double", "mixed", "single"]
    """Storage of the matrix; mixed and single need a GPU."""
    mesh: Literal["graded", "as-given"]
    """Finer at open ends and ports, or the given segments."""
    refine: int
    """Number of pieces that every element of the mesh is cut into: 1, 2, 4 .. 64."""
    kernel: Literal["exact", "reduced"]
    """Exact kernel, or one close to NEC-2's."""
    proximity: Literal["auto", "off", "on"]
    """Distribution of charge and current around close wires; auto includes it wherever it can."""
    sweep: Literal["full", "fast"]
    """Solve every frequency, or some, and model the others."""
    threads: int
    """CPU threads (0: all cores, one for short solves)."""
    save_matrix: bool
    """Store the impedance matrix of the last frequency."""
    port_matrix: bool
    """Compute the impedances between ports, which S-parameters of several ports need."""
