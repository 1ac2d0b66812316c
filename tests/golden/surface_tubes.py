#!/usr/bin/env python3
"""Impedances of close parallel wires from a mesh of their surfaces: the golden numbers of tests/mom/surface_tubes_values.h.

    tests/golden/surface_tubes.py [PART-OF-A-NAME ...] > tests/mom/surface_tubes_values.h

(an hour for all on one core; with arguments only the cases whose names contain one of them)

The electric-field integral equation on open tubes of perfect conductor, in mixed-potential form. A tube is a polygon of N
facets swept along straight legs, with mitred corners. It is divided into quadrilaterals; the unknowns are rooftop functions
along and around the wire (Glisson and Wilton 1980), tested with themselves. Nothing is assumed about how current or charge
is distributed around a wire. The polygon's circumradius is that of equal capacitance per length in this discretisation.

Integrals of 1/R: along the source's straight lines in closed form, across them by Gauss's rule with nodes that crowd at
the foot of the point of observation, over the observer by Gauss's rule with nodes that crowd at both ends. The rest,
(e^{-jkR} - 1)/R, and distant quadrilaterals by Gauss's rule. Mirror symmetries reduce the unknowns.

A source is a uniform field over a length of wire; its current is the mean over that length, of the sum around the wire.
Lengths are in wavelengths. Needs numpy and scipy.
"""

import sys
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse

ETA = 376.730313668
K = 2 * np.pi
DOWN = np.array([1.0, 1.0, -1.0])  # mirror in z = 0
FRONT = np.array([1.0, -1.0, 1.0])  # mirror in y = 0, the plane of all axes


@dataclass
class Tube:
    """Wire along `corners`, points (x, z) of the plane y = 0. Every leg is a GW card of so many segments; `source` is
    (leg, segment), counted from 0. `fine` are more (leg, distance along it) to which the mesh is refined."""
    corners: list
    radius: float
    segments: list
    source: tuple = None
    closed: bool = False
    fine: list = field(default_factory=list)

    def legs(self):
        points = [np.array([x, 0.0, z]) for x, z in self.corners]
        return list(zip(points, points[1:] + points[:1])) if self.closed else list(zip(points[:-1], points[1:]))

    def gap(self, leg):
        """From where to where on the leg the source is, in lengths along it; None without a source there."""
        if self.source is None or self.source[0] != leg:
            return None
        p, q = self.legs()[leg]
        step = np.linalg.norm(q - p) / self.segments[leg]
        return self.source[1] * step, (self.source[1] + 1) * step


@dataclass
class Case:
    """Antenna, voltages of its sources in the order of the tubes (0: short circuit), mirror symmetry about z = 0."""
    name: str
    tubes: list
    volts: list
    mirror_z: bool = True

    def deck(self):
        """The antenna in NEC's cards at a wavelength of 1 m."""
        wires, sources, tag = [], [], 0
        volts = iter(self.volts)
        for tube in self.tubes:
            for leg, (p, q) in enumerate(tube.legs()):
                tag += 1
                numbers = " ".join(f"{v:.10g}" for v in (*p, *q, tube.radius))
                wires.append(f"GW {tag} {tube.segments[leg]} {numbers}")
                if tube.gap(leg):
                    v = next(volts)
                    if v:
                        sources.append(f"EX 0 {tag} {tube.source[1] + 1} 0 {v} 0")
        return "\n".join(["CE", *wires, "GE 0", "FR 0 1 0 0 299.792458", *sources, "XQ", "EN", ""])


def unit_square_rule(nu, nv):
    (u, wu), (v, wv) = (np.polynomial.legendre.leggauss(n) for n in (nu, nv))
    u, v = np.meshgrid((u + 1) / 2, (v + 1) / 2, indexing="ij")
    return u.ravel(), v.ravel(), np.outer(wu, wv).ravel() / 4


def crowded_rule(n):
    """n Gauss points in x on [0, 1], for an integral over x^2."""
    x, w = np.polynomial.legendre.leggauss(n)
    x, w = (x + 1) / 2, w / 2
    return x * x, 2 * x * w


