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


def test_files_of_mmana_gal_are_decks(tmp_path):
    file = tmp_path / "dipole.maa"
    file.write_text("Dipole\n*\n14.15\n***Wires***\n1\n-5,0,0,5,0,0,0.001,-1\n***Source***\n1,0\nw1c,0,1\n"
                    "***Load***\n1,1\nw1b5,0,1,50,200\n***Segmentation***\n400,40,2,2\n"
                    "***G/H/M/R/AzEl/X***\n2,8,0,50,120,60,0\n")
    deck = tw.read_deck(file)
    result = deck.solve()
    result.save(tmp_path / "dipole.h5")
    again = tw.open(tmp_path / "dipole.h5").model
    np.testing.assert_allclose(again.solve().z, result.z, rtol=1e-9)
    np.testing.assert_allclose(tw.Deck(deck.to_nec()).solve().z, result.z, rtol=1e-6)
    with pytest.raises(tw.DeckError, match=r"dipole.maa:6: field 7 \(radius, m\)"):
        tw.Deck(deck.text.replace("0.001", "wide"), name="dipole.maa")
