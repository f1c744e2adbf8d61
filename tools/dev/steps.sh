# The steps of `./dev test`, in order. To add one: write a function, add a line to a table.
# A step that must succeed for the others to make sense says "stop"; after others one goes on.
# What tests say goes to build/logs/junit, a file or folder for each step; tools/dev/totals.py reads it.

belljar=build/bin/belljar
junit=$logs/junit
fuzz_seconds=4
long_fuzzers=(wire image_path request)  # what a guest, an image and a caller may send: 30 s
beside=3  # tests at once: most wait more than they compute

# function|title|after a failure
# Where the sanitizers come later, they run the unit tests.
unit_steps=(
  'step_tests|build of the tests|stop'
  'step_unit|unit tests|go on'
)
quick_steps=(
  'step_release|release build|stop'
  'step_layers|layer check|go on'
  'step_python|Python tests|go on'
  'step_alone|tests that run alone|go on'
)
full_steps=(
  'step_slow_unit|slow unit tests|go on'
  'step_slow|slow Python tests|go on'
  'step_gvisor|behind gVisor|go on'
  'step_format|format|go on'
  'step_asan|unit tests, ASan + UBSan|go on'
  'step_tsan|unit tests, TSan|go on'
  'step_fuzz|fuzzers|go on'
  'step_mutate|mutation of controls|go on'
)

step_release() { build_release && build release bin/bash_guest; }
step_tests() { build_tests; }

step_layers() {
  attempt "layer check" "$logs/layers.log" "follow the table in tools/check_layers.py" \
    python3 tools/check_layers.py
}

hint='read the first failure in the log, mend it, run it alone: ./dev test NAME'

# python_tests STEP ARGUMENT...: those that pytest finds by the arguments.
python_tests() {
  attempt "$1" "$logs/$1.log" "$hint" /usr/bin/python3 -m pytest -n "$beside" \
    --junitxml "$junit/$1.xml" "${@:2}"
}

# cxx_tests STEP PRESET ARGUMENT...: those that ctest finds by the arguments, where it knows each test.
cxx_tests() {
  attempt "$1" "$logs/$1.log" "$hint" ctest --test-dir "build/$2" -j "$beside" --output-on-failure \
    --no-tests=error --output-junit "$root/$junit/$1.xml" "${@:3}"
}

# cxx_suites STEP PRESET COMMAND...: where it knows suites; each tells of its tests in a file of its own. The command
# runs ctest.
cxx_suites() {
  mkdir -p "$junit/$1"
  attempt "$1" "$logs/$1.log" "$hint" env GTEST_OUTPUT_FOLDER="$root/$junit/$1" "${@:3}" \
    ctest --test-dir "build/$2" -j "$beside" --output-on-failure --no-tests=error "${labels[@]}"
}

step_python() { python_tests python -m 'not slow and not alone'; }
step_alone() { python_tests alone -m 'alone and not slow'; }
step_slow() { python_tests slow_python -m slow; }
# The same tests as for native cells; of cases and attacks a part, for the time they take.
step_gvisor() { python_tests gvisor -m everywhere --backend=gvisor; }
step_unit() { cxx_tests unit release -L '^unit$'; }
step_slow_unit() {
  local labels=(-L '^slow$') status=0
  build release bin/slow_tests bin/http_load || return 1
  cxx_suites slow release || status=1
  cxx_tests load release -L '^load$' || status=1
  return "$status"
}

step_mutate() {
  build release bin/belljar bin/belljar-loose || return 1
  python_tests mutation --mutants -m mutation
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
  local preset=$1 addresses labels=(-L '^unit$')
  read -ra addresses < <(fixed_addresses)
  build_shared || return 1
  build "$preset" unit_tests || return 1
  cxx_suites "$preset" "$preset" env UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
    TSAN_OPTIONS=halt_on_error=1 "${addresses[@]}"
}

step_asan() { sanitized_unit_tests asan; }
step_tsan() { sanitized_unit_tests tsan; }

