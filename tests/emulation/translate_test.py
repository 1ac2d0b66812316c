"""Tests tests/emulation/translate.py on small sources, and that it understands the repository.

usage: translate_test.py ROOT
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))
sys.path.insert(0, str(ROOT / "tests/emulation"))
sys.dont_write_bytecode = True
import translate  # noqa: E402  (found by the path above)


class Launches(unittest.TestCase):
    def assert_becomes(self, cuda, *expected):
        text = translate.translate(cuda)
        for part in expected:
            self.assertIn(part, text)
        self.assertNotIn("<<<", text)

    def test_arguments_are_taken_at_the_launch(self):
        self.assert_becomes(
            "fill<<<blocks(n), 256, 0, stream.get()>>>(a.data(), f(n, 2));",
            "::emulation::launch(::emulation::Config(blocks(n), 256, 0, stream.get()), ",
            "{ fill(arguments...); }, a.data(), f(n, 2));",
        )

    def test_template_arguments_belong_to_the_kernel(self):
        self.assert_becomes("x::fill<Pair<T>, 3><<<1, 2>>>();", "{ x::fill<Pair<T>, 3>(arguments")

    def test_a_pointer_to_a_kernel_is_taken_at_the_launch(self):
        self.assert_becomes("kernel_->run<<<1, 2>>>(y);", "Config(1, 2), kernel_->run, y);")

    def test_several_in_a_file(self):
        text = translate.translate("if (a) f<<<1, 2>>>(x);\nelse g<<<3, 4>>>(y);")
        self.assertEqual(text.count("::emulation::launch("), 2)
        self.assertIn("\nelse ", text)


class Kernels(unittest.TestCase):
    def test_the_lane_is_the_one_that_runs(self):
        text = translate.translate("i = blockIdx.x * blockDim.x + threadIdx.x; my.threadIdx;")
        self.assertIn("(::emulation::lane().block).x * (::emulation::lane().block_dim).x", text)
        self.assertIn("my.threadIdx;", text)

    def test_dynamic_shared_memory_is_the_blocks(self):
        self.assertEqual(
            translate.translate("extern __shared__ __align__(16) unsigned char all[];"),
            "unsigned char* const all = "
            "static_cast<unsigned char*>(::emulation::dynamic_shared());",
        )

    def test_an_asynchronous_copy_is_made_at_once(self):
        copy = (
            'asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(\n'
            '    static_cast<unsigned>(__cvta_generic_to_shared(to))), "l"(from + (i)),\n'
            '    "r"(there ? 16 : 0));'
        )
        self.assertEqual(
            translate.translate(copy),
            "::emulation::copy_to_shared(to, from + (i), there ? 16 : 0);",
        )
        commit = 'asm volatile("cp.async.commit_group;" ::: "memory");'
        self.assertEqual(translate.translate(commit), "")

    def test_a_pair_is_stored_by_a_function(self):
        store = 'asm volatile("st.volatile.global.v2.b32 [%0], {%1, %2};" ::"l"(&e), "r"(a), "r"(b));'
        self.assertEqual(translate.translate(store), "::emulation::store_pair(&e, a, b);")

    def test_an_unknown_instruction_stops_the_program(self):
        text = translate.translate('asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(a));')
        self.assertEqual(text, '::emulation::stop("mbarrier.init.shared.b64 is not emulated");')


class Trees(unittest.TestCase):
    def tree(self, source, out):
        script = ROOT / "tests/emulation/translate.py"
        return subprocess.run([sys.executable, script, source, out], capture_output=True, text=True)

    def test_the_whole_repository(self):
        git = subprocess.run(["git", "-C", ROOT, "rev-parse"], capture_output=True)
        if git.returncode != 0:
            self.skipTest("no git clone")
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder)
            run = self.tree(ROOT, out)
            self.assertEqual(run.returncode, 0, run.stderr)
            sources = [*out.rglob("*.cu"), *out.rglob("*.cuh")]
            self.assertGreater(len(sources), 50)
            for source in sources:
                text = source.read_text()
                for word in ("<<<", "asm volatile", "threadIdx.", "extern __shared__"):
                    self.assertNotIn(word, text, source)
            # Nothing is written again that is as it should be, and nothing left over.
            kept, left_over = out / "kernels/fill/fill.cu", out / "kernels/old.cu"
            left_over.write_text("")
            before = kept.stat().st_mtime_ns
            self.assertEqual(self.tree(ROOT, out).returncode, 0)
            self.assertEqual(kept.stat().st_mtime_ns, before)
            self.assertFalse(left_over.exists())

    def test_no_clone_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            run = self.tree(folder, folder + "/out")
        self.assertEqual(run.returncode, 1)
        self.assertIn("Give a git clone.", run.stderr)

    def test_work_to_be_made_smaller_that_is_not_there_is_refused(self):
        with self.assertRaisesRegex(translate.NotUnderstood, "has no `repeats = 100`"):
            translate.with_less_work("repeats = 5", [("repeats = 100", "repeats = 3")])


if __name__ == "__main__":
    unittest.main()
