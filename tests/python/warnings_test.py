"""What a solve warns of comes as one ModelWarning, at the user's line and in Python's words."""

import re
import warnings

import numpy as np
import pytest

import thinwire as tw
from conftest import SOURCE
from thinwire._words import in_python


def short(segments=3, h=0.24):
    """A dipole that is warned of: so few segments do not show the shape of its current."""
    antenna = tw.Antenna()
    antenna.port(antenna.wire((0, 0, -h), (0, 0, h), radius=1e-3, segments=segments))
    return antenna


def caught(call):
    """The warnings of a call."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call()
    return found


@pytest.mark.parametrize("call", [
    lambda: short().solve(300e6),
    lambda: tw.Deck(short().to_nec(300e6)).solve(),
    lambda: tw.Design(short).solve([300e6, 301e6]),
    lambda: short().operator(300e6),
    lambda: tw.Design(short).sweep(300e6, h=[0.23, 0.24]),
    lambda: tw.Design(short).optimize("r(300) max", h=(0.23, 0.25), evaluations=3, starts=1),
], ids=["antenna", "deck", "design", "operator", "sweep", "optimize"])
def test_every_way_to_solve_warns_once_at_the_users_line(call):
    found = caught(call)
    assert [w.category for w in found] == [tw.ModelWarning]
    assert "feeds an antenna of 3 segments" in str(found[0].message)
    assert (found[0].filename, found[0].lineno) == (__file__, call.__code__.co_firstlineno)


def test_the_warning_has_every_line_of_the_result():
    result = []
    found = caught(lambda: result.append(short().solve(145)))
    assert len(result[0].warnings) > 1
    assert str(found[0].message).splitlines() == list(result[0].warnings)


def test_nothing_to_warn_of_is_silent(dipole):
    assert caught(lambda: dipole[0].solve(300e6)) == []


def test_warnings_can_be_errors():
    with warnings.catch_warnings():
        warnings.simplefilter("error", tw.ModelWarning)
        with pytest.raises(tw.ModelWarning, match="3 segments"):
            short().solve(300e6)


def test_a_sweep_warns_of_its_variants_by_name():
    design = tw.Design(lambda segments=3.0: short(int(segments)))
    some = caught(lambda: design.sweep(300e6, segments=[3, 4, 21]))
    assert "with segments=3: " in str(some[0].message)
    assert "with segments=4: " in str(some[0].message)
    alike = caught(lambda: tw.Design(short).sweep(300e6, h=[0.23, 0.24, 0.25]))
    assert str(alike[0].message).startswith("tag 1 segment 2 feeds")
    many = caught(lambda: tw.Design(short).sweep(145, h=np.linspace(0.2, 0.3, 30)))
    assert re.search(r"\nand \d+ more", str(many[0].message))


def test_given_frequencies_end_the_warning_of_none():
    deck = tw.Deck(short(21).to_nec())
    assert any("no FR card" in text for text in deck.solve().warnings)
    assert not any("no FR card" in text for text in deck.solve(300e6).warnings)


@pytest.mark.parametrize("frequency, length, meant", [
    (145, 1, "145e6"), ([144, 145.5], 1, "145.5e6"), (14.1, 10, "14.1e6"), (2.4, 0.06, "2.4e9"),
    (145e6, 1, None), (136e3, 300, None), (8200, 500, None), (50, 3e5, None)])
def test_hertz_for_megahertz_is_hinted_at(frequency, length, meant):
    antenna = tw.Antenna()
    antenna.port(antenna.wire((0, 0, 0), (0, 0, length), radius=1e-4 * length, segments=11))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        hints = [w for w in antenna.solve(frequency).warnings if "frequencies are in Hz" in w]
    assert len(hints) == (0 if meant is None else 1)
    assert all(f"did you mean {meant}?" in hint for hint in hints)


def test_an_error_has_the_hint_too(dipole):
    with pytest.raises(tw.Error, match="did you mean 300e6"):
        dipole[0].solve(300, operator="toeplitz")


# The messages of the library.

LITERALS = re.compile(r'(?:"(?:[^"\\\n]|\\.)*"\s*)+')
OPTION = re.compile(r"--([a-z][a-z0-9]*(?:-[a-z0-9]+)*)")
# Options of the program alone, in messages of what Python does not run: writers of files, ranks,
# journals, cards that a deck has for the program, measurements.
PROGRAMS = {"n", "scale", "frequency", "split", "mpi", "csv", "touchstone", "save-matrix", "force", "resume", "output", "vary",
            "set", "json", "listing"}
FOLDERS = ("kernels", "geometry", "cg", "mom", "io")


def messages():
    """All texts of the sources that name an option, neighbouring literals joined."""
    for folder in FOLDERS:
        for file in sorted((SOURCE / folder).rglob("*")):
            if file.suffix not in (".cpp", ".h", ".cu", ".cuh"):
                continue
            code = re.sub(r"^\s*//.*$", "", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
            for match in LITERALS.finditer(code):
                text = "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', match[0]))
                if OPTION.search(text) or "`thinwire" in text:
                    yield f"{file.relative_to(SOURCE)}: {text}"


def test_messages_of_the_library_name_options_of_python():
    python = set(tw.SolveOptions.__annotations__) | {"gradient", "structure", "dialect", "patches",
                                                     "method", "starts", "goal"}
    found = list(messages())
    assert len(found) > 60
    for message in found:
        text = in_python(message)
        assert "--" not in text and "`thinwire" not in text, text
        for name in OPTION.findall(message):
            assert name.replace("-", "_") in python or name in PROGRAMS, message


@pytest.mark.parametrize("program, python", [
    ("Use --mesh as-given or --device cpu.", "Use mesh='as-given' or device='cpu'."),
    ("Use --precision mixed or more GPUs.", "Use precision='mixed' or more GPUs."),
    ("Try --tolerance 1e-6.", "Try tolerance=1e-6."),
    ("use --threads 1 and fewer segments.", "use threads=1 and fewer segments."),
    ("--precond overlap is not symmetric, which --solver cg needs. Use another --precond.",
     "precond='overlap' is not symmetric, which solver='cg' needs. Use another precond."),
    ("Try --boxes 32,4.", "Try boxes='32,4'."), ("--device cuda:N,M.", "device='cuda:N,M'."),
    ("Leave --device and --operator out.", "Leave device and operator out."),
    ("more than --operator-tolerance 1e-05; --operator dense is exact",
     "more than operator_tolerance=1e-05; operator='dense' is exact"),
    ("--save-matrix keeps", "save_matrix keeps")])
def test_words(program, python):
    assert in_python(program) == python


def test_a_refused_option_is_pythons(dipole):
    with pytest.raises(tw.UsageError, match=r"Try refine=2\.$"):
        dipole[0].solve(300e6, refine=3)


def test_a_deck_that_requests_nothing_is_no_reason_to_warn():
    deck = tw.Deck("CE\nGW 1 11 0 -.25 .2 0 .25 .2 .001\nGE 1\nGN 1\nEX 0 1 6 0 1 0\nFR 0 1 0 0 290 0\nEN\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = deck.solve()
    assert len(result.warnings) == 1  # kept
    assert result.pattern(theta=5, phi=5).peak[1:] == (0, 0)  # straight up
