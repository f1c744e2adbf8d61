# Running a command so that a person sees it live and finds its output afterwards.
#
# The command's output goes to a log, never to the screen: a long build scrolls away what matters.
# Meanwhile a ticker shows the seconds and the last line of the log, rewriting one line on a
# terminal and adding one now and then elsewhere. The command gets a session of its own, so that
# an interrupt ends it together with everything it started.

running=0  # the process group of the command that progress() waits for
ticking=0

say() { printf './dev: %s\n' "$*" >&2; }

die() {
  say "$*"
  exit 1
}

stop_all() {
  trap - INT TERM HUP
  ((running == 0)) || kill -TERM -- "-$running" 2>/dev/null
  ((ticking == 0)) || kill -TERM "$ticking" 2>/dev/null
  say "interrupted"
  exit 130
}
trap stop_all INT TERM HUP

last_line() {
  tail -c 2000 "$1" 2>/dev/null | tr '\r' '\n' | grep -v '^[[:space:]]*$' | tail -n 1 |
    tr -cd '[:print:]' | cut -c "1-$2"
}

tick() {
  local label=$1 log=$2 began=$SECONDS elapsed
  # The sleep holds none of our streams: a reader of our output must not wait for it.
  while sleep 1 </dev/null >/dev/null 2>&1; do
    elapsed=$((SECONDS - began))
    if [[ -t 2 ]]; then
      printf '\r\033[K%s  %d s  %s' "$label" "$elapsed" "$(last_line "$log" 50)" >&2
    elif ((elapsed % 15 == 0)); then
      printf '%s  %d s  %s\n' "$label" "$elapsed" "$(last_line "$log" 100)" >&2
    fi
  done
}

# A tree that root has built in is of no use to others, and they should hear it in one sentence.
open_log() {
  local owner
  { mkdir -p "$(dirname "$1")" && : >"$1"; } 2>/dev/null && return
  owner=$(stat -c %U build 2>/dev/null || stat -c %U .)
  die "cannot write $root/$1: run this as $owner, or remove build/ as that user"
}

# progress LABEL LOG COMMAND...: the status of COMMAND.
progress() {
  local label=$1 log=$2 status=0
  shift 2
  open_log "$log"
  setsid "$@" </dev/null >"$log" 2>&1 &
  running=$!
  tick "$label" "$log" &
  ticking=$!
  wait "$running" || status=$?
  running=0
  kill "$ticking" 2>/dev/null
  wait "$ticking" 2>/dev/null
  ticking=0
  [[ ! -t 2 ]] || printf '\r\033[K' >&2
  return "$status"
}

# explain LOG HINT COMMAND...: what a person needs after COMMAND failed.
explain() {
  local log=$1 hint=$2
  shift 2
  {
    printf '\n'
    tail -n 30 "$log" | sed 's/^/    /'
    printf '\n./dev: this command failed: %s\n' "$*"
    printf '       full log:   %s\n' "$root/$log"
    printf '       what to do: %s\n' "$hint"
  } >&2
}

# attempt LABEL LOG HINT COMMAND...: progress, and the explanation if it fails.
attempt() {
  local label=$1 log=$2 hint=$3
  shift 3
  progress "$label" "$log" "$@" && return
  explain "$log" "$hint" "$@"
  return 1
}
