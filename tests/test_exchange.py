"""What goes into a program and what comes out of it: inputs, schemas, by command and by HTTP."""
import json
import os
import pathlib
import tempfile

from suite import Commands, OneDaemon


DOUBLE = "import json, sys\nprint(json.dumps({'twice': 2 * json.load(sys.stdin)['n']}))"
OF_N = {"type": "object", "required": ["n"], "properties": {"n": {"type": "number"}}}
OF_TWICE = {"type": "object", "properties": {"twice": {"type": "integer"}},
            "additionalProperties": False}


class Exchange(Commands):
    def run_lines(self, *requests):
        done = self.belljar("run", "--jsonl", stdin="".join(json.dumps(each) + "\n"
                                                            for each in requests))
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        return {answer["id"]: answer for answer in answers}


class Inputs(Exchange):
    def test_an_input_is_read_as_one_line_of_json(self):
        done = self.belljar("run", "--input", '{"a": [1, "é", null]}', "-c",
                            "import sys; print(ascii(sys.stdin.read()))", stdin="unread")
        self.assertEqual(done.stdout, '\'{"a":[1,"\\xe9",null]}\\n\'\n', done.stderr)
        done = self.belljar("exec", "--input", "[1]", "--", "cat")
        self.assertEqual(done.stdout, "[1]\n")

    def test_files_may_hold_it_and_its_schema(self):
        paths = {}
        for name, value in (("in", {"n": 21}), ("wanted", OF_N), ("gives", OF_TWICE)):
            paths[name] = pathlib.Path(self.home, name + ".json")
            paths[name].write_text(json.dumps(value))
        status, result = self.run_json(
            "--input", "@%s" % paths["in"], "--input-schema", "@%s" % paths["wanted"],
            "--output-schema", "@%s" % paths["gives"], "-c", DOUBLE)
        self.assertEqual((status, result["output"]), (0, {"twice": 42}), result)

    def test_one_that_does_not_fit_is_refused_by_path_before_anything_runs(self):
        schema = json.dumps({"properties": {"items": {"items": {
            "properties": {"age": {"type": "integer"}}}}}})
        done = self.belljar("run", "--input", '{"items":[{},{},{"age":"x"}]}', "--input-schema",
                            schema, "-c", "print('ran')")
        self.assertEqual(done.returncode, 125)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr,
                         "belljar: input.items[2].age: must be an integer, not a string\n")

    def test_mistakes_are_told_in_one_sentence(self):
        for flags, said in (
                (["--input", "{"], "--input: malformed JSON"),
                (["--input", "@/nowhere"], "--input: open /nowhere"),
                (["--input", "1", "--stdin", "/dev/null"], "give --stdin or --input, not both"),
                (["--input-schema", "true"], '"input_schema" needs an "input"'),
                (["--output-schema", '{"$ref":"http://a/b"}'], "leads out of the schema"),
                (["--output-schema", '{"requird":[]}'], 'did you mean "required"?')):
            done = self.belljar("run", *flags, "-c", "1")
            self.assertEqual(done.returncode, 125, flags)
            self.assertIn(said, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)

    def test_lines_answer_each_for_itself(self):
        answers = self.run_lines(
            {"id": "fits", "code": DOUBLE, "input": {"n": 4}, "input_schema": OF_N,
             "output_schema": OF_TWICE},
            {"id": "in", "code": DOUBLE, "input": {"n": "4"}, "input_schema": OF_N},
            {"id": "out", "code": DOUBLE, "input": {"n": 0.25}, "output_schema": OF_TWICE},
            {"id": "both", "code": DOUBLE, "input": {"n": 4}, "stdin": "x"})
        self.assertEqual(answers["fits"]["output"], {"twice": 8})
        self.assertEqual(answers["in"]["error"]["kind"], "invalid")
        self.assertIn("input.n: must be a number", answers["in"]["error"]["message"])
        self.assertEqual(answers["out"]["outcome"], "exception")
        self.assertEqual(answers["out"]["error"]["message"],
                         "output.twice: must be an integer, not 0.5")
        self.assertIn("not both", answers["both"]["error"]["message"])

    def test_a_changed_input_needs_a_new_approval(self):
        code = "print(eval(input()))"
        status, result = self.run_json("--input", "1", "-c", code)
        self.assertEqual(status, 127, result)
        self.belljar("approvals", "approve", "--yes", result["decision"]["approval"]["id"])
        for changed in (["--input", "2"], ["--input", "1", "--input-schema", "true"],
                        ["--input", "1", "--output-schema", "true"]):
            self.assertEqual(self.run_json(*changed, "-c", code)[0], 127, changed)
        self.assertEqual(self.run_json("--input", "1", "-c", code)[1]["stdout"], "1\n")

    def test_an_input_that_is_run_as_code_is_read(self):
        done = self.belljar("exec", "--input", "[__import__('socket')]", "--", "python3")
        self.assertEqual(done.returncode, 125, done.stderr)  # not JSON
        done = self.belljar("exec", "--input", '[1, "eval"]', "--", "python3")
        self.assertEqual(done.returncode, 0, done.stderr)


