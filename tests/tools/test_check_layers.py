"""Tests of tools/check_layers.py on small trees made for each test."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools/check_layers.py"


def library(name, deps):
    return f"bj_library({name}\n  SOURCES a.cc\n  DEPS {deps}\n  TESTS a_test.cc)\n"


class CheckLayers(unittest.TestCase):
    def problems(self, files):
        """Lines printed about a src/ with these files; [] if the tool is content."""
        with tempfile.TemporaryDirectory() as folder:
            for path, text in files.items():
                file = pathlib.Path(folder, path)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
            run = subprocess.run([sys.executable, TOOL, folder], capture_output=True, text=True,
                                 check=False)
        self.assertEqual(run.stderr, "")
        lines = run.stdout.splitlines()
        if run.returncode == 0:
            self.assertEqual(len(lines), 1)
            return []
        self.assertEqual(run.returncode, 1)
        return lines

    def test_a_tree_that_follows_the_table_passes(self):
        self.assertEqual(self.problems({
            "base/CMakeLists.txt": library("base", "Boost::json Threads::Threads"),
            "base/fd.h": "#include <unistd.h>\n",
            "policy/CMakeLists.txt": library("policy", "base"),
            "policy/a.cc": '#include "base/fd.h"\n#include "policy/a.h"\n#include <seccomp.h>\n',
        }), [])

    def test_an_include_of_a_folder_outside_deps_is_named(self):
        self.assertEqual(self.problems({
            "base/CMakeLists.txt": library("base", "fmt::fmt"),
            "policy/CMakeLists.txt": library("policy", ""),
            "policy/a.cc": '// why\n  #  include "base/fd.h"\n',
        }), ['src/policy/a.cc: includes "base/fd.h", but base is not in DEPS of policy'])

    def test_angle_brackets_do_not_hide_an_include(self):
        self.assertEqual(len(self.problems({
            "base/CMakeLists.txt": library("base", ""),
            "base/a.cc": "#include <policy/limits.h>\n",
            "policy/CMakeLists.txt": library("policy", "base"),
        })), 1)

    def test_a_path_that_climbs_is_refused(self):
        self.assertEqual(self.problems({
            "base/CMakeLists.txt": library("base", ""),
            "base/a.cc": '#include "../policy/limits.h"\n',
        }), ['src/base/a.cc: "../policy/limits.h": write includes from src/ on'])

    def test_deps_beyond_the_table_are_refused_even_if_unused(self):
        self.assertEqual(self.problems({
            "base/CMakeLists.txt": library("base", ""),
            "image/CMakeLists.txt": library("image", "base"),
            "monitor/CMakeLists.txt": library("monitor", "base image"),
        }), ["src/monitor/CMakeLists.txt: monitor may not depend on image"])

    def test_a_commented_dep_does_not_count(self):
        self.assertEqual(len(self.problems({
            "base/CMakeLists.txt": library("base", ""),
            "policy/CMakeLists.txt": "bj_library(policy SOURCES a.cc\n  # DEPS base\n)\n",
            "policy/a.cc": '#include "base/fd.h"\n',
        })), 1)

    def test_a_folder_without_its_own_list_belongs_to_the_one_above(self):
        tree = {
            "base/CMakeLists.txt": library("base", ""),
            "isolate/CMakeLists.txt": library("isolate", "base"),
            "isolate/native/child.cc": '#include "base/fd.h"\n#include "isolate/backend.h"\n',
        }
        self.assertEqual(self.problems(tree), [])
        tree["isolate/native/child.cc"] += '#include "policy/limits.h"\n'
        self.assertEqual(len(self.problems(tree)), 1)

    def test_a_cycle_between_libraries_of_one_row_is_found(self):
        self.assertIn("cycle: isolate -> isolate_native -> isolate", self.problems({
            "isolate/CMakeLists.txt": library("isolate", "isolate_native"),
            "isolate/native/CMakeLists.txt": library("isolate_native", "isolate"),
        }))

    def test_an_unknown_folder_is_refused(self):
        self.assertEqual(self.problems({"extra/CMakeLists.txt": library("extra", "")}), [
            "src/extra/CMakeLists.txt: folder extra is not in the table of tools/check_layers.py"])

    def test_sources_in_no_library_are_refused(self):
        self.assertEqual(len(self.problems({
            "base/CMakeLists.txt": library("base", ""),
            "stray/a.cc": "int a;\n",
        })), 1)

    def test_cmd_may_include_everything(self):
        self.assertEqual(self.problems({
            "base/CMakeLists.txt": library("base", ""),
            "engine/CMakeLists.txt": library("engine", "base"),
            "cmd/CMakeLists.txt": "add_executable(belljar main.cc)\n",
            "cmd/main.cc": '#include "engine/run.h"\n#include "base/fd.h"\n',
        }), [])

    def test_an_empty_tree_does_not_pass(self):
        self.assertEqual(len(self.problems({})), 1)