def circumradius(radius, facets):
    """Radius of the corners of the polygon whose mean of -ln R over pairs of points is -ln(radius)."""
    corner = np.exp(2j * np.pi * np.arange(facets + 1) / facets)
    width = abs(corner[1] - corner[0])
    total = np.log(width) - 1.5  # a facet with itself
    x, wx = crowded_rule(40)
    near = np.concatenate([x / 2, 1 - x / 2])  # crowds at both ends, for the neighbours
    wn = np.concatenate([wx, wx]) / 2
    point = corner[0] + near * (corner[1] - corner[0])
    for i in range(1, facets):
        other = corner[i] + near * (corner[i + 1] - corner[i])
        total += wn @ np.log(abs(point[:, None] - other) ) @ wn
    return radius / np.exp(total / facets)


def graded(low, high, first_low, first_high, longest, ratio=2.0):
    """Borders from low to high whose steps grow from the given ones at both ends up to `longest`."""
    def sizes(first, reach):
        steps, at, h = [], 0.0, min(first, longest)
        while at < reach:
            steps.append(h)
            at += h
            h = min(h * ratio, longest)
        return np.array(steps) * (reach / at)

    half = (high - low) / 2
    left, right = sizes(first_low, half), sizes(first_high, half)
    return np.concatenate([low + np.concatenate([[0], np.cumsum(left)]), high - np.cumsum(right)[-2::-1], [high]])