class Outputs(Exchange):
    def outputs(self, code, schema=True, *flags):
        return self.run_json("--output-schema", json.dumps(schema), *flags, "-c", code)

    def test_what_fits_is_the_output(self):
        for printed, value in (("[1, 2.5, null]", [1, 2.5, None]), ('"é"', "é"), ("null", None)):
            status, result = self.outputs("print(%r)" % printed)
            self.assertEqual((status, result["output"]), (0, value))

    def test_what_does_not_is_an_exception_that_names_the_place(self):
        status, result = self.outputs("print('{\"a\": [1, \"x\"]}')",
                                      {"properties": {"a": {"items": {"type": "number"}}}})
        self.assertEqual((status, result["outcome"], result["exit_code"]), (1, "exception", 0))
        self.assertEqual(result["error"]["type"], "OutputMismatch")
        self.assertEqual(result["error"]["message"], "output.a[1]: must be a number, not a string")
        self.assertNotIn("output", result)
        done = self.belljar("run", "--output-schema", "false", "-c", "print(1)")
        self.assertEqual((done.returncode, done.stdout), (1, "1\n"))
        self.assertEqual(done.stderr, "belljar: exception: output: is not allowed here\n")

    def test_one_json_text_and_nothing_else(self):
        for code in ("pass", "print('x')", "print(1); print(2)", "import sys; sys.stdout.buffer.write(b'\"\\xff\"')"):
            status, result = self.outputs(code)
            self.assertEqual((status, result["error"]["type"]), (1, "OutputMismatch"), code)

    def test_other_endings_stay_what_they_are(self):
        status, result = self.outputs("print(1); raise ValueError('x')")
        self.assertEqual((status, result["error"]["type"]), (1, "ValueError"))
        self.assertEqual(self.outputs("print(1); raise SystemExit(3)")[0], 3)
        status, result = self.outputs("print('[' + '1,' * 1000 + '1]')", True, "--output-bytes", "100")
        self.assertEqual((status, result["outcome"]), (137, "output"))

    def test_the_check_sees_what_is_redacted_and_the_caller_does_not(self):
        secret = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"
        code = "print('{\"key\": \"ghp_' + '0123456789abcdefghijABCDEFGHIJ012345' + '\"}')"
        schema = {"properties": {"key": {"pattern": "^ghp_[0-9A-Za-z]{36}$"}}}
        status, result = self.outputs(code, schema)
        self.assertEqual((status, result["output"]), (0, {"key": "[redacted:github-token]"}))
        self.assertNotIn(secret, json.dumps(result))
        status, result = self.outputs(code, {"properties": {"key": {"const": 1}}})
        self.assertEqual(status, 1)
        self.assertNotIn(secret, json.dumps(result))

    def test_a_number_that_must_not_leave_takes_the_output_with_it(self):
        status, result = self.outputs("print('{\"card\": 4111111111111111}')")
        self.assertEqual((status, result["outcome"]), (0, "ok"))
        self.assertNotIn("output", result)
        self.assertNotIn("4111111111111111", json.dumps(result))
        self.assertIn("taken out", result["reason"])

    def test_vaults_of_a_program_that_printed_something_else_are_dropped(self):
        with tempfile.TemporaryDirectory(prefix="belljar-vault-") as vault:
            code = "open('/vault/%s/f', 'w').write('x')\nprint(1)" % os.path.basename(vault)
            for schema, written in (("false", []), ("true", ["f"])):
                done = self.belljar("run", "--level", "relaxed", "--vault", vault + ":rw",
                                    "--output-schema", schema, "-c", code)
                self.assertEqual(os.listdir(vault), written, done.stderr)

    def test_a_hostile_output_is_answered(self):
        schema = {"pattern": "^(a|aa)*$", "format": "date-time"}
        status, result = self.outputs("print('\"' + 'a' * 900000 + 'b\"')", schema)
        self.assertEqual((status, result["error"]["type"]), (1, "OutputMismatch"))
        status, result = self.outputs("print('[' * 100000)", True)
        self.assertEqual((status, result["error"]["type"]), (1, "OutputMismatch"))


