exit 1 # corpus text, never to be run
#--- loop-cat [L1]: loop over cat
for f in a.txt b.txt; do cat "$f"; done
#--- loop-glob-head [L1]: loop over a glob
for f in src/*.py; do
  echo "== $f"
  head -n 3 "$f"
done
#--- loop-arith [L1]: counting loop
for ((i = 0; i < 5; i++)); do echo "$i"; done
#--- loop-braces [L1]: brace range
for i in {1..3}; do echo "line $i"; done
#--- loop-while-read [L1]: lines of a file
while IFS= read -r line; do
  echo "${#line}"
done < notes.txt
#--- loop-while-read-fields [L1]: fields of a file
while IFS=, read -r name size _; do
  printf '%s has %s\n' "$name" "$size"
done < data.csv
#--- loop-while-process [L1]: lines of a command
while read -r f; do wc -l "$f"; done < <(git ls-files '*.md')
#--- loop-until-counter [L1]: until
n=0
until [ "$n" -ge 3 ]; do
  echo "try $n"
  n=$((n + 1))
done
#--- loop-find-read-null [L1]: names with spaces
find . -name '*.txt' -print0 | while IFS= read -r -d '' f; do
  stat -c '%s' "$f"
done
#--- arith-sum [L1]: arithmetic
total=0
for n in 3 5 7; do total=$((total + n)); done
echo "$total"
#--- arith-increment [L1]: increments
((count = 1, count++))
echo "$((count ** 3 % 7))"
#--- arith-shift [L1]: shifts that look like here-documents
echo $((1 << 4)) $((256 >> 2))
#--- arith-compare [L1]: greater-than in arithmetic is no redirection
a=3 b=2
if ((a > b)); then echo more; fi
#--- test-greater [L1]: greater-than in a test is no redirection
if [[ "b" > "a" ]]; then echo later; fi
#--- arith-factorial [L1]: factorial
fact() {
  local n=$1
  if ((n < 2)); then echo 1; return; fi
  echo $((n * $(fact $((n - 1)))))
}
fact 5
#--- func-greet [L1]: function
greet() { echo "hello, $1"; }
greet "$USER"
#--- func-log [L1]: message function
log() { printf '[%s] %s\n' "$(date +%T)" "$*" >&2; }
log start
ls
log end
#--- func-die [L1]: leave with a message
die() { echo "error: $*" >&2; exit 1; }
[ -f go.mod ] || die "no go.mod"
#--- func-recursive-once [L1]: function that calls itself, without forks
countdown() {
  [ "$1" -le 0 ] && return
  echo "$1"
  countdown $(($1 - 1))
}
countdown 3
#--- func-pipe [L1]: functions in a pipeline
numbers() { seq 1 20; }
evens() { awk '$1 % 2 == 0'; }
numbers | evens | tail -2
#--- func-colon-name-like [L1]: odd but harmless function
_() { :; }
_ | _
#--- func-background-wait [L1]: background jobs
slow() { sleep 1; echo "done $1"; }
slow a &
slow b &
wait
#--- case-args [L1]: case
case "$1" in
  -h | --help) echo "usage: $0 [file]" ;;
  *.txt) cat "$1" ;;
  *) echo "unknown: $1" >&2 ;;
esac
#--- case-uname [L1]: system kind
case $(uname -s) in
  Linux) echo linux ;;
  Darwin) echo mac ;;
esac
#--- getopts-loop [L1]: options
while getopts 'vn:' o; do
  case $o in
    v) verbose=1 ;;
    n) num=$OPTARG ;;
    *) exit 2 ;;
  esac
done
echo "${verbose:-0} ${num:-none}"
#--- strict-mode [L1]: strict mode and a listing
set -euo pipefail
IFS=$'\n\t'
ls -1
#--- array-loop [L1]: array
files=(README.md LICENSE)
for f in "${files[@]}"; do
  [ -f "$f" ] && wc -c "$f"
done
#--- array-assoc [L1]: associative array
declare -A size=([small]=1 [large]=9)
for k in "${!size[@]}"; do echo "$k=${size[$k]}"; done
#--- array-slice [L1]: slices
a=(1 2 3 4)
echo "${a[@]:1:2}" "${#a[@]}"
#--- array-mapfile [L1]: lines to an array
mapfile -t lines < notes.txt
echo "${lines[0]}"
#--- expansion-default [L1]: default value
echo "${EDITOR:-vi}"
#--- expansion-trim [L1]: parts of a name
p=src/lib/core.tar.gz
echo "${p##*/}" "${p%%.*}" "${p%/*}"
#--- expansion-replace [L1]: replacement
s="a-b-c"
echo "${s//-/_}" "${s^^}" "${s:0:3}"
#--- expansion-length [L1]: length
echo "${#PATH}"
#--- ifs-split [L1]: split by comma
IFS=, read -ra parts <<< "x,y,z"
printf '%s\n' "${parts[@]}"
#--- if-elif [L1]: conditions
if [ -f Cargo.toml ]; then
  echo rust
elif [ -f package.json ]; then
  echo node
else
  echo unknown
fi
#--- subshell-cd-list [L1]: subshell
(cd docs && ls)
#--- group-header [L1]: group
{ echo "# files"; ls; } | head
#--- group-stderr [L1]: group to standard error
{ echo one; echo two; } >&2
#--- variable-command-ls [L1]: command in a variable, harmless
cmd="ls -la"
$cmd src
#--- variable-pager [L1]: program in a variable
pager=cat
"$pager" README.md
#--- expansion-indirect [L1]: expansion by indirect name
key=HOME
echo "${!key}"
#--- substitution-nested [L1]: nested substitutions
echo "$(basename "$(dirname "$(pwd)")")"
#--- printf-v-date [L1]: into a variable
printf -v now '%(%F)T' -1
echo "$now"
#--- trap-echo [L1]: trap with a message
trap 'echo bye' EXIT
ls
#--- time-ls [L1]: timed
time ls -R > /dev/null
#--- timeout-find [L1]: reading behind a wrapper
timeout 10 find . -name '*.lock'
#--- env-sort [L1]: wrapper with an assignment
LC_ALL=C sort words.txt | head
#--- nice-grep [L1]: reading behind nice
nice -n 10 grep -rc main src
#--- env-wrapper-ls [L1]: reading behind env
env LANG=C ls -l
#--- command-wrapper-ls [L1]: reading behind command
command ls
#--- stdbuf-tail [L1]: reading behind stdbuf
stdbuf -oL grep --line-buffered ERR app.log | head -1
#--- compare-counts [L1]: two counts
want=$(wc -l < expected.txt)
have=$(wc -l < actual.txt)
[ "$want" -eq "$have" ] && echo same || echo "differs: $want $have"
#--- version-compare [L1]: newest version
printf '%s\n' 1.9.0 1.10.2 1.2.3 | sort -V | tail -1
#--- descriptor-swap [L1]: descriptors exchanged
ls missing 3>&1 1>&2 2>&3 | wc -l
#--- descriptor-close [L1]: descriptor opened to read
exec 3< notes.txt
read -r first <&3
exec 3<&-
echo "$first"
#--- extension-count [L1]: files by extension
find . -type f | sed 's/.*\.//' | sort | uniq -c | sort -rn
#--- report-function [L1]: longer report
report() {
  local dir=$1 n
  n=$(find "$dir" -type f | wc -l)
  printf '%-12s %6d files %8s\n' "$dir" "$n" "$(du -sh "$dir" | cut -f1)"
}
for d in src tests docs; do
  [ -d "$d" ] && report "$d"
done
#--- fizzbuzz [L1]: the usual exercise
for i in $(seq 1 15); do
  if ((i % 15 == 0)); then echo FizzBuzz
  elif ((i % 3 == 0)); then echo Fizz
  elif ((i % 5 == 0)); then echo Buzz
  else echo "$i"
  fi
done
#--- bubble-sort [L1]: sorting in shell
a=(5 2 9 1)
n=${#a[@]}
for ((i = 0; i < n; i++)); do
  for ((j = 0; j < n - i - 1; j++)); do
    if ((a[j] > a[j + 1])); then
      t=${a[j]}
      a[j]=${a[j + 1]}
      a[j + 1]=$t
    fi
  done
done
echo "${a[*]}"
#--- prime-test [L1]: primes
is_prime() {
  local n=$1 d
  for ((d = 2; d * d <= n; d++)); do
    ((n % d == 0)) && return 1
  done
  ((n > 1))
}
for n in 7 9 11; do is_prime "$n" && echo "$n"; done
#--- read-dispatch [L1]: one of the script's own commands
cmd_list() { ls; }
cmd_count() { ls | wc -l; }
"cmd_$1"
