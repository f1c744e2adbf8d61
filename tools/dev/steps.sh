# The steps of `./dev test`, in order. To add one: write a function, add a line to a table.
# A step that must succeed for the others to make sense says "stop"; after others one goes on.

belljar=build/bin/belljar
fuzz_seconds=4
long_fuzzers=(wire image_path request)  # what a guest, an image and a caller may send: 30 s

# function|title|after a failure
# Where the sanitizers come later, they run the unit tests.
unit_steps=(
  'step_tests|build of the tests|stop'
  'step_unit|unit tests|go on'
)
quick_steps=(
  'step_release|release build|stop'
  'step_layers|layer check|go on'
  'step_tools|tests of the tools|go on'
  'step_cases|data cases|go on'
  'step_escape|escape tests|go on'
  'step_suites|suites|go on'
  'step_service|the daemon|go on'
)
full_steps=(
  'step_http|HTTP under load|go on'
  'step_gvisor|behind gVisor|go on'
  'step_long_suites|long suites|go on'
  'step_faults|faults|go on'
  'step_format|format|go on'
  'step_asan|unit tests, ASan + UBSan|go on'
  'step_tsan|unit tests, TSan|go on'
  'step_fuzz|fuzzers|go on'
  'step_mutate|mutation of controls|go on'
)

step_release() { build_release; }
step_tests() { build_tests; }

step_layers() {
  attempt "layer check" "$logs/layers.log" "follow the table in tools/check_layers.py" \
    python3 tools/check_layers.py
}

