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

    def test_a_tree_that_follows_the_tables_passes(self):
        self.assertEqual(self.problems({
            "foundation/base/CMakeLists.txt": library("foundation_base", "Boost::json Threads::Threads"),
            "foundation/base/fd.h": "#include <unistd.h>\n",
            "request/CMakeLists.txt": library("request", "foundation_base"),
            "request/a.cc": '#include "foundation/base/fd.h"\n#include "request/a.h"\n#include <seccomp.h>\n',
        }), [])

    def test_an_include_of_a_library_outside_deps_is_named(self):
        self.assertEqual(self.problems({
            "foundation/base/CMakeLists.txt": library("foundation_base", "fmt::fmt"),
            "request/CMakeLists.txt": library("request", ""),
            "request/a.cc": '// why\n  #  include "foundation/base/fd.h"\n',
        }), ['src/request/a.cc: includes "foundation/base/fd.h", but foundation_base is not in DEPS of request'])

    def test_angle_brackets_do_not_hide_an_include(self):
        self.assertEqual(len(self.problems({
            "foundation/base/CMakeLists.txt": library("foundation_base", ""),
            "foundation/base/a.cc": "#include <request/limits.h>\n",
            "request/CMakeLists.txt": library("request", "foundation_base"),
        })), 1)

    def test_a_path_that_climbs_is_refused(self):
        self.assertEqual(self.problems({
            "foundation/base/CMakeLists.txt": library("foundation_base", ""),
            "foundation/base/a.cc": '#include "../request/limits.h"\n',
        }), ['src/foundation/base/a.cc: "../request/limits.h": write includes from src/ on'])

    def test_deps_against_the_order_of_the_rooms_are_refused_even_if_unused(self):
        self.assertEqual(self.problems({
            "judgement/analysis/CMakeLists.txt": library("judgement_analysis", ""),
            "cell/limits/CMakeLists.txt": library("cell_limits", "judgement_analysis"),
        }), ["src/cell/limits/CMakeLists.txt: cell_limits may not depend on judgement_analysis"])

    def test_deps_within_a_room_stand_in_a_table_of_their_own(self):
        self.assertEqual(self.problems({
            "cell/image/CMakeLists.txt": library("cell_image", ""),
            "cell/limits/CMakeLists.txt": library("cell_limits", "cell_image"),
        }), ["src/cell/limits/CMakeLists.txt: cell_limits may not depend on cell_image"])

    def test_a_commented_dep_does_not_count(self):
        self.assertEqual(len(self.problems({
            "foundation/base/CMakeLists.txt": library("foundation_base", ""),
            "request/CMakeLists.txt": "bj_library(request SOURCES a.cc\n  # DEPS foundation_base\n)\n",
            "request/a.cc": '#include "foundation/base/fd.h"\n',
        })), 1)

    def test_a_folder_without_its_own_list_belongs_to_the_one_above(self):
        tree = {
            "foundation/base/CMakeLists.txt": library("foundation_base", ""),
            "cell/CMakeLists.txt": library("cell", "foundation_base"),
            "cell/native/CMakeLists.txt": library("cell_native", "foundation_base cell"),
            "cell/native/launcher/child.cc": '#include "foundation/base/fd.h"\n#include "cell/backend.h"\n',
        }
        self.assertEqual(self.problems(tree), [])
        tree["cell/native/launcher/child.cc"] += '#include "request/limits.h"\n'
        self.assertEqual(len(self.problems(tree)), 1)

    def test_programs_beside_user_code_use_nothing_of_the_supervisor(self):
        tree = {
            "foundation/base/CMakeLists.txt": library("foundation_base", ""),
            "cell/guest/CMakeLists.txt": "add_executable(belljar-tools a.cc)\n",
            "cell/guest/shell/a.cc": '#include "foundation/base/fd.h"\n',
            "cell/limits/CMakeLists.txt": library("cell_limits", "foundation_base"),
        }
        self.assertEqual(self.problems(tree), [])
        tree["cell/guest/shell/a.cc"] += '#include "cell/limits/watch.h"\n'
        self.assertEqual(len(self.problems(tree)), 1)

    def test_a_cycle_between_libraries_of_one_room_is_found(self):
        self.assertIn("cycle: cell -> cell_image -> cell", self.problems({
            "cell/CMakeLists.txt": library("cell", "cell_image"),
            "cell/image/CMakeLists.txt": library("cell_image", "cell"),
        }))

    def test_an_unknown_room_is_refused(self):
        self.assertEqual(self.problems({"extra/CMakeLists.txt": library("extra", "")}), [
            "src/extra/CMakeLists.txt: extra is no room in the table of tools/check_layers.py"])

    def test_sources_in_no_library_are_refused(self):
        self.assertEqual(len(self.problems({
            "foundation/base/CMakeLists.txt": library("foundation_base", ""),
            "stray/a.cc": "int a;\n",
        })), 1)

    def test_the_last_room_may_include_all_that_it_links(self):
        self.assertEqual(self.problems({
            "foundation/base/CMakeLists.txt": library("foundation_base", ""),
            "run/CMakeLists.txt": library("run", "foundation_base"),
            "door/cli/CMakeLists.txt": library("door_cli", "run foundation_base"),
            "door/cli/main.cc": '#include "run/run.h"\n#include "foundation/base/fd.h"\n',
        }), [])

    def test_an_empty_tree_does_not_pass(self):
        self.assertEqual(len(self.problems({})), 1)
