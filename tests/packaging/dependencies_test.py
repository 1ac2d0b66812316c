"""What the recipes install is what CMake looks for: conda's, the scripts', the container's, the cluster's.

usage: dependencies_test.py ROOT
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))
CMAKE = ["CMakeLists.txt", *(str(file.relative_to(ROOT)) for file in ROOT.glob("cmake/*.cmake"))]
RECIPE, SCRIPTS = "packaging/conda/recipe.yaml", "scripts/common.sh"
CLUSTER, CONTAINER = "examples/cluster/thinwire.def", "packaging/Dockerfile"
DEVELOPMENT = "cmake/Packaging.cmake"
# Of compilers and tools, which every recipe names in its own way.
TOOLS = {"OpenMP", "CUDAToolkit", "Git", "git", "g++", "cmake", "ninja-build"}

FIND = re.compile(r"^\s*find_(?:package|library|path)\((\w+)", re.MULTILINE)
NEED = re.compile(r"^\s*thinwire_(?:needs|uses)\((\S+) ([^)]*?)\sDEBIAN ([^)]*?)\sCONDA ([^)]*?)\)",
                  re.MULTILINE)


def repository():
    """The files' texts, by name."""
    files = [*CMAKE, RECIPE, SCRIPTS, CLUSTER, CONTAINER]
    return {name: (ROOT / name).read_text(encoding="utf-8") for name in files}


def part(text, begin, end):
    """The words between two texts."""
    return set(text.partition(begin)[2].partition(end)[0].replace("\\", " ").split())


def differences(place, named, looked_for):
    for package in sorted(looked_for - named - TOOLS):
        yield f"{place}: lacks {package}, which CMake looks for"
    for package in sorted(named - looked_for - TOOLS):
        yield f"{place}: names {package}, which CMake does not look for"


def problems(files):
    """One line for each package that is named in one place and not in another."""
    cmake = "".join(files[name] for name in CMAKE)
    needs = {name: (set(debian.split()), set(conda.split()))
             for name, _, debian, conda in NEED.findall(cmake)}
    for found in sorted(set(FIND.findall(cmake)) - TOOLS):
        if not any(found.lower().startswith(name.split(".")[0].lower()) for name in needs):
            yield (f"CMake looks for {found}, but no thinwire_needs or thinwire_uses says which "
                   "packages have it")
    debian = set().union(*(packages for packages, _ in needs.values()))
    # A recipe may leave out what it switches off.
    conda = set().union(*(packages for name, (_, packages) in needs.items()
                          if f"-DTHINWIRE_{name}=off" not in files[RECIPE]))
    host = part(files[RECIPE], "  host:\n", "\ntests:") - {"-"}
    yield from differences(RECIPE, host, conda)
    yield from differences(SCRIPTS, part(files[SCRIPTS], "build_packages=(", ")"), debian)
    cluster = part(files[CLUSTER], "--no-install-recommends", "\n    cmake")
    yield from differences(CLUSTER, cluster, debian)
    if '"${build_packages[@]}"' not in files[CONTAINER]:
        yield f"{CONTAINER}: does not install the build_packages of {SCRIPTS}"
    development = set(re.findall(r"[\w+-]+-dev\b", files[DEVELOPMENT])) - {"libthinwire-dev"}
    for package in sorted(development - debian):
        yield f"{DEVELOPMENT}: names {package}, which CMake does not look for"


class Dependencies(unittest.TestCase):
    def test_the_recipes_name_what_cmake_looks_for(self):
        self.assertEqual(list(problems(repository())), [])

    def assert_noticed(self, file, old, new, expected):
        files = repository()
        self.assertIn(old, files[file])
        files[file] = files[file].replace(old, new)
        self.assertIn(expected, "\n".join(problems(files)))

    def test_what_a_recipe_lacks_is_noticed(self):
        self.assert_noticed(RECIPE, "    - nlopt\n", "", f"{RECIPE}: lacks nlopt")
        self.assert_noticed(SCRIPTS, "libkissfft-dev ", "", f"{SCRIPTS}: lacks libkissfft-dev")
        self.assert_noticed(CLUSTER, "libfmt-dev", "", f"{CLUSTER}: lacks libfmt-dev")
        self.assert_noticed(RECIPE, "-DTHINWIRE_MPI=off", "", f"{RECIPE}: lacks openmpi")
        self.assert_noticed(CONTAINER, "build_packages", "packages", f"{CONTAINER}: does not install")

    def test_what_a_recipe_has_too_much_is_noticed(self):
        self.assert_noticed(RECIPE, "    - nlopt\n", "    - nlopt\n    - eigen\n",
                            f"{RECIPE}: names eigen")
        self.assert_noticed("cmake/FindNlopt.cmake", "libnlopt-dev", "libnlopt-cxx-dev",
                            f"{DEVELOPMENT}: names libnlopt-dev")

    def test_what_cmake_looks_for_anew_is_noticed(self):
        self.assert_noticed("CMakeLists.txt", "find_package(fmt QUIET)",
                            "find_package(fmt QUIET)\nfind_package(Eigen3)",
                            "CMake looks for Eigen3")

    def test_what_is_missing_is_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            cmake = subprocess.run(
                ["cmake", "-S", str(ROOT), "-B", folder, "-DTHINWIRE_CUDA=off", "-DTHINWIRE_MPI=off",
                 "-DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON", "-DCMAKE_DISABLE_FIND_PACKAGE_Boost=ON",
                 "-DCMAKE_DISABLE_FIND_PACKAGE_OpenSSL=ON"], capture_output=True, text=True)
        self.assertEqual(cmake.returncode, 1, cmake.stderr)
        lines = [line for line in cmake.stderr.splitlines() if "not found" in line]
        self.assertEqual(len(lines), 1, cmake.stderr)
        self.assertIn("not found: Boost.Program_options, fmt. Debian and Ubuntu: `sudo apt install "
                      "libboost-program-options-dev libboost-dev libfmt-dev`; conda: `conda install "
                      "-c conda-forge libboost-devel fmt`", lines[0])
        self.assertIn("OpenSSL was not found: no SHA-256 of the deck in results", cmake.stdout)


if __name__ == "__main__":
    unittest.main()