class Texts(Exchange):
    SHOWS = "print('a\\x1b[31mb\\x1b]0;t\\x07c\\0\\u202e', end='')"

    def test_what_is_printed_is_made_safe_to_show(self):
        for mode, shown in (("raw", "a\x1b[31mb\x1b]0;t\x07c\0\u202e"), ("plain", "abc"),
                            ("visible", "a\\x1b[31mb\\x1b]0;t\\x07c\\x00\\u202e")):
            self.assertEqual(self.belljar("run", "--text", mode, "-c", self.SHOWS).stdout, shown)
            _, result = self.run_json("--text", mode, "-c", self.SHOWS)
            self.assertEqual(result["stdout"], shown)

    def test_in_pieces_of_one_byte_too(self):
        code = ("import os, time\nfor byte in 'x\\x1b[1;31m\\u202e\\xe9'.encode():\n"
                "    os.write(1, bytes([byte])); time.sleep(0.01)\nos.write(1, b'\\xc3')")
        done = self.belljar("run", "--level", "relaxed", "--text", "visible", "-c", code)
        self.assertEqual(done.stdout, "x\\x1b[1;31m\\u202e\u00e9\\xc3")
        done = self.belljar("run", "--level", "relaxed", "--text", "plain", "-c", code)
        self.assertEqual(done.stdout, "x\u00e9\ufffd")

    def test_errors_and_outputs_as_well(self):
        _, result = self.run_json("--text", "plain", "-c",
                                  "import sys; print('\\x1b[1mx', file=sys.stderr)\n"
                                  "raise ValueError('\\x1b[31mred\\u202e')")
        self.assertEqual(result["error"]["message"], "red")
        self.assertNotIn("\\u001b", json.dumps(result["error"]) + json.dumps(result["stderr"]))
        _, result = self.run_json("--text", "plain", "--output-schema", "true", "-c",
                                  "print('\"\\\\u001b[31mred\"')")
        self.assertEqual(result["output"], "red")

    def test_a_secret_is_not_put_together_again(self):
        code = "print('ghp_01234\\x1b[0m' + '56789abcdefghijABCDEFGHIJ012345')"
        done = self.belljar("run", "--text", "plain", "-c", code)
        self.assertEqual(done.stdout, "[redacted:github-token]\n")

    def test_an_unknown_mode_is_told(self):
        self.assertNotEqual(self.belljar("run", "--text", "nice", "-c", "1").returncode, 0)
        answers = self.run_lines({"id": "a", "code": "1", "text": "nice"})
        self.assertIn('"raw", "visible" or "plain"', answers["a"]["error"]["message"])


