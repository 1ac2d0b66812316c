#!/usr/bin/env python3
"""translate.py SOURCE OUT: copies the repository SOURCE to OUT, with its CUDA sources as C++.

Kernels stay as they are, but for what is no C++:
- launches `kernel<<<grid, block>>>(arguments)` become calls of emulation::launch();
- threadIdx, blockIdx, blockDim and gridDim are those of the lane that runs;
- dynamic shared memory is a pointer to that of the block;
- inline PTX becomes a call that does the same (PTX), or one that stops the program.
Files that are already as they should be are not written, so that only what changed is
compiled again. Files of OUT that SOURCE does not have are deleted.
"""
import os
import pathlib
import re
import subprocess
import sys

PTX = {
    "cp.async.cg.shared.global": "copy_to_shared",
    "cp.async.commit_group": None,  # copies end at once
    "cp.async.wait_group": None,
    "st.volatile.global.v2.b32": "store_pair",
    "st.volatile.global.v2.b64": "store_pair",
}
LANE = {
    "threadIdx": "thread",
    "blockIdx": "block",
    "blockDim": "block_dim",
    "gridDim": "grid_dim",
}
# What takes another file's place.
REPLACED = {"cmake/Cuda.cmake": "tests/emulation/Cuda.cmake"}
# Work that only serves to measure a GPU.
SMALLER = {
    "cg/device_product_rates.cpp": [
        ("unknowns = 8192", "unknowns = 256"),
        ("repeats = 100", "repeats = 3"),
    ]
}
STRING = r'"(?:[^"\\]|\\.)*"'
ASM = re.compile(r"\basm volatile\((?:[^;\"]|" + STRING + r")*\);")
SHARED_ADDRESS = re.compile(r"static_cast<unsigned>\(\s*__cvta_generic_to_shared\(([^()]*)\)\)")
DYNAMIC_SHARED = re.compile(
    r"extern __shared__ (?:__align__\(\d+\) )?([\w:]+(?: char)?) (\w+)\[\];"
)


class NotUnderstood(Exception):
    """Names the file and what of it this script does not know."""


def closing(text, at):
    """Where the bracket that opens at `at` closes."""
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] == "(") - (text[i] == ")")
        if depth == 0:
            return i
    raise NotUnderstood("a bracket that does not close")


def kernel_before(text, end):
    """Where the name of a kernel begins that ends before `end`, template arguments included."""
    begin = end
    if text[begin - 1] == ">":
        depth = 0
        while True:
            begin -= 1
            depth += (text[begin] == ">") - (text[begin] == "<")
            if depth == 0:
                break
    return re.search(r"(?:[\w:.]|->)*$", text[:begin]).start()


def translate_launches(text):
    out, done = [], 0
    while (at := text.find("<<<", done)) >= 0:
        end = len(text[:at].rstrip())
        begin = kernel_before(text, end)
        config_end = text.index(">>>", at)
        config, kernel = text[at + 3 : config_end], text[begin:end]
        first = text.index("(", config_end)
        last = closing(text, first)
        arguments = text[first + 1 : last].strip()
        call = f"[=](auto... arguments) {{ {kernel}(arguments...); }}"
        if "." in kernel or "->" in kernel:  # a pointer, which may change until the stream is there
            call = kernel
        parts = [f"::emulation::Config({config})", call] + ([arguments] if arguments else [])
        out += [text[done:begin], "::emulation::launch(", ", ".join(parts), ")"]
        done = last + 1
    return "".join(out) + text[done:]


def operands(statement):
    """The C++ expressions of an asm statement, as in `"r"(expression)`."""
    found = []
    for match in re.finditer(r'"[rln]"\s*\(', statement):
        first = match.end() - 1
        expression = statement[first + 1 : closing(statement, first)]
        found.append(SHARED_ADDRESS.sub(r"\1", expression).strip())
    return found


def translate_asm(match):
    statement = match[0]
    instruction = re.search(r"[a-z]\w*(?:\.\w+)+", statement)[0]
    if instruction not in PTX:
        return f'::emulation::stop("{instruction} is not emulated");'
    function = PTX[instruction]
    return f"::emulation::{function}({', '.join(operands(statement))});" if function else ""


def translate(text):
    """A CUDA source as C++."""
    text = ASM.sub(translate_asm, text)
    text = DYNAMIC_SHARED.sub(
        r"\1* const \2 = static_cast<\1*>(::emulation::dynamic_shared());", text
    )
    for name, member in LANE.items():
        text = re.sub(rf"(?<![.>\w]){name}\b", f"(::emulation::lane().{member})", text)
    return translate_launches(text)


def with_less_work(text, changes):
    for before, after in changes:
        if before not in text:
            raise NotUnderstood(f"has no `{before}` (SMALLER of translate.py names it)")
        text = text.replace(before, after)
    return text


def translated(source, name):
    """The content in the tree of the file `name` of `source`."""
    data = (source / REPLACED.get(name, name)).read_bytes()
    try:
        if name.endswith((".cu", ".cuh")) and not name.startswith("tests/emulation/"):
            return translate(data.decode()).encode()
        if name in SMALLER:
            return with_less_work(data.decode(), SMALLER[name]).encode()
    except NotUnderstood as problem:
        raise NotUnderstood(f"{name}: {problem}. Teach tests/emulation/translate.py.") from None
    return data


def write_if_changed(path, data):
    if path.is_file() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def delete_others(out, names):
    for folder, _, files in os.walk(out):
        for file in files:
            path = pathlib.Path(folder) / file
            if path.relative_to(out).as_posix() not in names:
                path.unlink()


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: translate.py SOURCE OUT")
    source, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    list_files = ["git", "-C", source, "ls-files", "-z", "-co", "--exclude-standard"]
    listed = subprocess.run(list_files, capture_output=True, text=True, check=False)
    if listed.returncode != 0:
        sys.exit(f"{source}: its files are not known ({listed.stderr.strip()}). Give a git clone.")
    names = {name for name in listed.stdout.split("\0") if name and (source / name).is_file()}
    try:
        for name in sorted(names):
            write_if_changed(out / name, translated(source, name))
    except NotUnderstood as problem:
        sys.exit(str(problem))
    delete_others(out, names)


if __name__ == "__main__":
    main()
