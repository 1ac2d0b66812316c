"""Decks of other programs than NEC-2."""

import numpy as np
import pytest

import thinwire as tw

DIPOLE = ("CE\nGW 1 10 0 -.25 0 0 .25 0 .001\nGE\nEX 0 1 5 0 1\nFR 0 1 0 0 300\nXQ\nEN\n")


def test_decks_name_their_dialect(tmp_path):
    node = tw.Deck(DIPOLE, dialect="nec5")
    gap = tw.Deck(DIPOLE.replace("EX 0 1 5", "EX 5 1 6"))
    result = node.solve()
    np.testing.assert_allclose(result.z, gap.solve().z, rtol=1e-9)
    result.save(tmp_path / "node.h5")
    again = tw.open(tmp_path / "node.h5").model
    assert again.dialect == "nec5"
    assert result.ports == again.solve().ports == ("1/5 end",)
    np.testing.assert_allclose(again.solve().z, result.z, rtol=1e-9)
    with pytest.raises(tw.UsageError, match="dialect must be one of auto"):
        tw.Deck(DIPOLE, dialect="nec3")


def test_patches_become_grids_where_asked():
    deck = DIPOLE.replace("GE", "SM 2 2 .5 0 0 .5 .4 0\nSC 0 0 .5 .4 .4\nGE")
    with pytest.raises(tw.DeckError, match="patches='grid'"):
        tw.Deck(deck)
    assert len(tw.Deck(deck, patches="grid").solve().segment_tags) == 10 + 16
