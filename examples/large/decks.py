#!/usr/bin/env python3
"""Prints NEC decks of large wire structures, up to millions of segments.

usage: decks.py plate CELLS [--cell C]      square plate of CELLS x CELLS cells, whip in the middle
       decks.py ship CELLS [--cell C]       closed hull CELLS long, deckhouse, mast, whip
       decks.py box CELLS [--cell C]        closed box CELLS long, a quarter wide and high, whip:
                                            a resonator with modes of the same frequency
       decks.py hull CELLS [--cell C]       closed hull CELLS long, tapered and curved, whip: no
                                            lattice, all segments different
       decks.py sphere CELLS [--cell C]     sphere whose circumference has 4 CELLS, in a plane wave
                                            from above; cross sections in both planes
       decks.py reflector CELLS [--cell C]  paraboloid CELLS across, dipole and rod at the focus
       decks.py array N                     N x N half-wave dipoles, half a wavelength apart
       decks.py plane N | volume N          N half-wave dipoles at random: upright in a plane,
                                            or in all directions in a cube
options: --ground puts it over perfect ground, --pattern asks for a far field of 1 x 1 degree.

The wavelength is 1 m. Cells (default 0.1 m) are squares of wires of radius C / (2 pi), which
have a plate's surface (Ludwig 1987, "Wire grid modeling of surfaces"). Dipoles have 21
segments and a radius of 1 mm. Needs Python 3.8 alone; the same deck every time.
"""
import argparse
import itertools
import math
import random

MHZ = 299.792458
DIPOLE_LENGTH_M = 0.5
DIPOLE_RADIUS_M = 0.001
DIPOLE_SEGMENTS = 21


class Deck:
    """Wires, numbered as they come, and the one that is fed."""

    def __init__(self, title, height_m=0.0):
        self.cards = [f"CM {title}", "CE"]
        self.height_m = height_m
        self.wires = 0
        self.feed = None
        self.wave = None  # the cards in place of a source's

    def add_wire(self, a, b, segments, radius_m):
        """From a to b, in metres; gives the tag."""
        self.wires += 1
        ends = " ".join(f"{x:.9g} {y:.9g} {z + self.height_m:.9g}" for x, y, z in (a, b))
        self.cards.append(f"GW {self.wires} {segments} {ends} {radius_m:.6g}")
        return self.wires

    def print(self, ground, pattern):
        self.cards += [f"GE {-1 if ground else 0}"] + ["GN 1"] * ground
        self.cards += [f"FR 0 1 0 0 {MHZ:.6f} 0", self.wave or "EX 0 {} {} 0 1 0".format(*self.feed)]
        if self.wave and not pattern:
            self.cards.append("RP 0 181 2 1000 0 0 1 90")
        else:
            self.cards.append(f"RP 0 {91 if ground else 181} 360 1000 0 0 1 1" if pattern else "XQ")
        print("\n".join(self.cards + ["EN"]))


class Grid:
    """Wire grid over nodes (i, j, k): every edge once, straight lines as one wire."""

    def __init__(self, deck, cell_m, bend=None):
        """bend(place): where a place goes; then every edge is a wire of its own."""
        self.deck = deck
        self.cell_m = cell_m
        self.bend = bend
        self.edges = set()

    def place(self, node):
        place = tuple(self.cell_m * i for i in node)
        return self.bend(place) if self.bend else place

    def add_rectangle(self, corner, first_axis, first_cells, second_axis, second_cells):
        for along, cells, beside, lines in ((first_axis, first_cells, second_axis, second_cells),
                                            (second_axis, second_cells, first_axis, first_cells)):
            for line in range(lines + 1):
                start = list(corner)
                start[beside] += line
                self.add_line(start, along, cells)

    def add_box(self, corner, cells, floor):
        """Six sides, or five without the floor."""
        for normal in range(3):
            first, second = [axis for axis in range(3) if axis != normal]
            for side in range(0 if floor or normal != 2 else 1, 2):
                at = list(corner)
                at[normal] += side * cells[normal]
                self.add_rectangle(at, first, cells[first], second, cells[second])

    def add_line(self, start, along, cells):
        """Edges that are there already are left out."""
        begin = None
        for i in range(cells + 1):
            edge = (along, *start[:along], start[along] + i, *start[along + 1:])
            fresh = i < cells and edge not in self.edges
            if fresh and self.bend:
                self.edges.add(edge)
                self.add_edge(edge[1:], along)
            elif fresh:
                self.edges.add(edge)
                begin = i if begin is None else begin
            elif begin is not None:
                a, b = list(start), list(start)
                a[along] += begin
                b[along] += i
                self.deck.add_wire(self.place(a), self.place(b), i - begin,
                                   self.cell_m / (2 * math.pi))
                begin = None

    def add_edge(self, start, along):
        """Thin enough for the narrow meshes of a bow."""
        end = list(start)
        end[along] += 1
        a, b = self.place(start), self.place(end)
        self.deck.add_wire(a, b, 1, min(self.cell_m, math.dist(a, b)) / (2 * math.pi))

    def add_whip(self, foot):
        """A fed quarter wave."""
        x, y, z = self.place(foot)
        segments = max(5, round(0.25 / max(self.cell_m, 0.02)))
        radius_m = min(self.cell_m / (2 * math.pi), 0.003)
        tag = self.deck.add_wire((x, y, z), (x, y, z + 0.25), segments, radius_m)
        self.deck.feed = (tag, 1)