step_tools() {
  local test status=0
  for test in tests/tools/*_test.py; do
    counted "$test" "$(basename "$test" .py)" python3 "$test" || status=1
  done
  return "$status"
}

step_unit() {
  local status=0
  skip_prefix=unit/
  counted "unit tests" unit python3 tools/run_sharded.py "$((jobs * 3))" \
    build/release/bin/unit_tests || status=1
  skip_prefix=''
  return "$status"
}
step_http() {
  build release bin/http_load || return 1
  counted_long "HTTP under load" http build/release/bin/http_load
}
step_cases() { counted "data cases" cases python3 tests/run_cases.py --binary "$belljar"; }
step_escape() { counted "escape tests" escape python3 tests/run_escape.py --binary "$belljar"; }
step_service() { counted "the daemon" service python3 tests/run_service.py --binary "$belljar"; }
step_faults() { counted_long "faults" faults python3 tests/run_faults.py --binary "$belljar"; }

# Programs that wait more than they compute, and can do so beside each other. Those that measure time
# or look at the whole machine are steps of their own.
beside=(python3 tools/run_beside.py --jobs 3 --logs "$logs/suites")

# suite NAME PROGRAM ARGUMENT...: one more of them.
suite() { programs+=(-- "$1" python3 "tests/$2" --binary "$belljar" "${@:3}"); }

step_suites() {
  build release bin/bash_guest || return 1
  local name programs=(
    -- "guest fidelity" python3 tests/guest/fidelity_test.py
    -- "guest fidelity, kept code" python3 tests/guest/fidelity_test.py --kept
    -- "guest sessions" python3 tests/guest/session_test.py
    --bash-guest build/release/bin/bash_guest --module build/release/src/isolate/_belljar.abi3.so)
  suite deterministic integration/deterministic_test.py
  suite token integration/token_test.py
  for name in artefacts judgement modules guard replay skills compiled recovery exchange syntax notebook files \
    corpus examples; do
    suite "$name" "run_$name.py"
  done
  suite gvisor run_gvisor.py Demanded ByCommand Missing OtherRuntime Told LastWords Left
  suite doctor run_doctor.py Docker Gvisor Strays
  counted "suites" suites "${beside[@]}" "${programs[@]}"
}

step_long_suites() {
  build release bin/slow_tests || return 1
  local name programs=(-- "slow tests" python3 tools/run_sharded.py 1 build/release/bin/slow_tests)
  suite survival run_survival.py
  suite caller integration/caller_test.py
  for name in databases egress tools; do suite "$name" "run_$name.py"; done
  suite "docker, runs" run_docker.py Runs Sessions
  suite saved run_saved.py
  suite "doctor, hanging" run_doctor.py Hanging
  suite "gvisor, hanging" run_gvisor.py Hanging
  suite callers run_callers.py
  suite sessions run_sessions.py
  suite docker run_docker.py Doors Refusals CleanUp OnPodman Same
  suite client integration/client_test.py
  suite checkpoints run_checkpoints.py
  suite "cases with a daemon" run_cases.py --daemon
  suite vault integration/vault_test.py
  suite "vault crash" integration/vault_crash_test.py
  suite operation run_operation.py
  suite places run_places.py
  counted_long "long suites" long_suites "${beside[@]}" "${programs[@]}"
}

# The same tests as for native cells; of cases and attacks a part, for the time they take. A part of
# them on docker is in run_docker.py.
step_gvisor() {
  local programs=()
  suite "cases behind gVisor" run_cases.py --backend gvisor --as root --requests --filter limits/
  suite "attacks behind gVisor" run_escape.py --backend gvisor --as root --filter row1
  suite "the daemon behind gVisor" run_service.py --backend gvisor Sessions
  suite "files behind gVisor" run_files.py --backend gvisor Files
  suite "checkpoints behind gVisor" run_checkpoints.py --backend gvisor \
    Rollback.test_brings_back_memory_files_and_descriptors_exactly \
    Fork.test_branches_are_independent_of_each_other_and_of_their_origin
  suite "hosts behind gVisor" run_egress.py --backend gvisor Doors Clients.test_curl_speaks_http_and_https \
    Secrets.test_the_broker_has_the_value_and_the_guest_a_placeholder \
    Revocation.test_a_run_loses_its_network_while_it_runs Attacks.test_a_redirect_inwards_is_a_new_request_and_refused
  suite "tools behind gVisor" run_tools.py --backend gvisor Languages \
    Service.test_a_call_waits_for_a_person_and_the_clock_stands_still Service.test_each_call_is_recorded
  counted_long "behind gVisor" behind_gvisor "${beside[@]}" "${programs[@]}"
}

step_format() {
  local files
  mapfile -t files < <(find src tests -name '*.h' -o -name '*.cc' | sort)
  attempt "format of ${#files[@]} files" "$logs/format.log" \
    "clang-format-14 -i FILE for each file named in the log" \
    clang-format-14 --dry-run -Werror "${files[@]}"
}

# By ./dev lint alone: clang-tidy takes as long as a sanitizer's build, and --full has no room.
step_lint() {
  step_format || return 1
  build lint filters guest_tables CMakeFiles/common_headers.dir/cmake_pch.hxx.pch || return 1
  attempt "clang-tidy" "$logs/tidy.log" "mend what the log names; the checks are in .clang-tidy" \
    python3 tools/tidy.py --build build/lint --jobs "$jobs"
}

# Kernels that randomise addresses more than the sanitizers' shadow memory allows for stop them at
# start; without randomisation they always fit.
fixed_addresses() {
  if setarch -R true 2>/dev/null; then echo setarch -R; else echo env; fi
}

sanitized_unit_tests() {
  local preset=$1 status=0 addresses
  read -ra addresses < <(fixed_addresses)
  build_shared || return 1
  build "$preset" bin/unit_tests || return 1
  skip_prefix=$preset/
  counted "unit tests ($preset)" "unit-$preset" \
    env UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 TSAN_OPTIONS=halt_on_error=1 \
    python3 tools/run_sharded.py "$jobs" "${addresses[@]}" "build/$preset/bin/unit_tests" || status=1
  skip_prefix=''
  return "$status"
}

step_asan() { sanitized_unit_tests asan; }
step_tsan() { sanitized_unit_tests tsan; }

step_fuzz() {
  build_fuzzers || return 1
  counted "fuzzers" fuzzers python3 tools/run_fuzzers.py --bin build/asan/bin \
    --seconds "$fuzz_seconds" --jobs "$jobs" --long "${long_fuzzers[@]}"
}

step_mutate() {
  local status=0
  build release bin/belljar-loose || return 1
  skip_prefix=mutate/
  counted "mutation of controls" mutate python3 tests/mutate.py || status=1
  skip_prefix=''
  return "$status"
}

# The clock in tenths of a second. Some locales write its fraction with a comma.
tenths() { echo $((${EPOCHREALTIME/[.,]/} / 100000)); }
seconds_since() {
  local taken=$(($(tenths) - $1))
  echo "$((taken / 10)).$((taken % 10))"
}

# run_steps MODE STEP...: runs them and prints the closing lines.
run_steps() {
  local mode=$1 row call title after began start before result status=0 table=()
  start=$(tenths)
  shift
  # To make an image takes longer than most suites.
  BELLJAR_TEST_IMAGES=$(mktemp -d -p "${TMPDIR:-/tmp}" belljar-images.XXXXXX) || return 1
  export BELLJAR_TEST_IMAGES
  chmod 755 "$BELLJAR_TEST_IMAGES"
  trap 'rm -rf "$BELLJAR_TEST_IMAGES"' EXIT
  for row in "$@"; do
    IFS='|' read -r call title after <<<"$row"
    printf '== %s\n' "$title"
    began=$(tenths) before=$failed
    if "$call"; then result=ok; else result=FAILED status=1; fi
    # A step that failed without a failing test of its own (a build, the lint) counts as one.
    [[ $result == ok || $failed != "$before" ]] || failed=$((failed + 1))
    table+=("$(printf '%-28s %9s  %s' "$title" "$(seconds_since "$began")" "$result")")
    printf '   %s, %s s\n' "$result" "$(seconds_since "$began")"
    [[ $result == ok || $after != stop ]] || break
  done
  table+=("$(printf '%-28s %9s' total "$(seconds_since "$start")")")
  close_run "$mode" "$status" "${table[@]}"
}

# close_run MODE STATUS ROW...: the table, the totals, what could not run.
close_run() {
  local mode=$1 status=$2
  shift 2
  printf '\n%-28s %9s  %s\n' step seconds result
  printf '%s\n' "$@"
  printf '\n%d passed, %d failed\n' "$passed" "$failed"
  tell_unsteady
  tell_skips
  # Where a step failed, tests are missing from the set, and comparing it would only add noise.
  if ((status == 0)); then judge_skips tests/skips.txt "$mode" || status=1; fi
  return "$status"
}
