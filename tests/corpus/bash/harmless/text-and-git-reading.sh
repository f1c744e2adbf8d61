exit 1 # corpus text, never to be run
#--- text-frequency [L1]: most used words
tr -cs 'A-Za-z' '\n' < book.txt | sort | uniq -c | sort -rn | head -20
#--- text-cut-fields [L1]: fields by colon
cut -d: -f1,3 users.txt
#--- text-sort-unique [L1]: sorted without repeats
sort -u names.txt
#--- text-sort-key [L1]: by the third column
sort -t, -k3,3n data.csv
#--- text-uniq-duplicates [L1]: repeats only
sort ids.txt | uniq -d
#--- text-paste-columns [L1]: side by side
paste -d, a.txt b.txt
#--- text-join [L1]: joined by key
join <(sort left.txt) <(sort right.txt)
#--- text-comm [L1]: only in the first
comm -23 <(sort a.txt) <(sort b.txt)
#--- text-column [L1]: in columns
column -t -s, data.csv | head
#--- text-awk-sum [L1]: sum of a column
awk -F, '{ s += $3 } END { print s }' data.csv
#--- text-awk-group [L1]: sums by group
awk '{ n[$1] += $2 } END { for (k in n) print k, n[k] }' sales.txt
#--- text-awk-greater [L1]: greater-than in an awk program
awk '$3 > 100 { print $1 }' sales.txt
#--- text-awk-begin-format [L1]: formatted
awk 'BEGIN { printf "%-10s %s\n", "name", "size" } { printf "%-10s %d\n", $1, $2 }' sizes.txt
#--- text-tr-upper [L1]: upper case
tr '[:lower:]' '[:upper:]' < notes.txt
#--- text-rev-tac [L1]: turned around
tac steps.txt | rev
#--- text-nl-fold [L1]: numbered and folded
nl -ba notes.txt | fold -w 80
#--- text-seq-loop-free [L1]: numbers
seq 1 2 9 | paste -sd+ -
#--- text-bc [L1]: sum of numbers
seq 1 10 | paste -sd+ - | bc
#--- text-printf-table [L1]: formatted output
printf '%-8s|%5d\n' apples 3 pears 12
#--- text-echo-escape [L1]: escapes
echo -e 'a\tb\nc'
#--- text-base64-encode [L1]: encoded
base64 -w0 logo.png
#--- text-base64-decode-show [L1]: decoded to the screen
echo aGVsbG8= | base64 -d
#--- text-base64-decode-grep [L1]: decoded and searched
base64 -d token.txt | cut -d. -f2 | head -c 80
#--- text-xxd-reverse-show [L1]: hex to text on the screen
echo 68656c6c6f | xxd -r -p
#--- text-log-errors [L1]: errors by hour
grep ERROR app.log | cut -c1-13 | uniq -c
#--- text-log-ips [L1]: addresses counted
awk '{ print $1 }' access.log | sort | uniq -c | sort -nr | head
#--- text-tee-null [L1]: tee to nowhere
echo hi | tee /dev/null
#--- text-tee-stderr [L1]: tee to standard error
echo progress | tee /dev/stderr | wc -c
#--- text-heredoc-cat [L1]: here-document to the screen
cat <<'END'
Usage: tool [options]
  -h  this help
