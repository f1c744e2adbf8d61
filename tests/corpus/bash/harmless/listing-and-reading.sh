exit 1 # corpus text, never to be run
#--- ls-plain [L1]: listing
ls
#--- ls-long [L1]: long listing with hidden files
ls -la
#--- ls-recursive-flag [L1]: recursive listing with the letters of another command
ls -rf src
#--- ls-root [L1]: listing of root
ls -la /
#--- ls-home [L1]: listing of home
ls ~ "$HOME"
#--- ls-etc [L1]: listing of a system directory
ls -l /etc /usr/bin
#--- ls-glob [L1]: listing by glob
ls -1 src/*.py tests/**/*.py
#--- ls-sorted-size [L1]: largest first
ls -lS | head -n 5
#--- ls-errors-hidden [L1]: errors to nowhere
ls build 2>/dev/null
#--- ls-all-hidden [L1]: both streams to nowhere
ls build >/dev/null 2>&1 && echo yes
#--- ls-stderr-echo [L1]: message to standard error
ls missing || echo "no such thing" >&2
#--- pwd-plain [L1]: where am I
pwd
#--- cd-ls [L1]: change directory and list
cd src && ls -la && pwd
#--- cat-one [L1]: one file
cat README.md
#--- cat-numbered [L1]: with numbers
cat -n src/main.c
#--- cat-several [L1]: several files
cat a.txt b.txt c.txt
#--- cat-os-release [L1]: system facts
cat /etc/os-release
#--- cat-fallback [L1]: first that exists
cat config.yaml 2>/dev/null || cat config.yml
#--- head-lines [L1]: first lines
head -n 40 src/app.ts
#--- tail-lines [L1]: last lines
tail -n 100 build.log
#--- tail-from [L1]: from a line on
tail -n +20 notes.txt | head -5
#--- sed-range [L1]: lines by sed
sed -n '10,25p' src/lib.rs
#--- sed-substitute-stdout [L1]: substitution to standard output
sed 's/foo/bar/g' notes.txt
#--- sed-delete-stdout [L1]: lines left out
sed -e '/^#/d' -e '/^$/d' settings.conf
#--- awk-column [L1]: a column
awk '{ print $2 }' table.txt
#--- awk-lines [L1]: line range by awk
awk 'NR >= 5 && NR <= 9' notes.txt
#--- wc-lines [L1]: count of lines
wc -l src/*.py
#--- wc-total [L1]: total of many
find src -name '*.ts' -print0 | xargs -0 wc -l | tail -1
#--- stat-file [L1]: file facts
stat -c '%s %n' package.json
#--- file-type [L1]: kind of file
file dist/app bin/tool
#--- du-summary [L1]: sizes
du -sh ./* | sort -h
#--- du-depth [L1]: sizes by depth
du -h --max-depth=1 . 2>/dev/null
#--- df-human [L1]: free space
df -h .
#--- find-name [L1]: by name
find . -name '*.go'
#--- find-type-depth [L1]: directories near
find . -maxdepth 2 -type d
#--- find-excluding [L1]: without some directories
find . -path ./node_modules -prune -o -name '*.js' -print
#--- find-newer [L1]: changed lately
find src -type f -mmin -30
#--- find-size-sort [L1]: by size
find . -type f -size +1M -printf '%s %p\n' | sort -rn | head
#--- find-empty [L1]: empty files
find . -type f -empty
#--- find-root-name [L1]: search from root
find / -name 'libssl*' -type f 2>/dev/null
#--- find-perm [L1]: search for open modes
find . -perm 0777 -type f
#--- grep-plain [L1]: search
grep TODO src/main.py
#--- grep-recursive [L1]: recursive search
grep -rn 'def main' src
#--- grep-include [L1]: only some files
grep -rn --include='*.py' 'import os' .
#--- grep-list-files [L1]: names only
grep -rl 'deprecated' docs | sort
#--- grep-context [L1]: with context
grep -n -B2 -A5 'class Widget' src/widget.ts
#--- grep-count [L1]: count only
grep -c '' CHANGELOG.md
#--- grep-quiet-test [L1]: as a test
grep -q '^version' pyproject.toml && echo found
#--- grep-extended [L1]: extended expression
grep -E '^(FAIL|ERROR):' test.log
#--- grep-force-flags [L1]: letters r and f as flags of grep
grep -rf patterns.txt src
#--- rg-plain [L1]: faster search
rg -n 'fn new' src
#--- diff-files [L1]: difference
diff -u old.txt new.txt
#--- diff-dirs [L1]: difference of directories
diff -rq expected actual
#--- diff-process [L1]: difference of two outputs
diff <(sort a.txt) <(sort b.txt)
#--- cmp-files [L1]: byte comparison
cmp a.bin b.bin
#--- checksum [L1]: checksum
sha256sum dist.tar.gz
#--- md5-check [L1]: checksums of many
md5sum *.txt | sort
#--- od-bytes [L1]: bytes shown
od -c header.bin | head
#--- xxd-bytes [L1]: bytes in hex
xxd -l 64 image.png
#--- strings-binary [L1]: text in a binary
strings -n 8 dist/app | grep -i version
#--- which-python [L1]: path of a program
which python3
#--- command-v-node [L1]: path of a program, portable
command -v node
#--- type-all [L1]: what a name means
type -a ls
#--- date-iso [L1]: date
date -u +%Y-%m-%dT%H:%M:%SZ
#--- env-list [L1]: environment
env | sort
#--- env-one [L1]: one variable
printenv PATH
#--- echo-path-lines [L1]: path by lines
echo "$PATH" | tr ':' '\n'
#--- uname-all [L1]: kernel
uname -a
#--- whoami-id [L1]: who
whoami; id
#--- test-file [L1]: file there
test -f Makefile && echo "has Makefile"
#--- test-bracket [L1]: bracket form
[ -d .git ] || echo "not a repository"
#--- test-double-bracket [L1]: pattern
[[ $(uname) == Linux* ]] && echo linux
#--- realpath-file [L1]: full path
realpath src/main.c
#--- basename-dirname [L1]: parts of a path
basename /usr/lib/x.so; dirname /usr/lib/x.so
#--- tar-list [L1]: members of an archive
tar tzf release.tar.gz | head -20
#--- unzip-list [L1]: members of a zip
unzip -l bundle.zip
#--- zcat-log [L1]: packed log
zcat app.log.1.gz | grep ERROR
#--- readlink-link [L1]: target of a link
readlink -f current
#--- nproc-echo [L1]: number of processors
echo "cores: $(nproc)"
#--- ps-list [L1]: processes
ps aux | grep -v grep | grep python
#--- tree-depth [L1]: tree
tree -L 2 -I node_modules
#--- head-then-tail [L1]: two reads in a chain
head -3 go.mod; echo ---; tail -3 go.sum
#--- sleep-then-list [L1]: short wait
sleep 1; ls -t | head -1
#--- true-false [L1]: nothing
true && ! false
#--- colon-noop [L1]: nothing, by colon
:
