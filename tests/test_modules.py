"""Modules that are imported and not there, as users see them: by check, run and HTTP."""
import json
import pathlib
import tempfile

from suite import OneDaemon, own_images, scratch_directory

MISSING = ("py-missing-module", "js-missing-module")


def missing(answer):
    return [(finding["line"], finding["message"].split(" is not in the image ")[0],
             finding["action"])
            for finding in answer["findings"] if finding["rule"] in MISSING]


class Modules(OneDaemon):
    """With images of its own: it makes one that others must not see."""

    @classmethod
    def setUpClass(cls):
        cls.images = own_images(cls.enterClassContext(scratch_directory()) / "images", cls.images)
        super().setUpClass()

    def check(self, code, *flags, lang="python"):
        done = self.belljar("check", "--json", "--lang", lang, *flags, "-c", code)
        return json.loads(done.stdout)

    def test_all_that_runs_is_there(self):
        """Whatever the image's interpreter can import is not called missing."""
        listing = ("import sys, pkgutil\n"
                   "print(*sys.builtin_module_names)\n"
                   "print(*(m.name for m in pkgutil.iter_modules(sys.path)))\n")
        run = self.client.run(listing, level="relaxed")
        self.assertEqual(run["outcome"], "ok", run)
        names = [name for name in run["stdout"].split() if name.isidentifier()]
        self.assertGreater(len(names), 200)
        code = "".join("import %s\n" % name for name in names if name != "main")
        self.assertEqual(missing(self.check(code, "--level", "relaxed")), [])
        node = self.client.run("console.log(require('module').builtinModules.join(' '))",
                               lang="javascript", level="relaxed")
        code = "".join("require('%s');\n" % name for name in node["stdout"].split())
        self.assertGreater(len(code), 500, node)
        self.assertEqual(missing(self.check(code, "--level", "relaxed", lang="javascript")), [])

    def test_is_named_before_anything_runs_and_the_program_still_may(self):
        run = self.client.run("print(1)\nimport sklearn_not_here\n")
        self.assertEqual((run["outcome"], run["stdout"]), ("exception", "1\n"))
        self.assertEqual(missing(run), [(2, "sklearn_not_here", "warn")])
        self.assertEqual(run["decision"]["action"], "warn")
        caught = self.client.run("try:\n  import nowhere\nexcept ImportError:\n  print('without')\n")
        self.assertEqual((caught["stdout"], missing(caught)), ("without\n", []))

    def test_who_sees_it_fail_is_told_what_to_do(self):
        for where in ((), ("--no-daemon",)):
            done = self.belljar("run", *where, "-c", "import nowhere")
            self.assertEqual(done.returncode, 1)
            self.assertTrue(done.stderr.splitlines()[-1].startswith(
                "belljar: nowhere is not in the image default: the package is nowhere"), done.stderr)
            done = self.belljar("run", *where, "-c", "try: import nowhere\nexcept ImportError: 1/0")
            self.assertNotIn("belljar:", done.stderr)
            done = self.belljar("run", *where, "-c",
                                "open('mine.py', 'w').write('1/0')\nimport mine")
            self.assertIn("ZeroDivisionError", done.stderr)
            self.assertNotIn("belljar:", done.stderr, "the program has made the module itself")
            done = self.belljar("run", *where, "-c",
                                "open('mine.py', 'w').write('')\nimport mine, sys\nsys.exit(9)")
            self.assertEqual((done.returncode, done.stderr), (9, ""), "and it was found")
            done = self.belljar("run", *where, "-c",
                                "open('mine.py', 'w').write('def f(:')\nimport mine")
            self.assertIn("SyntaxError", done.stderr)
            self.assertNotIn("belljar:", done.stderr, "its own text is wrong")

    def test_says_which_package_or_image_has_it(self):
        done = self.belljar("check", "-c", "import no_cv2, bs4_not")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no_cv2 is not in the image default: the package is no_cv2: pip install it",
                      done.stdout)
        library = pathlib.Path(self.images, "other", "rootfs", "lib")
        library.mkdir(parents=True)
        manifest = json.loads(pathlib.Path(self.images, "default", "image.json").read_text())
        manifest["python_paths"] = ["/lib"]
        (library / "no_cv2.py").write_text("")
        pathlib.Path(self.images, "other", "image.json").write_text(json.dumps(manifest))
        done = self.belljar("check", "-c", "import no_cv2")
        self.assertIn("no_cv2 is not in the image default: use --image other", done.stdout)
        self.assertEqual(missing(self.check("import no_cv2", "--image", "other")), [])

    def test_files_that_come_along_are_there(self):
        run = self.client.run("import helper, package.part\nprint(helper.x)",
                              files={"helper.py": "eCA9IDQy", "package/part.py": ""})
        self.assertEqual((run["stdout"], missing(run)), ("42\n", []), run)
        run = self.client.run("console.log(require('mine').x, require('theirs-not'))",
                              lang="javascript",
                              files={"node_modules/mine/index.js": "ZXhwb3J0cy54ID0gMQ=="})
        self.assertEqual(missing(run), [(1, "theirs-not", "warn")])

    def test_a_session_has_files_of_its_own(self):
        made = self.client.post("/v1/sessions", {}).json()
        path = "/v1/sessions/%s/runs" % made["id"]
        self.client.post(path, {"code": "open('written.py', 'w').write('x = 1')"})
        run = self.client.post(path, {"code": "import written; print(written.x)"}).json()
        self.assertEqual((run["stdout"], missing(run)), ("1\n", []), run)

    def test_without_an_image_nothing_is_said_and_nothing_is_made(self):
        with tempfile.TemporaryDirectory(prefix="belljar-empty-") as folder:
            state = pathlib.Path(folder, "state")
            self.assertEqual(missing(self.check("import nowhere", "--state", str(state))), [])
            self.assertFalse(state.exists())