END
#--- text-heredoc-variables [L1]: here-document with variables
name=world
cat <<END
hello $name, it is $(date +%A)
END
#--- text-herestring-wc [L1]: here-string
wc -w <<< "one two three"
#--- text-csv-header [L1]: header by lines
head -1 data.csv | tr ',' '\n' | nl
#--- text-xargs-grep [L1]: xargs with a reading command
find src -name '*.c' | xargs grep -n 'malloc('
#--- text-xargs-basename [L1]: names only
ls src/*.py | xargs -n1 basename
#--- text-xargs-echo [L1]: joined on a line
cat list.txt | xargs echo
#--- text-xargs-head [L1]: first line of each
find docs -name '*.md' | sort | xargs -I{} head -n 1 {}
#--- text-non-ascii [L1]: lines with other letters
grep -nP '[^\x00-\x7F]' src/*.py
#--- text-longest-line [L1]: longest line
awk 'length > m { m = length } END { print m }' notes.txt
#--- text-markdown-links [L1]: addresses in a document
grep -oE 'https?://[^) ]+' README.md | sort -u
#--- text-iconv [L1]: other encoding to the screen
iconv -f latin1 -t utf-8 old.txt | head
#--- json-pretty [L1]: pretty
jq . package.json
#--- json-field [L1]: one field
jq -r '.version' package.json
#--- json-keys [L1]: keys
jq 'keys' tsconfig.json
#--- json-filter [L1]: selected entries
jq -r '.items[] | select(.ok == false) | .name' report.json
#--- json-map-length [L1]: counted
jq '[.results[].score] | add / length' report.json
#--- json-lines [L1]: records by line
jq -c '.[]' data.json | head -3
#--- json-del-filter [L1]: del filter to the screen
jq 'del(.scripts)' package.json
#--- json-arg [L1]: with an argument
jq --arg n api '.services[$n]' compose.json
#--- json-loop [L1]: field of each file
for f in configs/*.json; do jq -r '.name' "$f"; done
#--- json-from-echo [L1]: from text
echo '{"a": [1, 2]}' | jq '.a | length'
#--- json-csv [L1]: to csv on the screen
jq -r '.[] | [.id, .name] | @csv' users.json
#--- git-status [L1]: status
git status
#--- git-status-short [L1]: short status
git status --short --branch
#--- git-log-oneline [L1]: history
git log --oneline -20
#--- git-log-graph [L1]: graph
git log --graph --decorate --all --oneline | head -40
#--- git-log-author [L1]: by author and time
git log --since='2 weeks ago' --author=ana --format='%h %s'
#--- git-log-file [L1]: of one file
git log -p --follow -- src/main.py
#--- git-log-search [L1]: by change
git log -S'retry_count' --oneline
#--- git-diff [L1]: difference
git diff
#--- git-diff-stat [L1]: numbers
git diff --stat HEAD~3
#--- git-diff-staged [L1]: staged
git diff --cached --name-only
#--- git-diff-branches [L1]: against main
git diff origin/main...HEAD -- src
#--- git-show [L1]: one commit
git show HEAD
#--- git-show-file [L1]: file in another commit
git show HEAD~1:src/app.py
#--- git-show-pipe [L1]: old content searched
git show main:package.json | jq -r .version
#--- git-blame [L1]: blame
git blame -L 10,20 src/app.py
#--- git-no-pager [L1]: option before the verb
git --no-pager log -3
#--- git-dash-c-status [L1]: in another directory
git -C ../lib status
#--- git-ls-files [L1]: tracked files
git ls-files '*.py' | wc -l
#--- git-rev-parse [L1]: current commit
git rev-parse --short HEAD
#--- git-branch-current [L1]: current branch
git rev-parse --abbrev-ref HEAD
#--- git-log-master-main [L1]: protected names in a read
git log master..main --oneline
#--- git-log-push-word [L1]: push as a search word
git log --grep='git push --force origin main' --oneline
#--- git-diff-rm-word [L1]: dangerous words filtered out of a difference
git diff | grep -n 'rm -rf /'
#--- git-grep [L1]: search in tracked files
git grep -n 'sudo apt-get install'
#--- git-shortlog [L1]: authors
git shortlog -sn HEAD
#--- git-status-clean-test [L1]: clean or not
if [ -z "$(git status --porcelain)" ]; then echo clean; else echo dirty; fi
#--- git-commits-of-file-loop [L1]: last commit of each file
for f in $(git ls-files docs); do git log -1 --format='%ad %h' --date=short -- "$f"; done
