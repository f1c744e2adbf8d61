# Reading the totals and the skipped tests out of the log of a test program, and judging them.
#
# Two kinds of program: GoogleTest, and scripts whose last line is "N passed, N failed" and that
# name a test that cannot run here in a line "SKIP name: reason". A program that prints no totals
# has failed, whatever its status: a suite that ran nothing must not look like one that passed.

passed=0
failed=0
skipped=()      # "name" or "name: reason", in the order seen
unsteady=()     # "name: reason", of what failed at first
skip_prefix=''  # such as "asan/", so that one suite run three times has three names

# parse_totals LOG: "PASSED FAILED", or nothing.
parse_totals() {
  awk '
    /^\[  PASSED  \] [0-9]+ tests?\./ { p = $4; seen = 1 }
    /^\[  FAILED  \] [0-9]+ tests?, listed below/ { f = $4; seen = 1 }
    /^[0-9]+ passed, [0-9]+ failed$/ { p = $1; f = $3; seen = 1 }
    END { if (seen) print p + 0, f + 0 }' "$1"
}

# parse_skips LOG: one test per line, with the reason where there is one.
parse_skips() {
  awk '
    /^\[  SKIPPED \] [^ ]+\.[^ ]+/ { name = $4; sub(/,$/, "", name) }
    /^SKIP [^:]+: / { name = substr($0, 6) }
    name != "" { if (!(name in seen)) print name; seen[name] = 1; name = "" }' "$1"
}

# counted LABEL LOG COMMAND...: runs a test program and adds its totals to ours.
counted() {
  local label=$1 log=$logs/$2.log status=0 p f name
  shift 2
  progress "$label" "$log" "$@" || status=$?
  read -r p f < <(parse_totals "$log") || true  # none where nothing was counted
  while read -r name; do skipped+=("$skip_prefix$name"); done < <(parse_skips "$log")
  while read -r name; do unsteady+=("$name"); done < <(sed -n 's/^UNSTEADY //p' "$log")
  passed=$((passed + ${p:-0}))
  failed=$((failed + ${f:-0}))
  if ((status == 0 && ${f:-0} == 0 && ${p:-0} > 0)); then return 0; fi
  ((${f:-0} > 0)) || failed=$((failed + 1))
  [[ -n ${p:-} ]] || say "$label: no totals were printed (exit status $status)"
  explain "$log" "read the first failure in the log, mend it, run the command alone" "$@"
  return 1
}

# The same for a step that is run with --full only.
counted_long() {
  local status=0
  skip_prefix=long/
  counted "$@" || status=1
  skip_prefix=''
  return "$status"
}

# expected_skips PINNED MODE: the names that must be skipped here. A line of the file is a name;
# "user: NAME" and "root: NAME" hold only for that kind of caller, "asan/", "tsan/", "mutate/"
# and "long/" names only with --full, "unit/" names only without.
expected_skips() {
  local me=user not=root
  if is_root; then me=root not=user; fi
  sed -e 's/#.*//' -e 's/[[:space:]]*$//' -e '/^$/d' -e "/^$not: /d" -e "s/^$me: //" "$1" |
    if [[ $2 == full ]]; then grep -v '^unit/'; else grep -Ev '^(asan|tsan|mutate|long)/'; fi || true
}

tell_unsteady() {
  local entry
  for entry in "${unsteady[@]}"; do printf 'unsteady: %s\n' "$entry"; done
}

tell_skips() {
  local entry
  for entry in "${skipped[@]}"; do printf 'could not run here: %s\n' "$entry"; done
}

# judge_skips PINNED MODE: fails if what could not run is not what is pinned.
judge_skips() {
  local actual expected surprises
  actual=$(printf '%s\n' "${skipped[@]%%: *}" | sed '/^$/d' | sort -u)
  expected=$(expected_skips "$1" "$2" | sort -u)
  surprises=$(diff <(printf '%s\n' "$expected") <(printf '%s\n' "$actual") |
    sed -n -e 's/^< \(.\)/  pinned, but it ran or is gone: \1/p' \
      -e 's/^> \(.\)/  skipped, but not pinned: \1/p')
  [[ -n $surprises ]] || return 0
  printf 'the tests that could not run differ from %s:\n%s\n' "$1" "$surprises"
  return 1
}
