exit 1 # corpus text, never to be run
#--- quote-backslash-mid [block]: backslash in the command word
r\m -rf /
#--- quote-backslash-first [block]: backslash before the command word
\rm -rf ~
#--- quote-double [block]: double-quoted command word
"rm" -rf /
#--- quote-single [block]: single-quoted command word
'rm' -rf /
#--- quote-split-single [block]: two quoted halves
'r''m' -rf /
#--- quote-split-mixed [block]: halves in different quotes
"r"'m' -"r"f /
#--- quote-empty-inside [block]: empty quotes inside the word
r""m -r''f /
#--- quote-ansi-hex [block]: hex escape
$'\x72m' -rf /
#--- quote-ansi-octal [block]: octal escapes for the whole word
$'\162\155' $'\55rf' $'\57'
#--- quote-ansi-unicode [block]: unicode escape
$'\u0072\u006d' -rf ~
#--- quote-locale [block]: locale-translated string
$"rm" -rf /
#--- quote-flag [block]: quoted flags
rm "-rf" '/'
#--- quote-flag-backslash [block]: backslashes in flags and target
rm \-\r\f \/
#--- quote-target-ansi [block]: target by escape
rm -rf $'\x2f'
#--- quote-target-split [block]: target in quoted pieces
rm -rf "/"'e''t'"c"
#--- quote-line-join [block]: word split over a line continuation
r\
m -r\
f /
#--- quote-empty-expansion [block]: unset variable inside the word
r${nothing}m -rf /
#--- quote-positional-empty [block]: empty positional inside the word
r$@m -r$*f /
#--- quote-empty-substitution [block]: empty command substitution inside
r$(true)m -rf ~
#--- quote-empty-backticks [block]: empty backticks inside
r``m -r``f /
#--- var-target [block]: target in a variable
D=/; rm -rf $D
#--- var-target-quoted [block]: quoted target variable
target="/"
rm -rf "$target"
#--- var-command-with-flags [block]: command and flags in a variable
CMD="rm -rf"; $CMD /
#--- var-whole-command [block]: everything in one variable
x='rm -rf /'
$x
#--- var-command-word [block]: command word alone in a variable
tool=rm
$tool -rf "$HOME"
#--- var-flags [block]: flags in a variable
opts=-rf
rm $opts ~
#--- var-concat-command [block]: command joined from two variables
a=r; b=m
$a$b -rf /
#--- var-concat-append [block]: command built by append
c=r
c+=m
c+=' -rf'
$c /
#--- var-concat-target [block]: target joined from pieces
p=/; q=usr
rm -rf "$p$q"
#--- var-chain [block]: three hops to root
one=/
two=$one
three="$two"
rm -rf "$three"
#--- var-reassigned [block]: safe at first, root in the end
dir=build
dir=/
rm -rf "$dir"
#--- var-reassigned-in-branch [block]: one branch makes it root
dir=build
if [ -n "$CI" ]; then dir=/; fi
rm -rf "$dir"
#--- var-array [block]: command in an array
cmd=(rm -rf /)
"${cmd[@]}"
#--- var-array-appended [block]: array filled step by step
args=(-r)
args+=(-f)
args+=("$HOME")
rm "${args[@]}"
#--- var-array-element [block]: element of an array as target
dirs=(build / dist)
rm -rf "${dirs[1]}"
#--- var-assoc-array [block]: target in an associative array
declare -A place=([top]=/ [out]=build)
rm -rf "${place[top]}"
#--- var-indirect [block]: indirect expansion
victim=/
name=victim
rm -rf "${!name}"
#--- var-nameref [block]: name reference
root=/
declare -n ref=root
rm -rf "$ref"
#--- var-substring [block]: letters cut from a string
s=xrmx
${s:1:2} -rf /
#--- var-replace [block]: letters replaced in a string
s='qm -qf /'
${s//q/r}
#--- var-strip-suffix [block]: suffix stripped, root remains
p=/usr
rm -rf "${p%usr}"
#--- var-lowercase [block]: case folding gives the command
K='RM -RF'
${K,,} /
#--- var-default-root [block]: default value is root
rm -rf "${TARGET:-/}"
#--- var-default-home [block]: default value is home
rm -rf "${WORK_AREA:-$HOME}"
#--- var-assign-default [block]: assigned default, used later
: "${SCRATCH:=/}"
rm -rf "$SCRATCH"
#--- var-alternate [block]: alternate value
x=1
rm -rf "${x:+/}"
#--- var-path-slice [block]: slash cut out of another variable
rm -rf "${HOME:0:1}"
#--- var-printf-v [block]: built by printf -v
printf -v c '%s%s' r m
"$c" -rf /
#--- var-printf-octal [block]: built by printf escapes
$(printf '\162\155') -rf /
#--- var-read-herestring [block]: read from a here-string
read -r c f t <<< "rm -rf /"
$c $f $t
#--- var-mapfile [block]: read into an array from a here-document
mapfile -t w <<'END'
rm
-rf
/
END
"${w[@]}"
#--- var-set-positional [block]: positionals set, then run
set -- rm -rf /
"$@"
#--- var-export-sh [block]: handed to a child by the environment
export WHERE=/
sh -c 'rm -rf "$WHERE"'
#--- var-prefix-sh [block]: handed to a child by a prefix
T=/ bash -c 'rm -rf $T'
#--- var-substitution-echo [block]: command word by echo
$(echo rm) -rf /
#--- var-substitution-target [block]: target by echo
rm -rf $(echo /)
#--- var-substitution-dirname [block]: target by dirname
rm -rf "$(dirname /usr)"
#--- var-substitution-rev [block]: reversed text run as a command
$(echo '/ fr- mr' | rev)
#--- var-substitution-tr [block]: shifted letters run as a command
$(echo 'sn -sg /' | tr 'sng' 'rmf')
#--- var-substitution-which [block]: path looked up first
"$(which rm)" -rf ~
#--- var-substitution-command-v [block]: path by command -v
R=$(command -v rm)
"$R" -rf "$HOME"
#--- var-backticks-nested [block]: nested backticks
`echo \`echo rm\`` -rf /
#--- var-brace-command [block]: brace expansion makes the command
{rm,-rf,/}
#--- var-ifs-separator [block]: IFS for the spaces
rm${IFS}-rf${IFS}/
#--- var-ifs-custom [block]: own separator
IFS=,
c='rm,-rf,/'
$c
#--- var-unset-slash [block]: unset variable and a slash
rm -rf $UNSET_VARIABLE/
#--- var-unset-glob [block]: unset variable and a glob
rm -rf "$BUILD_ROOT"/*
#--- var-unset-subdir [block]: unset prefix before a system name
rm -rf "$PREFIX/lib"
#--- var-unset-braced [block]: braced unset variable
rm -rf ${STEAM_ROOT}/
#--- var-emptied [block]: emptied before use
out=
rm -rf "$out"/*
#--- var-unset-builtin [block]: unset before use
out=build
unset out
rm -rf "$out/"
#--- var-empty-default [block]: empty default
rm -rf "${OUT:-}"/*
#--- var-positional [block]: first parameter may be empty
rm -rf "$1"/*
#--- var-positional-slash [block]: first parameter and a slash
rm -rf $1/
#--- var-positional-copied [block]: parameter copied to a variable
dest=$1
rm -rf "$dest"/*
#--- var-function-positional [block]: parameter of a function called bare
wipe() { rm -rf "$1"/*; }
wipe
#--- var-local-unset [block]: local without value
clean() {
  local dir
  rm -rf "$dir"/
}
clean
#--- var-failing-substitution [block]: command output may be empty
base=$(cat .build-path 2>/dev/null)
rm -rf "$base"/*
#--- var-misspelt [block]: assigned under another spelling
BUILD_DIR=out
rm -rf "$BUILDDIR"/*
#--- var-read-from-user [block]: read from input, may be empty
read -r folder
rm -rf "$folder"/*
#--- var-arithmetic-letter [block]: letter by arithmetic and printf
l=$(printf "\\$(printf %o $((110+4)))")
${l}m -rf /
#--- default-in-backquotes [block]: backquotes in a default
echo "${x:-`rm -rf /`}"
#--- letters-by-awk [block]: letters by their numbers
c=$(awk 'BEGIN{printf "%c%c",114,109}')
$c -rf /
#--- slash-by-yes [block]: yes says what goes
yes / | xargs rm -rf
#--- blank-between-variables [block]: a command in three variables
a=rm; b=-rf; c=/
eval "${a} ${b} ${c}"
#--- blank-in-string [block]: put together in quotes
x=rm; y='-rf /'
z="$x $y"
$z
