"""The live page's templates: each has a source, and gives what that expects."""

import re
from pathlib import Path

import pytest

import thinwire.serve
from thinwire.serve.folder import Folder
from thinwire.serve.solving import solve

TEMPLATES = sorted((Path(thinwire.serve.__file__).parent / "templates").glob("*.nec"))


def test_there_are_at_least_25():
    assert len(TEMPLATES) >= 25


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_template_gives_what_its_source_expects(path, tmp_path):
    text = path.read_text()
    assert re.search(r"^CM [A-Z][a-z ]+: .+\. .+$", text, re.M)  # group, title, about
    assert re.search(r"^CM Source: .{30,}$", text, re.M)
    assert re.search(r"^SY .*=", text, re.M)
    mhz, values = re.search(r"^CM Expected at ([\d.]+) MHz: (.+)$", text, re.M).groups()
    solved, answer = solve(text, path.name, Folder(tmp_path), shown_hz=float(mhz) * 1e6)
    assert solved is not None, answer
    document, shown = answer["result"], answer["shown"]
    ports = len(document["port_tag"])
    assert document["frequency_hz"][shown] == pytest.approx(float(mhz) * 1e6, rel=2e-3)
    z = complex(*document["impedance_ohm"][2 * shown * ports:2 * shown * ports + 2])
    reflection = abs((z - document["z0"]) / (z + document["z0"]))
    _, gain, _, _, ratio = document["patterns"][0]["peaks"][0]
    got = {"R": z.real, "X": z.imag, "gain": gain, "F/B": ratio,
           "VSWR": (1 + reflection) / (1 - reflection)}
    found = re.findall(r"(R|X|gain|F/B|VSWR) (-?[\d.]+) \+- ([\d.]+)", values)
    assert found
    for name, value, tolerance in found:
        assert got[name] == pytest.approx(float(value), abs=float(tolerance)), (name, got)
