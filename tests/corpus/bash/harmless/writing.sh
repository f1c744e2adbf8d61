exit 1 # corpus text, never to be run
#--- write-redirect [L2]: redirection
echo hello > out.txt
#--- write-append [L2]: append
date >> build.log
#--- write-subdir [L2]: into a directory
printf 'a,b\n1,2\n' > data/table.csv
#--- write-clobber [L2]: clobber form
echo new >| out.txt
#--- write-both-streams [L2]: both streams
ls src &> listing.txt
#--- write-stderr-file [L2]: errors to a file
grep -r main src 2> errors.txt
#--- write-group [L2]: output of a group
{ echo '# Notes'; date; } > notes.md
#--- write-loop [L2]: output of a loop
for i in 1 2 3; do echo "row $i"; done > rows.txt
#--- write-heredoc [L2]: here-document to a file
cat > config.yaml <<'END'
port: 8080
debug: false
END
#--- write-heredoc-variables [L2]: here-document with variables
version=1.2.3
cat <<END > version.json
{ "version": "$version", "built": "$(date -u +%F)" }
END
#--- write-heredoc-tabs [L2]: indented here-document
if [ ! -f .gitignore ]; then
	cat > .gitignore <<-END
	build/
	*.o
	END
fi
#--- write-tee [L2]: tee
ls | tee files.txt
#--- write-tee-append [L2]: tee, append
echo done | tee -a run.log
#--- write-exec-descriptor [L2]: descriptor to a file
exec 3> trace.txt
echo start >&3
exec 3>&-
#--- write-colon-empty [L2]: file emptied
: > app.log
#--- write-truncate [L2]: truncate
truncate -s 0 app.log
#--- write-sort-output [L2]: sort to a file
sort -u words.txt -o words.txt
#--- write-jq-replace [L2]: json edited through a new file
jq '.version = "2.0.0"' package.json > package.json.new && mv package.json.new package.json
#--- write-awk-file [L2]: awk output file
awk '{ print $1 > "first.txt" }' table.txt
#--- write-variable-path [L2]: path in a variable
out=reports/today.txt
echo ok > "$out"
#--- write-split [L2]: in pieces
split -l 1000 big.csv part_
#--- cp-file [L2]: copy
cp config.example.json config.json
#--- cp-dir [L2]: copy of a directory
cp -r templates build/templates
#--- cp-backup-loop [L2]: copies in a loop
for f in *.conf; do cp "$f" "$f.bak"; done
#--- cp-from-etc [L2]: copied out of the system, into the workspace
cp /etc/hosts fixtures/hosts
#--- mv-rename [L2]: rename
mv draft.md final.md
#--- mv-extension-loop [L2]: renamed in a loop
for f in *.jpeg; do mv -- "$f" "${f%.jpeg}.jpg"; done
#--- mkdir-nested [L2]: directories
mkdir -p src/{core,util} tests/unit
#--- mkdir-cd-touch [L2]: directory and file
mkdir -p demo && cd demo && touch index.html
#--- touch-files [L2]: empty files
touch a.txt b.txt
#--- ln-relative [L2]: link
ln -s ../shared/config.json config.json
#--- ln-force-current [L2]: link replaced
ln -sfn releases/v2 current
#--- chmod-x [L2]: executable
chmod +x run.sh
#--- chmod-755 [L2]: usual program mode
chmod 755 bin/tool
#--- chmod-644 [L2]: usual file mode
chmod 644 README.md
#--- chmod-600 [L2]: private
chmod 600 key.pem
#--- chmod-u-plus-rwx [L2]: all rights to the owner only
chmod u+rwx scripts/run.sh
#--- chmod-go-minus-rwx [L2]: rights taken from others
chmod go-rwx secrets.txt
#--- chmod-a-minus-w [L2]: writing taken from all
chmod -R a-w frozen
#--- chmod-770 [L2]: near the open mode
chmod 770 shared
#--- chmod-file-named-777 [L2]: number as a file name
chmod 644 777
#--- sed-i-relative [L2]: edit in place
sed -i 's/debug: true/debug: false/' config.yaml
#--- sed-i-backup [L2]: edit with a copy
sed -i.bak -e '1d' data.csv
#--- sed-i-xargs [L2]: edit of many by xargs
grep -rl oldName src | xargs sed -i 's/oldName/newName/g'
#--- sed-i-loop [L2]: edit in a loop
for f in docs/*.md; do sed -i 's/[ \t]*$//' "$f"; done
#--- patch-file [L2]: patch
patch -p1 < fix.patch
#--- diff-to-patch [L2]: difference kept
diff -u a.txt b.txt > change.patch || true
#--- dd-file [L2]: dd between files
dd if=input.bin of=head.bin bs=512 count=1
#--- dd-zero-file [L2]: test file of zeros
dd if=/dev/zero of=blank.img bs=1M count=4 status=none
#--- install-relative [L2]: install into the workspace
install -m 644 app.conf build/app.conf
#--- cp-archive-contents [L2]: contents of a directory copied
cp -a assets/. public/assets/
#--- tar-create [L2]: archive made
tar czf release.tar.gz src README.md
#--- tar-extract [L2]: archive extracted
tar xzf vendor.tar.gz
#--- tar-extract-dir [L2]: into a directory
mkdir -p vendor && tar -xf vendor.tar -C vendor --strip-components=1
#--- unzip-into [L2]: zip extracted
unzip -q -o assets.zip -d assets
#--- zip-dir [L2]: zip made
zip -r site.zip public -x '*.map'
#--- gzip-keep [L2]: packed
gzip -k app.log
#--- gunzip-file [L2]: unpacked
gunzip data.json.gz
#--- tar-pipe-copy [L2]: copy by two tars
tar cf - src | tar xf - -C backup
#--- base64-to-file [L2]: decoded to a file
base64 -d logo.b64 > logo.png
#--- mktemp-write [L2]: temporary file
tmp=$(mktemp)
sort names.txt > "$tmp"
mv "$tmp" names.txt
#--- git-add [L2]: add
git add -A
#--- git-commit [L2]: commit
git commit -m "Add parser"
#--- git-add-commit [L2]: add and commit
git add src tests && git commit -q -m 'Fix off-by-one in pager'
#--- git-commit-amend [L2]: amended
git commit --amend --no-edit
#--- git-checkout-new [L2]: new branch
git checkout -b feature/search
#--- git-checkout-file [L2]: file restored
git checkout -- src/app.py
#--- git-checkout-main [L2]: main checked out, not pushed
git checkout main
#--- git-commit-heredoc [L2]: message by here-document
git commit -F - <<'END'
Rework cache

Entries now expire after an hour.
END
#--- git-commit-push-word [L2]: push only in the message
git commit -m "Document git push origin main"
#--- git-commit-rm-word [L2]: rm only in the message
git commit -am "Stop calling rm -rf / in cleanup"
#--- git-commit-sudo-word [L2]: sudo only in the message
git commit -m 'docs: replace "sudo apt install" by nix'
#--- git-add-file-main [L2]: files with protected names
git add main master.c release/notes.md
#--- rm-one-file [L2]: one file
rm notes.tmp
#--- rm-f-object [L2]: one object file
rm -f build/out.o
#--- rm-several [L2]: several named files
rm -f a.log b.log coverage.xml
#--- rm-rf-build [L2]: named relative directory
rm -rf build
#--- rm-rf-dot-slash [L2]: named relative directory, dotted
rm -rf ./dist
#--- rm-rf-trailing [L2]: named relative directory with a slash
rm -rf target/
#--- rm-rf-several [L2]: several named directories
rm -rf dist coverage .pytest_cache
#--- rm-rf-nested [L2]: nested directory
rm -rf packages/web/node_modules/.cache
#--- rm-rf-double-dash [L2]: after end of options
rm -rf -- build/tmp
#--- rm-long-flags-build [L2]: long flags, named directory
rm --recursive --force out
#--- rm-rf-dot-name [L2]: hidden named directory
rm -rf .cache
#--- rm-rf-dots-in-name [L2]: dots inside a name
rm -rf build..old
#--- rm-rf-tilde-in-name [L2]: tilde at the end of a name
rm -rf backup~
#--- rm-rf-quoted-space [L2]: quoted name with a space
rm -rf "old build"
#--- rm-rf-relative-usr [L2]: relative directory with a system name
rm -rf stage/usr/lib
#--- rm-rf-relative-etc [L2]: relative etc and home
rm -rf ./etc rootfs/home
#--- rm-rf-inner-parent [L2]: parent step that stays inside
rm -rf build/../dist
#--- rm-rf-mktemp [L2]: temporary directory of the same script
TMP=$(mktemp -d)
ls "$TMP"
rm -rf "$TMP"
#--- rm-rf-mktemp-backticks [L2]: the same by backticks
work=`mktemp -d`
cp a.txt "$work"
rm -rf "$work"
#--- rm-rf-mktemp-trap [L2]: removed by a trap
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cp data.csv "$tmp/"
sort "$tmp/data.csv"
#--- rm-rf-mktemp-function [L2]: removed by a function in a trap
work=$(mktemp -d)
cleanup() { rm -rf "$work"; }
trap cleanup EXIT
echo hi > "$work/x"
#--- rm-rf-known-variable [L2]: variable with a relative value
TMP=build/tmp
rm -rf "$TMP"
#--- rm-rf-known-subdir [L2]: below a known variable
OUT=dist
rm -rf "$OUT/assets" && mkdir -p "$OUT/assets"
#--- rm-rf-guarded [L2]: guarded variable
rm -rf "${OUT:?}"/x
#--- rm-rf-guarded-message [L2]: guarded variable with a message
rm -rf "${BUILD_DIR:?not set}/cache"
#--- rm-rf-default-relative [L2]: relative default for a known variable
dir=out
rm -rf "${dir:-build}"
#--- rm-rf-loop-named [L2]: loop over named directories
for d in build dist .cache; do rm -rf "$d"; done
#--- rm-rf-array-named [L2]: array of named directories
stale=(build dist)
rm -rf "${stale[@]}"
#--- rm-rf-function-named [L2]: function with a named directory
clean() { rm -rf build; }
clean
#--- rm-rf-function-argument-named [L2]: function given a named directory
drop() { rm -rf "$1"; }
drop build
#--- rm-rf-if-exists [L2]: after a test
[ -d build ] && rm -rf build
#--- rm-rf-rebuild [L2]: fresh directory
rm -rf public && mkdir public && cp index.html public/
#--- rm-rf-concat-named [L2]: joined relative name
n=3
rm -rf "run-$n"
#--- rm-rf-subshell-cd [L2]: inside a relative directory
(cd web && rm -rf node_modules)
#--- find-delete-named [L2]: find deleting in a named relative directory
find build -name '*.o' -delete
#--- rmdir-empty [L2]: empty directory
rmdir old
#--- rm-file-called-root [L2]: file names that look like places
rm -f home root etc.txt