class Mesh:
    """Quadrilaterals of all tubes, their rooftop functions and the sources' functionals."""

    def __init__(self, tubes, facets, finest, longest):
        self.corner, self.patch_of, self.sources = [], [], []
        functions = []  # of two (patch, kind): kinds 0: u r_u, 1: (1 - u) r_u, 2: v r_v, 3: (1 - v) r_v
        places = []  # middle and direction of the functions' edges
        for tube in tubes:
            nodes, gap_rows = self.nodes(tube, facets, finest, longest)
            rows = len(nodes) - 1
            base = len(self.corner)
            around = (np.arange(facets) + 1) % facets
            for k in range(rows):
                for i in range(facets):
                    self.corner.append([nodes[k, i], nodes[k, around[i]], nodes[k + 1, i], nodes[k + 1, around[i]]])
            index = lambda k, i: base + (k % rows) * facets + i % facets
            for k in range(0 if tube.closed else 1, rows):
                for i in range(facets):
                    functions.append(((index(k - 1, i), 0), (index(k, i), 1)))
                    middle = (nodes[k, i] + nodes[k, around[i]]) / 2
                    centre = lambda p: np.mean(self.corner[p], axis=0)
                    places.append((middle, centre(index(k, i)) - centre(index(k - 1, i))))
            for k in range(rows):
                for i in range(facets):
                    functions.append(((index(k, i - 1), 2), (index(k, i), 3)))
                    sides = nodes[k:k + 2].sum(axis=0)
                    places.append((sides[i] / 2, sides[around[i]] - sides[i - 1]))
            for first, last, length in gap_rows:
                self.sources.append((np.arange(base + first * facets, base + last * facets), length))
        self.corner = np.array(self.corner)
        self.places = [np.array(p) for p in zip(*places)]
        count = len(functions)
        rows = [4 * p + kind for pair in functions for p, kind in pair]
        self.incidence = scipy.sparse.csr_matrix((np.ones(2 * count), (rows, np.repeat(np.arange(count), 2))),
                                                 shape=(4 * len(self.corner), count))

    @staticmethod
    def nodes(tube, facets, finest, longest):
        """Nodes [station, facet, 3], and the rows and length of each gap."""
        legs = tube.legs()
        directions = [(q - p) / np.linalg.norm(q - p) for p, q in legs]
        phi = 2 * np.pi * np.arange(facets) / facets
        outer = circumradius(tube.radius, facets)
        end, gap_edge, corner = finest * tube.radius, 2 * finest * tube.radius, 4 * finest * tube.radius
        rings, gap_rows = [], []
        for leg, (p, q) in enumerate(legs):
            t, length = directions[leg], np.linalg.norm(q - p)
            special = {0.0: corner if tube.closed or leg > 0 else end,
                       length: corner if tube.closed or leg < len(legs) - 1 else end}
            gap = tube.gap(leg)
            if gap:
                special.update({gap[0]: gap_edge, gap[1]: gap_edge, sum(gap) / 2: longest})
            special.update({place: gap_edge for which, place in tube.fine if which == leg})
            at = sorted(special)
            borders = [np.array([0.0])]
            for low, high in zip(at[:-1], at[1:]):
                borders.append(graded(low, high, special[low], special[high], longest)[1:])
            s = np.concatenate(borders)
            start = sum(len(r) for r in rings)
            if gap:
                first, last = (int(np.argmin(abs(s - x))) for x in gap)
                gap_rows.append((start + first, start + last, gap[1] - gap[0]))
            side = np.cross([0, 1.0, 0], t)
            shift = np.zeros((len(s), facets))
            for other, place in ((leg - 1, 0.0), (leg + 1, length)):
                if not tube.closed and not 0 <= other < len(legs):
                    continue
                plane = t + directions[other % len(legs)]
                slant = -outer * np.cos(phi) * (side @ plane) / (t @ plane)
                reach = min(length / 2, 4 * tube.radius, *(abs(place - x) for x in gap or ()))
                shift += np.maximum(0, 1 - abs(s - place) / reach)[:, None] * slant
            ring = (p + (s[:, None] + shift)[:, :, None] * t + outer * np.cos(phi)[:, None] * side +
                    outer * np.sin(phi)[:, None] * np.array([0, 1.0, 0]))
            rings.append(ring if leg == len(legs) - 1 else ring[:-1])
        return np.concatenate(rings), gap_rows

    def values(self, patches, u, v):
        """Points [patch, node, 3] and the four functions there, times the area's element: [patch, node, 4, 3]."""
        c = self.corner[patches][:, None]
        u, v = u[None, :, None], v[None, :, None]
        point = (1 - u) * ((1 - v) * c[:, :, 0] + v * c[:, :, 1]) + u * ((1 - v) * c[:, :, 2] + v * c[:, :, 3])
        along = (1 - v) * (c[:, :, 2] - c[:, :, 0]) + v * (c[:, :, 3] - c[:, :, 1])
        across = (1 - u) * (c[:, :, 1] - c[:, :, 0]) + u * (c[:, :, 3] - c[:, :, 2])
        return point, np.stack([u * along, (1 - u) * along, v * across, (1 - v) * across], axis=2)

    def mirrored(self, mirror, sign):
        """For every function the one it is mirrored to, and the factor for currents of the given sign."""
        middle, direction = self.places
        scale = 1e-7 * abs(middle).max()
        keys = {}
        for i, m in enumerate(np.round(middle / scale).astype(np.int64)):
            for dx in (-1, 0, 1):
                for dy in (-1, 0, 1):
                    for dz in (-1, 0, 1):
                        keys.setdefault((m[0] + dx, m[1] + dy, m[2] + dz), []).append(i)
        image, factor = np.empty(len(middle), int), np.empty(len(middle))
        unit = direction / np.linalg.norm(direction, axis=1)[:, None]
        for i, m in enumerate(np.round(middle * mirror / scale).astype(np.int64)):
            turned = unit[i] * mirror
            matches = [(abs(unit[j] @ turned), j) for j in keys[tuple(m)]]
            best, j = max(matches)
            assert best > 0.9
            image[i], factor[i] = j, sign * np.sign(unit[j] @ turned)
        return image, factor


STATIC_V = crowded_rule(5)
SIGNS = np.array([1.0, -1.0, 1.0, -1.0])  # divergence of the four functions


