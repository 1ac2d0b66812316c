"""Tests scripts/check-docs on small trees made for it.

usage: check_docs_test.py path/to/check-docs
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = sys.argv.pop(1)
PROGRAM = """#!/bin/sh
[ "$2" = --help-all ] && { echo "  --mesh WORD  --csv FILE"; exit 0; }
[ "$1" = solve ] && [ -f "$2" ] || exit 1
echo "  run    MHz  tag/segment   R ohm"
echo "    0    145          2/8   41.83"
"""


class CheckDocs(unittest.TestCase):
    def check(self, readme, example=None, options="`--mesh`, `--csv`"):
        """Exit status and output for a repository with that README.md, that of an example,
        and a page that names these options of solve."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "examples").mkdir()
            (root / "mom").mkdir()
            (root / "mom/solve.h").write_text("")
            (root / "examples/a.nec").write_text("CE")
            if example:
                (root / "examples/a").mkdir()
                (root / "examples/a/a.nec").write_text("CE")
                (root / "examples/a/README.md").write_text(example)
            (root / "thinwire").write_text(PROGRAM)
            (root / "thinwire").chmod(0o755)
            (root / "docs/reference").mkdir(parents=True)
            (root / "docs/reference/command-line.md").write_text("## thinwire solve\n" + options)
            (root / "README.md").write_text(readme)
            run = subprocess.run([sys.executable, SCRIPT, folder, str(root / "thinwire")],
                                 capture_output=True, text=True)
        return run.returncode, run.stdout

    def assert_refused(self, readme, expected):
        code, out = self.check(readme)
        self.assertEqual(code, 1, out)
        self.assertIn(expected, out)

    def test_what_holds_passes(self):
        code, out = self.check("""# One Head, two

[it](#one-head-two) [deck](examples/a.nec) [web](https://example.org) `mom/solve.h` `solve.h`

<!-- test -->
```sh
thinwire solve examples/a.nec
```

```
thinwire solve missing.nec
```
""")
        self.assertEqual(code, 0, out)

    def test_broken_links(self):
        self.assert_refused("[x](docs/no.md)", "link to docs/no.md: no such file")
        self.assert_refused("[x](#nowhere)", "no such heading")

    def test_names_of_files_that_are_not_there(self):
        self.assert_refused("`mom/no.h`", "names mom/no.h")
        self.assert_refused("`no.h`", "names no.h")

    def test_options(self):
        self.assert_refused("`--nomesh`", "README.md: names --nomesh")
        code, out = self.check("`--csv`")
        self.assertEqual(code, 0, out)

    def test_page_on_the_command_line_names_every_option(self):
        code, out = self.check("", options="`--mesh`")
        self.assertEqual(code, 1, out)
        self.assertIn("command-line.md: does not name --csv of `thinwire solve`", out)

    def test_tables_of_examples(self):
        table = "```\n run MHz tag/segment R ohm\n ...\n 0 145 2/8 {}\n```\n"
        code, out = self.check("", example=table.format("41.84"))
        self.assertEqual(code, 0, out)
        for wrong in ("41.9", "-41.83", "41.83 1"):
            code, out = self.check("", example=table.format(wrong))
            self.assertEqual(code, 1, out)
            self.assertIn(f"does not print: 0 145 2/8 {wrong}", out)

    def test_blocks_that_fail(self):
        test = "<!-- test -->\n```sh\n"
        self.assert_refused(test + "thinwire solve no.nec\n```\n", "block 1 fails")
        self.assert_refused(test + "false\ntrue\n```\n", "block 1 fails")
        self.assert_refused("<!-- test -->\n```c\n```\n", "block 1 is to be tested")
        self.assert_refused("<!-- test -->\n\n```sh\nfalse\n```\n", "not the line above a fence")

    def test_fences_that_name_more_than_a_language(self):
        self.assert_refused("```sh test\ntrue\n```\n", "a fence named `sh test`")


if __name__ == "__main__":
    unittest.main()
