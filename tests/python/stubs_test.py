"""_core.pyi declares what the extension has: names, parameters, keys of its dictionaries."""

import ast
import pathlib
import re

import pytest

import thinwire as tw
from thinwire import _core

STUB = ast.parse((pathlib.Path(tw.__file__).parent / "_core.pyi").read_text(encoding="utf-8"))
CLASSES = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}
DICTIONARIES = {name for name, node in CLASSES.items()
                if any(getattr(base, "id", "") in {"TypedDict", *CLASSES} for base in node.bases)}


def declared(body):
    """Public names that a body declares."""
    names = {node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    names |= {node.target.id for node in body if isinstance(node, ast.AnnAssign)}
    return {name for name in names if not name.startswith("_")}


def public(thing):
    return {name for name in vars(thing) if not name.startswith("_")}


def test_the_module_has_what_the_stub_declares():
    assert declared(STUB.body) - DICTIONARIES == public(_core)


@pytest.mark.parametrize("name", sorted(set(CLASSES) - DICTIONARIES))
def test_a_class_has_what_the_stub_declares(name):
    assert declared(CLASSES[name].body) == public(getattr(_core, name))


@pytest.mark.parametrize("node", [node for node in STUB.body if isinstance(node, ast.FunctionDef)],
                         ids=lambda node: node.name)
def test_a_function_has_the_parameters_of_the_stub(node):
    signature = getattr(_core, node.name).__nb_signature__[0][0]
    found = re.findall(r"[(,] *(\w+): ", re.sub(r"\[[^\]]*\]", "", signature))
    if found and not found[0].startswith("arg"):  # named by nb::arg
        assert found == [argument.arg for argument in node.args.args]


def keys(name):
    node = CLASSES[name]
    own = declared(node.body)
    return own.union(*(keys(base.id) for base in node.bases if base.id in DICTIONARIES))


@pytest.mark.filterwarnings("ignore::thinwire.ModelWarning")
def test_dictionaries_have_the_keys_of_the_stub(dipole, monkeypatch):
    antenna, _ = dipole
    search, found = _core.optimize, []
    monkeypatch.setattr(_core, "optimize", lambda *given: found.append(search(*given)) or found[0])
    tw.Design(lambda h=0.24: antenna).optimize(
        "r(300) max", h=(0.23, 0.25), starts=1, evaluations=3)
    for name, dictionary in [("Optimization", found[0]), ("Field", _core.fields[0])]:
        assert set(dictionary) == keys(name), name