def static_near(mesh, p, q):
    """Integrals of 1/R for pairs of patches: products of the functions [pair, 4, 4], and of their charges [pair]."""
    x, w = crowded_rule(4)
    u1, wu1 = np.concatenate([x / 2, 1 - x / 2]), np.concatenate([w, w]) / 2
    v1, wv1 = np.polynomial.legendre.leggauss(4)
    v1, wv1 = (v1 + 1) / 2, wv1 / 2
    uu, vv = (g.ravel() for g in np.meshgrid(u1, v1, indexing="ij"))
    ww = np.outer(wu1, wv1).ravel()
    point, f = mesh.values(p, uu, vv)
    c = mesh.corner[q]
    c0, c1, c2, c3 = (c[:, i][:, None] for i in range(4))
    t = (c2 - c0) + (c3 - c1)
    t = t / np.linalg.norm(t, axis=2)[:, :, None]
    across = c1 - c0
    across = across - np.sum(across * t, axis=2)[:, :, None] * t
    foot = np.sum((point - c0) * across, axis=2) / np.sum(across * across, axis=2)
    foot = np.clip(foot, 0, 1)
    scalar = np.zeros(len(p))
    vector = np.zeros((len(p), 4, 4))
    for side in (0, 1):
        for x, w in zip(*STATIC_V):
            v = foot * (1 - x) if side == 0 else foot + (1 - foot) * x
            weight = (foot if side == 0 else 1 - foot) * w * ww
            v3 = v[:, :, None]
            start = (1 - v3) * c0 + v3 * c1
            along = (1 - v3) * (c2 - c0) + v3 * (c3 - c1)
            length = np.linalg.norm(along, axis=2)
            offset = point - start
            z = np.sum(offset * t, axis=2)
            rho = np.sqrt(np.maximum(np.sum(offset * offset, axis=2) - z * z, 1e-26))
            one = (np.arcsinh((length - z) / rho) + np.arcsinh(z / rho)) / length
            linear = (np.hypot(length - z, rho) - np.hypot(z, rho)) / length**2 + z / length * one
            low, high = (one - linear) * weight, linear * weight
            scalar += np.sum(low + high, axis=1)
            a0, a1 = c1 - c0, c3 - c2
            for l, g in ((0, high[:, :, None] * along), (1, low[:, :, None] * along),
                         (2, v3 * (low[:, :, None] * a0 + high[:, :, None] * a1)),
                         (3, (1 - v3) * (low[:, :, None] * a0 + high[:, :, None] * a1))):
                vector[:, :, l] += np.einsum("pnkc,pnc->pk", f, g)
    return vector, scalar


