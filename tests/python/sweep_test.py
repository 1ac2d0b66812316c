"""Model.sweep() against what its variants give alone."""

import numpy as np
import pytest

import thinwire as tw

DIPOLE = """CE
SY h=0.24, n=11
GW 1 n 0 0 -h 0 0 h .001
GE 0
EX 0 1 6 0 1 0
FR 0 2 0 0 295 10
XQ
EN
"""


def test_variants_are_what_each_gives_alone_whatever_the_threads():
    deck = tw.Deck(DIPOLE, name="d.nec")
    lengths, counts = [0.22, 0.24, 0.26], [11, 21]
    one, three = (deck.sweep(h=lengths, n=counts, z0=75, options={"threads": threads})
                  for threads in (1, 3))
    assert np.array_equal(one.z, three.z) and one.z.shape == (3, 2, 2, 1)
    for i, h in enumerate(lengths):
        for j, n in enumerate(counts):
            alone = deck.set(h=h, n=n).solve(z0=75)
            assert np.array_equal(alone.z, three.z[i, j])
            assert three[i, j].z0 == 75 and three[i, j].unknowns == alone.unknowns
            assert three[i, j].model.values == {"h": h, "n": n}
            assert three[i, j].pattern([90], [0]).gain.shape == (2, 1, 1)


def test_a_variant_that_cannot_be_read_is_named_before_any_is_solved():
    with pytest.raises(tw.GeometryError, match=r"^with h=0: d.nec:3: ") as caught:
        tw.Deck(DIPOLE, name="d.nec").sweep(h=[0.24, 0])
    assert (caught.value.file, caught.value.line) == ("d.nec", 3)

    @tw.Design
    def dipole(h=0.24):
        a = tw.Antenna()
        a.port(a.wire((0, 0, -h), (0, 0, h), radius=1e-3, segments=11))
        return a

    with pytest.raises(tw.GeometryError, match="^with h=0: ") as caught:
        dipole.sweep(300e6, h=[0.24, 0])
    assert caught.value.file == __file__


def test_options_that_there_are_not_are_named():
    with pytest.raises(tw.UsageError, match="sweep has no option thread"):
        tw.Deck(DIPOLE).sweep(h=[0.24], options={"thread": 2})
    with pytest.raises(tw.UsageError, match="optimize has no option thread"):
        tw.Deck(DIPOLE).optimize("vswr < 2", h=(0.2, 0.3), options={"thread": 2})
    with pytest.raises(tw.UsageError, match="values of h must be finite"):
        tw.Deck(DIPOLE).sweep(h=[0.24, float("nan")])
    with pytest.raises(tw.UsageError, match="values of h must be numbers"):
        tw.Deck(DIPOLE).sweep(h=["long"])


def test_a_placement_where_no_gpu_solves_is_refused():
    with pytest.raises(tw.UsageError, match="placement selects what runs on a GPU"):
        tw.Deck(DIPOLE).sweep(h=[0.24], options={"placement": "graph"})
    with pytest.raises(tw.UsageError, match="placement selects what runs on a GPU"):
        tw.Deck(DIPOLE).optimize("vswr < 2", h=(0.2, 0.3), options={"placement": "graph"})