def plate(cells, cell_m, height_m):
    deck = Deck(f"plate of {cells} x {cells} cells of {cell_m:g} wavelengths", height_m)
    grid = Grid(deck, cell_m)
    grid.add_whip((cells // 2, cells // 2, 0))
    grid.add_rectangle((0, 0, 0), 0, cells, 1, cells)
    return deck


def ship(cells, cell_m, height_m):
    beam, depth = max(4, round(cells * 4 / 15)), max(2, round(cells / 5))
    deck = Deck(f"closed ship, {cells} x {beam} x {depth} cells of {cell_m:g} wavelengths",
                height_m)
    grid = Grid(deck, cell_m)
    grid.add_whip((cells // 4, beam // 2, depth))
    grid.add_box((0, 0, 0), (cells, beam, depth), floor=True)
    house = (max(2, cells // 3), beam - 2, max(2, depth // 2))
    grid.add_box((cells // 2, 1, depth), house, floor=False)
    mast = (cells // 2 + house[0] // 2, beam // 2, depth + house[2])
    length = max(3, depth // 3)
    grid.add_line(list(mast), 2, length)
    return deck


def box(cells, cell_m, height_m):
    side = max(2, cells // 4)
    deck = Deck(f"closed box, {cells} x {side} x {side} cells of {cell_m:g} wavelengths", height_m)
    grid = Grid(deck, cell_m)
    grid.add_whip((cells // 3, side // 2, side))
    grid.add_box((0, 0, 0), (cells, side, side), floor=True)
    return deck


def hull(cells, cell_m, height_m):
    """A box whose bow is narrow and overhangs, whose deck rises to it, and whose sides lean in
    towards the keel."""
    beam, depth = max(4, cells // 4), max(2, cells // 5)
    length_m, beam_m, depth_m = cells * cell_m, beam * cell_m, depth * cell_m

    def bend(place):
        x, y, z = place
        bow, up = x / length_m, z / depth_m
        narrow = (1 - 0.55 * bow ** 2.2) * (1 - 0.25 * (1 - up) ** 3)
        keel_m = 0.45 * depth_m * max(0.0, (bow - 0.7) / 0.3) ** 2
        sheer_m = 0.15 * depth_m * bow ** 2
        return (x + 0.12 * length_m * bow ** 2 * up, beam_m / 2 + narrow * (y - beam_m / 2),
                keel_m + up * (depth_m - keel_m + sheer_m))

    deck = Deck(f"curved hull, {cells} x {beam} x {depth} cells of {cell_m:g} wavelengths",
                height_m)
    grid = Grid(deck, cell_m, bend)
    grid.add_whip((cells // 3, beam // 2, depth))
    grid.add_box((0, 0, 0), (cells, beam, depth), floor=True)
    return deck


def sphere(cells, cell_m, height_m):
    """The surface of a cube, brought to a sphere in equal angles. Each wire has the surface of the
    cells beside it, once for each of both directions."""
    radius_m = 2 * cells * cell_m / math.pi
    deck = Deck(f"sphere of {radius_m:g} wavelengths, cells of {cell_m:g}", height_m)
    deck.wave = "EX 1 1 1 0 0 0 0"

    def place(node):
        x, y, z = (math.tan(math.pi / 4 * (2 * i / cells - 1)) for i in node)
        scale = radius_m / math.hypot(x, y, z)
        return (scale * x, scale * y, scale * z)

    beside = {}  # edges: surface of the cells there
    for normal, level, i, j in itertools.product(range(3), (0, cells), range(cells), range(cells)):
        corners = []
        for first, second in ((0, 0), (1, 0), (1, 1), (0, 1)):
            node = [level] * 3
            node[(normal + 1) % 3], node[(normal + 2) % 3] = i + first, j + second
            corners.append(tuple(node))
        a, b, c, d = map(place, corners)
        u, v = ([q - p for p, q in zip(*ends)] for ends in ((a, c), (b, d)))
        area = 0.5 * math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                                u[0] * v[1] - u[1] * v[0])
        for edge in zip(corners, corners[1:] + corners[:1]):
            edge = tuple(sorted(edge))
            beside[edge] = beside.get(edge, 0) + area
    for edge, area in beside.items():
        a, b = map(place, edge)
        deck.add_wire(a, b, 1, area / (4 * math.pi * math.dist(a, b)))
    return deck


def reflector(cells, cell_m, height_m):
    """Its nodes lie over a square lattice, inside a circle; focal length 0.4 diameters."""
    diameter_m = cells * cell_m
    focus_m = 0.4 * diameter_m
    deck = Deck(f"paraboloid {diameter_m:g} wavelengths across, cells of {cell_m:g}", height_m)

    def node(i, j):
        x, y = (i - cells / 2) * cell_m, (j - cells / 2) * cell_m
        inside = math.hypot(x, y) <= diameter_m / 2
        return (x, y, (x * x + y * y) / (4 * focus_m)) if inside else None

    half = 0.47 / 2
    tag = deck.add_wire((-half, 0, focus_m), (half, 0, focus_m), 11, DIPOLE_RADIUS_M)
    deck.feed = (tag, 6)
    deck.add_wire((-0.25, 0, focus_m + 0.2), (0.25, 0, focus_m + 0.2), 11, DIPOLE_RADIUS_M)
    for i in range(cells + 1):
        for j in range(cells + 1):
            for to in ((i + 1, j), (i, j + 1)):
                a, b = node(i, j), node(*to)
                if a and b:
                    deck.add_wire(a, b, 1, cell_m / (2 * math.pi))
    return deck


def array(n, height_m):
    deck = Deck(f"{n} x {n} half-wave dipoles, half a wavelength apart", height_m)
    half = DIPOLE_LENGTH_M / 2
    deck.add_wire((0, 0, -half), (0, 0, half), DIPOLE_SEGMENTS, DIPOLE_RADIUS_M)
    if n > 1:
        deck.cards += [f"GM 1 {n - 1} 0 0 0 0.5 0 0", f"GM {n} {n - 1} 0 0 0 0 0.5 0"]
    deck.feed = (n // 2 * n + n // 2 + 1, DIPOLE_SEGMENTS // 2 + 1)
    return deck


def random_dipoles(count, in_plane, height_m):
    """Three a square (cubic) wavelength, at least 0.1 (0.06) wavelengths apart."""
    draw = random.Random(1)
    side_m = (count / 3.125) ** (1 / 2 if in_plane else 1 / 3)
    gap_m = 0.1 if in_plane else 0.06
    deck = Deck(f"{count} dipoles at random in a {'plane' if in_plane else 'volume'}", height_m)
    boxes = {}  # dipoles by the cubes of side DIPOLE_LENGTH_M + gap_m that hold their centres
    size_m = DIPOLE_LENGTH_M + gap_m
    while deck.wires < count:
        centre = [draw.uniform(0, side_m), draw.uniform(0, side_m),
                  0.0 if in_plane else draw.uniform(0, side_m)]
        direction = (0.0, 0.0, 1.0)
        if not in_plane:
            gauss = [draw.gauss(0, 1) for _ in range(3)]
            direction = tuple(x / math.sqrt(sum(y * y for y in gauss)) for x in gauss)
        box = tuple(int(x // size_m) for x in centre)
        near = (other for di in (-1, 0, 1) for dj in (-1, 0, 1) for dk in (-1, 0, 1)
                for other in boxes.get((box[0] + di, box[1] + dj, box[2] + dk), ()))
        if any(distance(centre, direction, *other) < gap_m for other in near):
            continue
        boxes.setdefault(box, []).append((centre, direction))
        a, b = ([x + sign * DIPOLE_LENGTH_M / 2 * u for x, u in zip(centre, direction)]
                for sign in (-1, 1))
        deck.add_wire(a, b, DIPOLE_SEGMENTS, DIPOLE_RADIUS_M)
    deck.feed = (1, DIPOLE_SEGMENTS // 2 + 1)
    return deck


def distance(c1, u1, c2, u2):
    """Of two dipoles, by alternating projections between them (both are convex)."""
    half = DIPOLE_LENGTH_M / 2
    on_second = 0.0
    for _ in range(20):
        p = [c + on_second * u for c, u in zip(c2, u2)]
        on_first = min(half, max(-half, sum((x - c) * u for x, c, u in zip(p, c1, u1))))
        q = [c + on_first * u for c, u in zip(c1, u1)]
        on_second = min(half, max(-half, sum((x - c) * u for x, c, u in zip(q, c2, u2))))
    p = [c + on_second * u for c, u in zip(c2, u2)]
    return math.dist(p, q)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("structure", choices=["plate", "ship", "box", "hull", "sphere",
                                              "reflector", "array", "plane", "volume"])
    parser.add_argument("size", type=int)
    parser.add_argument("--cell", type=float, default=0.1)
    parser.add_argument("--ground", action="store_true")
    parser.add_argument("--pattern", action="store_true")
    options = parser.parse_args()
    if options.size < 1 or not options.cell > 0:
        parser.error("the size and --cell must be positive; example: decks.py plate 40")
    height_m = 0.5 if options.ground else 0.0
    grids = {"plate": plate, "ship": ship, "box": box, "hull": hull, "sphere": sphere,
             "reflector": reflector}
    if options.structure in grids:
        deck = grids[options.structure](options.size, options.cell, height_m)
    elif options.structure == "array":
        deck = array(options.size, height_m)
    else:
        deck = random_dipoles(options.size, options.structure == "plane", height_m)
    deck.print(options.ground, options.pattern)


if __name__ == "__main__":
    main()