def rows(mesh, patches, block=24):
    """Rows of the local matrix [4 patches, 4 all patches] for the given patches, one block after another."""
    u, v, w = unit_square_rule(3, 2)
    everything = np.arange(len(mesh.corner))
    point, f = mesh.values(everything, u, v)
    n = len(w)
    fw = np.concatenate([(f * w[:, None, None]).reshape(len(f), n, 12),
                         np.broadcast_to(w[:, None], (len(f), n, 1))], axis=2)
    middle = mesh.corner.mean(axis=1)
    reach = np.linalg.norm(mesh.corner - middle[:, None], axis=2).max(axis=1)
    for begin in range(0, len(patches), block):
        p = patches[begin:begin + block]
        near = np.linalg.norm(middle[p][:, None] - middle, axis=2) < 2.5 * (reach[p][:, None] + reach)
        difference = point[p].reshape(-1, 1, 3) - point.reshape(1, -1, 3)
        r = np.sqrt(np.einsum("abc,abc->ab", difference, difference)).reshape(len(p), n, -1, n)
        whole = np.repeat(np.repeat(~near[:, None, :, None], n, axis=1), n, axis=3)
        r = np.maximum(r, 1e-12)
        g = (np.exp(-1j * K * r) - 1 + whole) / r
        inner = np.matmul(g.transpose(2, 0, 1, 3).reshape(len(f), -1, n), fw).reshape(len(f), len(p), n, 13)
        vector = np.einsum("qpnlc,pnkc->pkql", inner[..., :12].reshape(len(f), len(p), n, 4, 3),
                           fw[p][:, :, :12].reshape(len(p), n, 4, 3), optimize=True)
        scalar = np.einsum("qpn,n->pq", inner[..., 12], w)
        i, j = np.nonzero(near)
        for part in np.array_split(np.arange(len(i)), len(i) // 4000 + 1):
            more, charge = static_near(mesh, p[i[part]], j[part])
            vector[i[part], :, j[part], :] += more
            scalar[i[part], j[part]] += charge
        z = (1j * K * ETA / (4 * np.pi) * vector +
             ETA / (4j * np.pi * K) * SIGNS[:, None, None] * SIGNS * scalar[:, None, :, None])
        yield p, z.reshape(4 * len(p), -1)


def admittance(tubes, facets, finest, longest, mirror_z):
    """Admittances between the gaps, short-circuited; with mirror_z the structure and each source must be symmetric about z = 0."""
    mesh = Mesh(tubes, facets, finest, longest)
    count = mesh.incidence.shape[1]
    symmetries = [mesh.mirrored(FRONT, 1)] + ([mesh.mirrored(DOWN, -1)] if mirror_z else [])
    orbit, factor = np.arange(count)[:, None], np.ones((count, 1))
    for image, sign in symmetries:
        orbit = np.concatenate([orbit, image[orbit]], axis=1)
        factor = np.concatenate([factor, factor * sign[orbit[:, :factor.shape[1]]]], axis=1)
    total = scipy.sparse.csr_matrix((factor.ravel(), (np.repeat(np.arange(count), orbit.shape[1]), orbit.ravel())),
                                    shape=(count, count))
    keep = (orbit.min(axis=1) == np.arange(count)) & (abs(total).max(axis=1).toarray().ravel() > 0)
    reduce = total[keep].T.tocsc()  # columns: symmetric currents
    middle = mesh.corner.mean(axis=1)
    representative = middle[:, 1] > 0
    if mirror_z:
        representative &= middle[:, 2] > 0
    expand = (mesh.incidence @ reduce).tocsr()
    size = expand.shape[1]
    z = np.zeros((size, size), complex)
    for p, block in rows(mesh, np.where(representative)[0]):
        local = (4 * p[:, None] + np.arange(4)).ravel()
        z += expand[local].T @ (block @ expand)
    z *= 2 ** len(symmetries)
    right = np.zeros((4 * len(mesh.corner), len(mesh.sources)))
    for s, (patches, length) in enumerate(mesh.sources):
        c = mesh.corner[patches]
        ell = np.linalg.norm(c[:, 2] - c[:, 0], axis=1)
        right[4 * patches, s] = right[4 * patches + 1, s] = ell / 2 / length
    right = expand.T @ right
    return right.T @ np.linalg.solve(z, right)


def parallel(spacing, lengths, radii, volts, middles=(0, 0), segments=21):
    """Straight wires along z, at x = 0, spacing, ...; those with a voltage that is not None have a source in the middle."""
    tubes = []
    for i, (length, radius, middle) in enumerate(zip(lengths, radii, middles)):
        ends = [(i * spacing, middle - length / 2), (i * spacing, middle + length / 2)]
        tubes.append(Tube(ends, radius, [segments], None if volts[i] is None else (0, segments // 2)))
    for i, tube in enumerate(tubes):
        for j, other in enumerate(tubes):
            for z in (p[1] for p in other.corners):
                place = z - tube.corners[0][1]
                if abs(i - j) == 1 and 1e-9 < place < lengths[i] - 1e-9:
                    tube.fine.append((0, place))
    return tubes


def loop(length, spacing, radius, end_segments):
    corners = [(0, -length / 2), (0, length / 2), (spacing, length / 2), (spacing, -length / 2)]
    return [Tube(corners, radius, [21, end_segments, 21, end_segments], (0, 10), closed=True)]


def hook(short, long, spacing, radius):
    """Two arms up from the ends of a base wire that is fed in its middle: a J-pole, or an open stub."""
    return [Tube([(0, short), (0, 0), (spacing, 0), (spacing, long)], radius, [11, 3, 31], (1, 1))]


def polygon(sides, side, radius):
    turn = 2 * np.pi / sides
    across = side / (2 * np.sin(turn / 2))
    corners = [(across * np.cos((i + 0.5) * turn), across * np.sin((i + 0.5) * turn)) for i in range(sides)]
    return [Tube(corners, radius, [5] * sides, (0, 2), closed=True)]


def zigzag(degrees, leg, radius):
    x, z = leg * np.sin(np.radians(degrees)), leg * np.cos(np.radians(degrees))
    return [Tube([(x, -leg / 2 - z), (0, -leg / 2), (0, leg / 2), (-x, leg / 2 + z)], radius, [5, 5, 5], (1, 2))]


def cases():
    for length, radius in ((0.5, 0.001), (0.5, 0.005)):
        yield Case(f"dipole of {length}, a = {radius}", [Tube([(0, -length / 2), (0, length / 2)], radius, [21], (0, 10))], [1])
    for ratio in (3, 4, 5, 10):
        pair = parallel(ratio * 0.004, (0.4, 0.4), (0.004, 0.004), (1, 1))
        for kind, volts in (("one driven", [1, 0]), ("in phase", [1, 1]), ("opposite", [1, -1])):
            yield Case(f"two dipoles of 0.4, D/a = {ratio}, {kind}", pair, volts)
    yield Case("two dipoles of 0.5, D/a = 4, one driven", parallel(0.02, (0.5, 0.5), (0.005, 0.005), (1, 1)), [1, 0])
    yield Case("dipoles of 0.47 and 0.43, D/a = 5", parallel(0.02, (0.47, 0.43), (0.004, 0.004), (1, None)), [1])
    yield Case("dipoles of 0.45 and 0.4, radii 2:5, D = 3 x 5",
               parallel(0.015, (0.45, 0.4), (0.002, 0.005), (1, None)), [1])
    yield Case("two wires that overlap by half, D/a = 4",
               parallel(0.016, (0.4, 0.4), (0.004, 0.004), (1, None), (0, 0.2)), [1], mirror_z=False)
    for ratio in (3, 5, 10):
        yield Case(f"open sleeve, D/a = {ratio}",
                   [*parallel(ratio * 0.004, (0.25, 0.47, 0.25), (0.004,) * 3, (None, 1, None), (0, 0, 0))], [1])
    for ratio, end_segments in ((4, 1), (5, 1), (10, 3)):
        yield Case(f"folded dipole of 0.46, D/a = {ratio}", loop(0.46, ratio * 0.002, 0.002, end_segments), [1])
    for ratio, end_segments in ((4, 1), (5, 1), (10, 3)):
        yield Case(f"shorted stubs of 0.08 on either side, D/a = {ratio}", loop(0.16, ratio * 0.002, 0.002, end_segments), [1])
    for ratio in (5, 10):
        yield Case(f"J-pole fed at its base, D/a = {ratio}", hook(0.235, 0.71, ratio * 0.002, 0.002), [1], mirror_z=False)
    yield Case("hairpin of 0.15, open, fed at its base, D/a = 5", hook(0.15, 0.15, 0.01, 0.002), [1], mirror_z=False)
    for name, sides in (("triangle", 3), ("square", 4), ("hexagon", 6)):
        yield Case(f"{name} of sides of 20 radii", polygon(sides, 0.02, 0.001), [1], mirror_z=False)
    for degrees in (30, 60, 90, 120):
        yield Case(f"dipole with ends of 20 radii bent by {degrees} degrees", zigzag(degrees, 0.02, 0.001), [1], mirror_z=False)


def extrapolated(case, cache):
    """Impedance in the limits of all three parameters, and its uncertainty.

    Errors are of order facets^-3, finest^1 and longest^2. The uncertainty is the change from the extrapolation of a mesh
    twice as coarse along the wire, plus a seventh of the correction for the number of facets.
    """
    volts = np.array(case.volts)

    def impedance(facets, finest, longest):
        key = (repr(case.tubes), facets, finest, longest)
        if key not in cache:
            cache[key] = admittance(case.tubes, facets, finest, longest, case.mirror_z)
        return volts[0] / (cache[key] @ volts)[0]

    def along(finest, longest):
        base = impedance(8, finest, longest)
        return (base + 4 / 3 * (impedance(8, finest / 4, longest) - base) +
                4 / 3 * (impedance(8, finest, longest / 2) - base))

    around = 8 / 7 * (impedance(16, 0.25, 0.025) - impedance(8, 0.25, 0.025))
    coarse, fine = along(0.25, 0.025), along(0.125, 0.0125)
    return fine + around, abs(fine - coarse) + abs(around) / 7


def main():
    wanted = sys.argv[1:]
    print(HEADER, end="")
    cache = {}
    for case in cases():
        if wanted and not any(w in case.name for w in wanted):
            continue
        z, uncertainty = extrapolated(case, cache)
        deck = case.deck().replace("\n", "\\n")
        print(f'    {{"{case.name}",\n     "{deck}",\n     {z.real:.7g}, {z.imag:.7g}, {uncertainty:.2g}}},',
              flush=True)
    print("};\n\n}  // namespace thinwire")


HEADER = """// Impedances of close wires from a mesh of their surfaces, printed by tests/golden/surface_tubes.py.
#pragma once

#include <vector>

namespace thinwire {

struct SurfaceTubes {
    const char* name;
    const char* deck;
    double r_ohm, x_ohm;  // of the first source
    double uncertainty_ohm;
};

inline const std::vector<SurfaceTubes> surface_tubes{
"""

if __name__ == "__main__":
    main()