class SideEffects(Exchange):
    CODE = "import os\nos.makedirs('out')\nopen('out/a.csv', 'w')\nopen('b.tmp', 'w')\nos.remove('in.txt')"

    def setUp(self):
        super().setUp()
        self.given = pathlib.Path(self.home, "in.txt")
        self.given.write_text("x")

    def run_with(self, *patterns, code=CODE):
        flags = [word for pattern in patterns for word in ("--writes", pattern)]
        return self.run_json("--level", "relaxed", "--file", str(self.given), *flags, "-c", code)

    def test_what_was_not_expected_is_told(self):
        status, result = self.run_with("out/*.csv")
        self.assertEqual(status, 0, result)
        self.assertEqual(result["files"]["unexpected"], ["b.tmp", "in.txt"])
        (finding,) = [each for each in result["findings"]
                      if each["rule"] == "result-unexpected-file"]
        self.assertEqual((finding["severity"], finding["action"]), ("warning", "warn"))
        done = self.belljar("run", "--level", "relaxed", "--writes", "out/**", "-c",
                            "open('b\u0131.tmp', 'w')")
        self.assertEqual(done.returncode, 0)
        self.assertIn("warning: files changed that --writes does not name: b\u0131.tmp", done.stderr)

    def test_what_was_expected_is_not(self):
        for patterns in (["out/*", "*.tmp", "in.txt"], ["**"]):
            _, result = self.run_with(*patterns)
            self.assertEqual(result["files"]["unexpected"], [])
            self.assertNotIn("result-unexpected-file", json.dumps(result["findings"]))
        _, result = self.run_with()
        self.assertNotIn("unexpected", result["files"])

    def test_an_empty_list_expects_nothing(self):
        answers = self.run_lines({"id": "a", "code": "open('x', 'w')", "writes": []},
                                 {"id": "b", "code": "1", "writes": []},
                                 {"id": "c", "code": "1", "writes": ["[a]"]})
        self.assertEqual(answers["a"]["files"]["unexpected"], ["x"])
        self.assertEqual(answers["b"]["files"]["unexpected"], [])
        self.assertIn("only *, ? and **", answers["c"]["error"]["message"])

    def test_writes_to_vaults_have_to_be_named_too(self):
        with tempfile.TemporaryDirectory(prefix="belljar-vault-") as vault:
            name = "/vault/%s/f" % os.path.basename(vault)
            for pattern, unexpected in (("**", [name]), ("/vault/**", [])):
                done = self.belljar("run", "--json", "--level", "relaxed", "--vault", vault + ":rw",
                                    "--writes", pattern, "-c",
                                    "import time\nopen('%s', 'w').write(str(time.time()))" % name)
                self.assertEqual(json.loads(done.stdout)["files"]["unexpected"], unexpected)

    def test_processes_that_are_left_behind_are_counted(self):
        leave = ("import subprocess\nfor _ in range(%d):\n"
                 "    subprocess.Popen(['sleep', '100'], stdout=subprocess.DEVNULL,"
                 " stderr=subprocess.DEVNULL, start_new_session=True)")
        for code, left in (("1", 0), (leave % 3, 3)):
            _, result = self.run_json("--level", "relaxed", "-c", code)
            self.assertEqual(result["outcome"], "ok", result)
            if result["layers"]["limits"]["processes"].startswith("cgroup"):
                self.assertEqual(result["usage"]["processes_left"], left)
            else:
                self.assertIsNone(result["usage"]["processes_left"])
        _, result = self.run_json("--level", "relaxed", "--timeout", "500ms", "-c",
                                  leave % 1 + "\nwhile True: pass")
        self.assertEqual((result["outcome"], result["usage"]["processes_left"]), ("timeout", None))