step_fuzz() {
  build_fuzzers || return 1
  mkdir -p "$junit"
  attempt "fuzzers" "$logs/fuzzers.log" "an input that breaks a fuzzer is in build/asan/crashes" \
    python3 tools/run_fuzzers.py --bin build/asan/bin --seconds "$fuzz_seconds" --jobs "$jobs" \
    --junit "$junit/fuzzers.xml" --long "${long_fuzzers[@]}"
}

# The clock in tenths of a second. Some locales write its fraction with a comma.
tenths() { echo $((${EPOCHREALTIME/[.,]/} / 100000)); }
seconds_since() {
  local taken=$(($(tenths) - $1))
  echo "$((taken / 10)).$((taken % 10))"
}

totals=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/totals.py
totals() { python3 "$totals" "$junit" "$@"; }
failures() { totals | grep -c '^failed: '; }

# begin_tests: no files of an earlier run; and one place for what belongs to all tests of this run: to make an
# image takes longer than most of them.
begin_tests() {
  rm -rf "$junit"
  mkdir -p "$junit"
  BELLJAR_TEST_SHARED=$(mktemp -d -p "${TMPDIR:-/tmp}" belljar-tests.XXXXXX) || return 1
  export BELLJAR_TEST_SHARED
  trap 'rm -rf "$BELLJAR_TEST_SHARED"' EXIT
}

# run_steps STEP...: runs them and prints the closing lines, of which the last is "N passed, N failed".
run_steps() {
  local row call title after began start before result broken=0 table=()
  start=$(tenths)
  begin_tests || return 1
  for row in "$@"; do
    IFS='|' read -r call title after <<<"$row"
    printf '== %s\n' "$title"
    began=$(tenths) before=$(failures)
    if "$call"; then result=ok; else result=FAILED; fi
    # A step that failed without a failing test of its own (a build, the lint) counts as one.
    [[ $result == ok || $(failures) != "$before" ]] || broken=$((broken + 1))
    table+=("$(printf '%-28s %9s  %s' "$title" "$(seconds_since "$began")" "$result")")
    printf '   %s, %s s\n' "$result" "$(seconds_since "$began")"
    [[ $result == ok || $after != stop ]] || break
  done
  printf '\n%-28s %9s  %s\n' step seconds result
  printf '%s\n' "${table[@]}" "$(printf '%-28s %9s' total "$(seconds_since "$start")")" ''
  # Where a step failed, tests are missing from the set, and comparing it would only add noise.
  local pinned=(--pinned "$root/tests/skips.txt")
  [[ " ${table[*]} " != *FAILED* ]] || pinned=()
  totals --failed "$broken" "${pinned[@]}"
}

# plain NAME: what a test is called, of what a path to it or pytest's own name for it may be.
plain() {
  local name=${1#tests/}
  name=${name#cases/} name=${name#escape/} name=${name%.toml} name=${name%.py} name=${name##*.py::}
  echo "${name//::/.}"
}

# run_named NAME...: the tests of any kind whose name has one of these in it.
run_named() {
  local name keys=() patterns=() found
  for name in "$@"; do
    name=$(plain "$name")
    keys+=("(${name//./ and })")
    patterns+=("${name//./\\.}")
    [[ $name != *.* ]] || patterns+=("^${name%%.*}\$")  # of slow tests ctest knows the suites
  done
  local key pattern
  key=$(printf ' or %s' "${keys[@]}") key=${key:4}
  pattern=$(IFS='|' && echo "${patterns[*]}")
  begin_tests || return 1
  build_release && build release bin/belljar-loose bin/bash_guest unit_tests bin/slow_tests bin/http_load || return 1
  found=$(ctest --test-dir build/release -N -R "$pattern" | sed -n 's/^ *Test *#[0-9]*: //p')
  local python
  python=$(/usr/bin/python3 -m pytest --collect-only -q -k "$key" 2>/dev/null | grep '::')
  [[ -n $found$python ]] || die "test: no test has $* in its name"
  printf '%s\n' $found >&2
  printf '%s\n' "$python" >&2
  local broken=0
  [[ -z $found ]] || cxx_tests named release -R "$pattern" || broken=1
  [[ -z $python ]] || python_tests named_python -k "$key" || broken=1
  ((broken == 0 || $(failures) > 0)) && broken=0
  totals --failed "$broken"
}
