"""Tests scripts/check-includes on small trees made for it.

usage: check_includes_test.py path/to/check-includes
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = sys.argv.pop(1)


class CheckIncludes(unittest.TestCase):
    def check(self, files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = pathlib.Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            run = subprocess.run(
                [sys.executable, SCRIPT, folder], capture_output=True, text=True
            )
        return run.returncode, run.stdout

    def assert_refused(self, files, *expected):
        code, out = self.check(files)
        self.assertEqual(code, 1, out)
        for text in expected:
            self.assertIn(text, out)

    def test_downward_and_sideways_pass(self):
        code, out = self.check(
            {
                "cli/main.cpp": '#include "io/deck/deck.h"\n#include "kernels/base/error.h"\n',
                "mom/fill.cpp": '#include "cg/krylov/solver.h"\n#include "mom/fill.h"\n',
                "geometry/wire.h": '#include <vector>\n#include "kernels/base/vec3.h"\n',
                "cli/version.cpp": '#include "thinwire_version.h"\n',
            }
        )
        self.assertEqual(code, 0, out)

    def test_every_upward_direction_is_refused(self):
        order = {
            "kernels": ["geometry", "cg", "mom", "io", "bench", "papers", "cli"],
            "geometry": ["cg", "mom", "io", "bench", "papers", "cli"],
            "cg": ["geometry", "mom", "io", "bench", "papers", "cli"],
            "mom": ["io", "bench", "papers", "cli"],
            "io": ["bench", "papers", "cli"],
            "bench": ["papers", "cli"],
            "papers": ["cli"],
        }
        for folder, uppers in order.items():
            for upper in uppers:
                with self.subTest(folder=folder, upper=upper):
                    self.assert_refused(
                        {f"{folder}/a.cpp": f'\n#include "{upper}/b.h"\n'},
                        f"{folder}/a.cpp:2:",
                        f"may not include {upper}/",
                    )

    def test_rooms_have_an_order(self):
        code, out = self.check(
            {
                "kernels/fill/a.cpp": '#include "kernels/matrix/b.h"\n',
                "cg/krylov/a.cpp": '#include "cg/comm.h"\n',
                "mom/schedule/solve.cpp": '#include "mom/systems/b.h"\n',
            }
        )
        self.assertEqual(code, 0, out)
        self.assert_refused(
            {"kernels/matrix/a.cpp": '#include "kernels/fill/b.h"\n'},
            "kernels/matrix/ may not include kernels/fill/",
        )
        self.assert_refused(
            {"io/deck/a.cpp": '#include "io/result/b.h"\n'},
            "io/deck/ may not include io/result/",
        )
        self.assert_refused(
            {"cg/a.cpp": '#include "cg/krylov/b.h"\n'}, "cg/./ may not include cg/krylov/"
        )
        self.assert_refused({"cg/a.cpp": '#include "cg/attic/b.h"\n'}, "no room")

    def test_a_room_may_be_held_to_less_than_its_folder(self):
        code, out = self.check({"papers/study/a.cpp": '#include "bench/table.h"\n'})
        self.assertEqual(code, 0, out)
        self.assert_refused(
            {"papers/sparse/a.cpp": '#include "bench/table.h"\n'},
            "papers/sparse/ may not include bench/",
        )

    def test_spelling_does_not_hide_it(self):
        self.assert_refused({"cg/a.cu": '  #  include <mom/schedule/solve.h>\n'}, "cg/a.cu:1:")
        self.assert_refused({"cg/a.h": '#include "../mom/solve.h"\n'}, "from the root")
        self.assert_refused({"cg/a.h": '#include "b.h"\n', "cg/b.h": ""}, "from the root")

    def test_sources_do_not_include_tests(self):
        self.assert_refused({"cg/a.h": '#include "tests/cg/dense.h"\n'}, "tests/")

    def test_an_empty_tree_is_an_error(self):
        self.assert_refused({"README.md": "nothing"}, "no source files")


if __name__ == "__main__":
    unittest.main()
