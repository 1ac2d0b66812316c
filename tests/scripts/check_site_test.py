"""Tests scripts/check-site on small sites made for it.

usage: check_site_test.py path/to/check-site
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = sys.argv.pop(1)
SOURCE = """# A `title`, [linked](b.md#x)

```sh
# no heading
```

    indented

## Second
"""
TITLE = '<h1 id="a">A <code>title</code>, <a href="b.html#x">linked</a>{}</h1>'
TITLE = TITLE.format('<a class="headerlink" href="#a">¶</a>')
BLOCK = "<pre><code># no heading</code></pre>"
BUILT = TITLE + BLOCK + BLOCK + "<h2>Second</h2>"


class CheckSite(unittest.TestCase):
    def check(self, source, built, name="b"):
        """Exit status and output for a site of one page."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "pages").mkdir()
            (root / "site").mkdir()
            (root / "pages" / f"{name}.md").write_text(source)
            if built is not None:
                built = f"<nav><h2>Menu</h2></nav><article>{built}</article>"
                name = "index" if name == "README" else name
                (root / "site" / f"{name}.html").write_text(built)
            run = subprocess.run([sys.executable, SCRIPT, root / "pages", root / "site"],
                                 capture_output=True, text=True)
        return run.returncode, run.stdout

    def assert_refused(self, built, expected, source=SOURCE):
        code, out = self.check(source, built)
        self.assertEqual(code, 1, out)
        self.assertIn(expected, out)

    def test_a_whole_page_passes(self):
        for name in ("b", "README"):
            code, out = self.check(SOURCE, BUILT, name)
            self.assertEqual(code, 0, out)

    def test_headings(self):
        self.assert_refused(TITLE + BLOCK + BLOCK, "heading None where the source has (2, 'Second')")
        self.assert_refused(BUILT.replace("h2", "h3"), "heading (3, 'Second') where")
        self.assert_refused(BUILT + "<h2>Third</h2>", "heading (2, 'Third') where the source has None")

    def test_code_blocks(self):
        self.assert_refused(BUILT.replace(BLOCK, "", 1), "1 code blocks where the source has 2")
        self.assert_refused(BUILT + BLOCK, "3 code blocks where the source has 2")

    def test_docstrings_follow_what_the_page_has_itself(self):
        source = SOURCE + "\n::: thinwire\n"
        code, out = self.check(source, BUILT + "<h2>solve</h2>" + BLOCK)
        self.assertEqual(code, 0, out)
        self.assert_refused(BUILT.replace("Second", "solve"), "heading (2, 'solve') where", source)

    def test_a_page_that_was_not_built(self):
        self.assert_refused(None, "b.html: was not built")


if __name__ == "__main__":
    unittest.main()
