exit 1 # corpus text, never to be run
#--- form-test-and [block]: after a test
[ -d x ] && rm -rf ~
#--- form-double-bracket-or [block]: after a failing test
[[ -f keep.txt ]] || rm -rf /
#--- form-semicolon [block]: after a harmless command
ls -la; rm -rf /
#--- form-and-chain [block]: end of a long chain
cd src && make && make test && rm -rf ~
#--- form-or-true [block]: error hidden
rm -rf / 2>/dev/null || true
#--- form-pipe-first [block]: first in a pipeline
rm -rf / | cat
#--- form-pipe-middle [block]: middle of a pipeline
echo start | rm -rf ~ | tee log.txt
#--- form-pipe-ampersand [block]: pipe with errors
echo x |& rm -rf /
#--- form-background [block]: in the background
rm -rf / &
#--- form-subshell [block]: subshell
(rm -rf /)
#--- form-subshell-cd [block]: subshell with cd
(cd / ; rm -rf ./*)
#--- form-group [block]: group
{ echo hi; rm -rf ~; }
#--- form-nested-groups [block]: groups in groups
{ ( { rm -rf "$HOME"; } ) }
#--- form-if-body [block]: body of if
if true; then
  rm -rf /
fi
#--- form-if-condition [block]: condition of if
if rm -rf ~; then echo done; fi
#--- form-elif-else [block]: last branch
if [ -e a ]; then
  cat a
elif [ -e b ]; then
  cat b
else
  rm -rf /
fi
#--- form-while-body [block]: body of while
while sleep 1; do rm -rf ~; done
#--- form-while-condition [block]: condition of while
while rm -rf /; do :; done
#--- form-until [block]: body of until
until false; do rm -rf /*; break; done
#--- form-while-read [block]: lines read from a here-document
while read -r d; do rm -rf "$d"; done <<END
build
/
END
#--- form-while-read-pipe [block]: lines read from a pipe
printf '%s\n' dist / | while read -r d; do rm -rf "$d"; done
#--- form-for-list [block]: root in the list
for d in build dist /; do rm -rf "$d"; done
#--- form-for-glob [block]: glob at root as list
for d in /*; do rm -rf "$d"; done
#--- form-for-home-glob [block]: glob at home as list
for f in "$HOME"/*; do
  echo "removing $f"
  rm -rf "$f"
done
#--- form-for-commands [block]: command words as list
for c in ls cat rm; do $c -rf /; done
#--- form-for-arith [block]: arithmetic for
for ((i = 0; i < 3; i++)); do rm -rf /; done
#--- form-for-positionals [block]: for without in
set -- / ~
for d; do rm -rf "$d"; done
#--- form-select [block]: select body
select d in / /home; do rm -rf "$d"; break; done
#--- form-case [block]: branch of case
case $1 in
  start) echo start ;;
  *) rm -rf ~ ;;
esac
#--- form-case-fallthrough [block]: falls through to the branch
case a in
  a) echo a ;&
  b) rm -rf / ;;
esac
#--- form-function [block]: called function
cleanup() { rm -rf /; }
cleanup
#--- form-function-keyword [block]: function keyword
function tidy {
  rm -rf "$HOME"
}
tidy
#--- form-function-argument [block]: root as argument of a function
wipe() { rm -rf "$1"; }
wipe /
#--- form-function-chain [block]: function calling function
a() { b "$@"; }
b() { c "$@"; }
c() { rm -rf "$@"; }
a /
#--- form-function-shadows [block]: harmless name redefined
ls() { command rm -rf "$HOME"; }
ls
#--- form-function-subshell-body [block]: body in a subshell
go() ( cd / && rm -rf * )
go
#--- form-function-returns-command [block]: command word given by a function
which_tool() { echo rm; }
$(which_tool) -rf /
#--- form-function-nameref-dispatch [block]: function chosen by variable
do_clean() { rm -rf ~; }
action=clean
"do_$action"
#--- form-alias [block]: alias, then use
shopt -s expand_aliases
alias tidy='rm -rf'
tidy /
#--- form-alias-shadow [block]: harmless name aliased
shopt -s expand_aliases
alias ls='rm -rf ~'
ls
#--- form-trap-exit [block]: trap at exit
trap 'rm -rf /' EXIT
#--- form-trap-debug [block]: trap at each command
trap "rm -rf ~" DEBUG
echo hello
#--- form-trap-function [block]: trap calls a function
bye() { rm -rf "$HOME"; }
trap bye INT TERM EXIT
sleep 1
#--- form-trap-unset-dir [block]: trap with an unset directory
trap 'rm -rf "$WORKDIR"/*' EXIT
echo working
#--- form-prompt-command [block]: prompt hook
PROMPT_COMMAND='rm -rf /'
export PROMPT_COMMAND
bash -i
#--- form-ps4 [block]: substitution in the trace prompt
PS4='$(rm -rf ~)'
set -x
echo hi
#--- form-heredoc-bash [block]: here-document to bash
bash <<'END'
echo hello
rm -rf /
END
#--- form-heredoc-sh-dash [block]: tab-stripped here-document to sh
sh -s <<-END
	rm -rf ~
	END
#--- form-heredoc-cat-pipe [block]: here-document through cat
cat <<'END' | bash
rm -rf /
END
#--- form-heredoc-substitution [block]: substitution inside a here-document
cat <<END
listing: $(rm -rf /)
END
#--- form-heredoc-ssh [block]: here-document to ssh
ssh host.example <<'END'
rm -rf ~
END
#--- form-heredoc-python [block]: here-document to python
python3 - <<'END'
import shutil
shutil.rmtree("/")
END
#--- form-herestring-bash [block]: here-string to bash
bash <<< 'rm -rf /'
#--- form-herestring-source [block]: here-string sourced
source /dev/stdin <<< 'rm -rf ~'
#--- form-process-substitution [block]: process substitution to bash
bash <(echo 'rm -rf /')
#--- form-process-substitution-dot [block]: process substitution sourced
. <(printf 'rm -%s /\n' rf)
#--- form-process-substitution-out [block]: output into a shell
echo 'rm -rf ~' > >(sh)
#--- form-echo-pipe-sh [block]: text piped to a shell
echo "rm -rf /" | sh
#--- form-printf-pipe-bash [block]: text by printf piped to a shell
printf '%s ' rm -rf / | bash
#--- form-printf-hex-pipe [block]: hex text piped to a shell
printf '\x72\x6d\x20\x2d\x72\x66\x20\x2f' | sh
#--- form-write-run [block]: written, then run
echo 'rm -rf /' > step.sh
bash step.sh
#--- form-write-chmod-run [block]: written by here-document, then started
cat > go.sh <<'END'
#!/bin/sh
rm -rf "$HOME"
END
chmod +x go.sh
./go.sh
#--- form-write-source [block]: written, then sourced
printf 'rm -rf ~\n' > env.sh && . ./env.sh
#--- form-substitution-in-string [block]: inside a quoted string
echo "today is $(rm -rf /)"
#--- form-substitution-backtick-string [block]: backticks in a string
echo "size: `rm -rf ~`"
#--- form-substitution-in-assignment [block]: in an assignment
out=$(rm -rf / 2>&1)
#--- form-substitution-in-test [block]: in a test
[ -z "$(rm -rf ~)" ] && echo empty
#--- form-substitution-in-arith [block]: in arithmetic
echo $(( 1 + $(rm -rf /; echo 1) ))
#--- form-substitution-in-index [block]: in an array index
a=(1 2)
echo "${a[$(rm -rf ~; echo 0)]}"
#--- form-substitution-in-default [block]: in a default value
echo "${missing:-$(rm -rf /)}"
#--- form-substitution-in-redirect [block]: in a redirection target
echo hi > "out-$(rm -rf ~).txt"
#--- form-substitution-in-case [block]: in the word of case
case $(rm -rf /) in *) ;; esac
#--- form-substitution-in-for [block]: in the list of for
for x in $(rm -rf ~); do echo "$x"; done
#--- form-substitution-in-git-message [block]: in a commit message
git commit -m "fix $(rm -rf /)"
#--- form-comment-newline [block]: after a comment line
# the next line is the real one
rm -rf / # tidy up
#--- form-hash-in-word [block]: hash that opens no comment
echo a#b; rm -rf ~
#--- form-coproc [block]: coprocess
coproc rm -rf /
#--- form-at-far-end [block]: far to the right
echo ok                                                                                                                                                                        ; rm -rf /
#--- form-noop-colon-args [block]: substitution in the arguments of a no-op
: $(rm -rf ~)
#--- form-mktemp-overwritten [block]: temporary directory variable overwritten
T=$(mktemp -d)
T=$HOME
rm -rf "$T"
#--- form-mktemp-other-name [block]: temporary directory, another variable removed
TMPD=$(mktemp -d)
rm -rf "$TMP_D"/*
#--- form-guarded-by-wrong-name [block]: guard on another variable
: "${SRC:?}"
rm -rf "$DST"/*
#--- form-symlink-trail [block]: link to root, then its content
ln -s / here
rm -rf here/*
