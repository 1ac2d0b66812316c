"""The blocks of docs/guide/python.md, and those of README.md that import the package, run."""

import pathlib
import re

import pytest

from conftest import SOURCE

BLOCK = re.compile(r"^```python.*?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.filterwarnings("error::thinwire.ModelWarning")
@pytest.mark.parametrize("name", ["docs/guide/python.md", "README.md"])
def test_blocks_run(name, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    for package in ("xarray", "scipy"):
        pytest.importorskip(package)
    (tmp_path / "examples").symlink_to(SOURCE / "examples")
    monkeypatch.chdir(tmp_path)
    text = pathlib.Path(SOURCE, name).read_text(encoding="utf-8")
    blocks = BLOCK.findall(text)
    if name == "README.md":
        blocks = [block for block in blocks if "thinwire" in block]
    assert blocks
    namespace = {}
    for block in blocks:
        exec(compile(block, name, "exec"), namespace)
    if name == "docs/guide/python.md":
        assert (tmp_path / "impedance.png").exists()
        assert namespace["gain"] == pytest.approx(2.15, abs=0.006)
        assert abs(namespace["r"].z[20, 0] - (75 + 12j)) < 1
        assert namespace["failed"] == 0
