"""Counted nouns in English, as the program has them."""

from __future__ import annotations


def counted(count: int, thing: str) -> str:
    """A number of things in English: "1 port", "2 frequencies"."""
    if count == 1:
        return f"1 {thing}"
    return f"{count} {thing[:-1]}ies" if thing.endswith("y") else f"{count} {thing}s"