class Service(OneDaemon):
    def test_runs_take_and_give_values(self):
        result = self.client.run(DOUBLE, input={"n": 3}, input_schema=OF_N, output_schema=OF_TWICE)
        self.assertEqual(result["output"], {"twice": 6})
        answer = self.client.post("/v1/runs", {"code": DOUBLE, "input": {}, "input_schema": OF_N})
        self.assertEqual(answer.status, 400)
        self.assertEqual(answer.json()["error"]["message"], 'input: needs the member "n"')

    def test_runs_in_sessions_do_too(self):
        made = self.client.post("/v1/sessions", {}).json()
        path = "/v1/sessions/%s/runs" % made["id"]
        result = self.client.post(path, {"code": DOUBLE, "input": {"n": 5},
                                         "output_schema": OF_TWICE}).json()
        self.assertEqual(result["output"], {"twice": 10}, result)
        result = self.client.post(path, {"code": "x = 1; print(x)", "output_schema": False}).json()
        self.assertEqual((result["error"]["type"], result["session"]["state"]),
                         ("OutputMismatch", "idle"))
        result = self.client.post(path, {"code": "print(x)", "output_schema": True}).json()
        self.assertEqual(result["output"], 1)
        answer = self.client.post("/v1/sessions", {"output_schema": True})
        self.assertIn("belongs to a run", answer.json()["error"]["message"])

    def test_commands_by_the_daemon_are_the_same(self):
        done = self.belljar("run", "--json", "--input", '{"n": 1}', "--output-schema",
                            json.dumps(OF_TWICE), "-c", DOUBLE)
        self.assertEqual(json.loads(done.stdout)["output"], {"twice": 2}, done.stderr)
        done = self.belljar("run", "--session", "mine", "--input", '{"n": 0.1}', "--output-schema",
                            json.dumps(OF_TWICE), "-c", DOUBLE)
        self.assertEqual(done.returncode, 1)
        self.assertIn("output.twice: must be an integer", done.stderr)

    def test_text_is_safe_in_streams_and_sessions(self):
        code = "print('\\x1b[31mred\\x1b[0m')\n'\\x1b[1mvalue'"
        made = self.client.post("/v1/sessions", {}).json()
        result = self.client.post("/v1/sessions/%s/runs" % made["id"],
                                  {"code": "class S:\n    __repr__ = lambda s: '\\x1b[1mvalue'\n" +
                                           code.rsplit("\n", 1)[0] + "\nS()", "text": "plain"}).json()
        self.assertEqual(result["stdout"], "red\n", result)
        self.assertEqual(result["results"][0]["text/plain"], "value")
        stream = self.client.ask("POST", "/v1/runs", {"code": code, "text": "plain"}, stream=True,
                                 headers={"Accept": "application/x-ndjson; bytes=base64"}).read()
        events = [json.loads(line) for line in stream.splitlines()]
        self.assertEqual("".join(event.get("stdout", "") for event in events), "red\n", stream)

    def test_side_effects_in_sessions_are_those_of_the_run(self):
        made = self.client.post("/v1/sessions", {}).json()
        path = "/v1/sessions/%s/runs" % made["id"]
        for name, unexpected in (("a.txt", ["a.txt"]), ("b.csv", [])):
            result = self.client.post(path, {"code": "open('%s', 'w')\n1" % name,
                                             "writes": ["*.csv"]}).json()
            self.assertEqual(result["files"]["unexpected"], unexpected, result)
        self.assertIsNone(result["usage"]["processes_left"])

    def test_the_record_holds_input_and_schemas_by_digest(self):
        result = self.client.run(DOUBLE, input={"n": 3}, input_schema=OF_N, output_schema=OF_TWICE)
        record = self.client.get("/v1/audit/%d" % result["audit"]["index"]).json()
        text = json.dumps(record)
        for key in ("stdin", "input_schema", "output_schema"):
            self.assertIn('"%s"' % key, text)
