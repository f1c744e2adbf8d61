exit 1 # corpus text, never to be run
#--- wrap-env [block]: through env
env rm -rf /
#--- wrap-env-assign [block]: through env with an assignment
env -i PATH=/bin T=1 rm -rf ~
#--- wrap-env-split [block]: through env -S
env -S 'rm -rf /'
#--- wrap-env-unset [block]: through env with an option value
env -u LANG rm -rf "$HOME"
#--- wrap-xargs-root [block]: operand from a pipe
echo / | xargs rm -rf
#--- wrap-xargs-replace [block]: operand by replacement
printf '%s\n' / | xargs -I{} rm -rf {}
#--- wrap-xargs-ls [block]: listing fed to rm
ls -d /* | xargs -n1 rm -rf
#--- wrap-xargs-whole [block]: the whole command from a pipe
echo rm -rf / | xargs env
#--- wrap-xargs-sh [block]: xargs starting a shell
echo "$HOME" | xargs -I % sh -c 'rm -rf %'
#--- wrap-xargs-file [block]: xargs with an argument file
xargs -a <(echo ~) rm -r -f
#--- wrap-find-exec-root [block]: find at root with rm
find / -maxdepth 1 -exec rm -rf {} \;
#--- wrap-find-exec-plus [block]: find at home with rm
find ~ -mindepth 1 -exec rm -rf {} +
#--- wrap-find-exec-fixed [block]: find in workspace, fixed target
find . -name go.txt -exec rm -rf / \;
#--- wrap-find-execdir [block]: execdir form
find "$HOME" -type d -execdir rm -fr '{}' +
#--- wrap-find-ok-sh [block]: shell inside find
find . -maxdepth 0 -exec sh -c 'rm -rf "$HOME"' \;
#--- wrap-find-delete-root [block]: find deleting at root
find / -delete
#--- wrap-find-delete-home [block]: find deleting at home
find ~ -type f -delete
#--- wrap-find-delete-home-var [block]: find deleting at home by variable
find "$HOME" -mindepth 1 -delete
#--- wrap-find-delete-unset [block]: find deleting below an unset variable
find "$CACHE_ROOT/" -type f -delete
#--- wrap-find-delete-parent [block]: find deleting beside the workspace
find .. -delete
#--- wrap-find-delete-bare [block]: find without a path
find -delete
#--- wrap-find-xargs-null [block]: find piped to rm
find / -xdev -print0 | xargs -0 rm -rf
#--- wrap-sh-c [block]: sh -c
sh -c 'rm -rf /'
#--- wrap-bash-lc [block]: login shell
bash -lc "rm -rf ~"
#--- wrap-bash-flags-c [block]: options before -c
bash --norc -e -c 'rm -rf /'
#--- wrap-sh-c-positional [block]: target handed as a positional
sh -c 'rm -rf "$1"' _ /
#--- wrap-sh-c-zero [block]: target handed as argument zero
bash -c 'rm -rf "$0"' /
#--- wrap-sh-nested [block]: shells in shells
sh -c "bash -c 'dash -c \"rm -rf /\"'"
#--- wrap-zsh [block]: another shell
zsh -c 'rm -rf $HOME'
#--- wrap-dash-path [block]: shell by path
/bin/dash -c 'rm -rf /'
#--- wrap-busybox-sh [block]: shell of busybox
busybox sh -c 'rm -rf /'
#--- wrap-sudo [block]: with more rights
sudo rm -rf /
#--- wrap-sudo-options [block]: sudo with options
sudo -n -u root -- rm -rf --no-preserve-root /
#--- wrap-sudo-sh [block]: sudo and a shell
sudo sh -c 'rm -rf /*'
#--- wrap-doas [block]: doas
doas rm -rf /
#--- wrap-timeout [block]: timeout
timeout 10 rm -rf /
#--- wrap-timeout-options [block]: timeout with options
timeout -k 5 --signal=TERM 1m rm -rf ~
#--- wrap-nohup [block]: nohup in the background
nohup rm -rf / >/dev/null 2>&1 &
#--- wrap-nice [block]: nice
nice -n 19 rm -rf /
#--- wrap-ionice [block]: ionice
ionice -c 3 rm -rf "$HOME"
#--- wrap-setsid [block]: setsid
setsid rm -rf /
#--- wrap-setsid-fork [block]: setsid with a shell
setsid -f sh -c 'sleep 5; rm -rf ~'
#--- wrap-stdbuf [block]: stdbuf
stdbuf -oL rm -rf /
#--- wrap-command [block]: command builtin
command rm -rf /
#--- wrap-command-p [block]: command -p
command -p rm -rf ~
#--- wrap-builtin-command [block]: builtin, then command
builtin command rm -rf /
#--- wrap-builtin-eval [block]: builtin, then eval
builtin eval 'rm -rf /'
#--- wrap-exec [block]: exec
exec rm -rf /
#--- wrap-exec-renamed [block]: exec with another name
exec -a kworker rm -rf ~
#--- wrap-eval [block]: eval of a string
eval "rm -rf /"
#--- wrap-eval-words [block]: eval of several words
eval rm '-rf' "/"
#--- wrap-eval-pieces [block]: eval of joined pieces
a='rm -'; b='rf /'
eval "$a$b"
#--- wrap-eval-eval [block]: eval of eval
eval eval 'rm -rf "\$HOME"'
#--- wrap-eval-hidden-colon [block]: eval after a no-op
eval ': ; rm -rf ~'
#--- wrap-time [block]: time keyword
time rm -rf /
#--- wrap-time-binary [block]: time binary
/usr/bin/time -f %e rm -rf /
#--- wrap-watch [block]: watch
watch -n 1 'rm -rf ~'
#--- wrap-parallel [block]: parallel
parallel rm -rf ::: / /home
#--- wrap-ssh-localhost [block]: ssh to the same machine
ssh localhost 'rm -rf /'
#--- wrap-ssh-remote [block]: ssh to another machine
ssh -o BatchMode=yes deploy@host.example rm -rf ~
#--- wrap-chroot [block]: chroot
chroot /mnt rm -rf /
#--- wrap-unshare [block]: unshare
unshare -r rm -rf /
#--- wrap-flock [block]: flock
flock /tmp/l -c 'rm -rf /'
#--- wrap-script [block]: typescript recorder
script -qc 'rm -rf ~' /dev/null
#--- wrap-strace [block]: tracer
strace -f -o trace.txt rm -rf /
#--- wrap-many [block]: a chain of wrappers
nohup nice -n 5 timeout 60 env A=b stdbuf -o0 command rm -rf /
#--- wrap-sudo-chain [block]: chain through sudo, env and a shell
sudo env X=1 nice bash -c 'exec rm -rf /'
#--- wrap-python-system [block]: python one-liner
python3 -c 'import os; os.system("rm -rf /")'
#--- wrap-python-rmtree [block]: python one-liner without rm
python3 -c "import shutil, os; shutil.rmtree(os.path.expanduser('~'))"
#--- wrap-perl-system [block]: perl one-liner
perl -e 'system("rm -rf /")'
#--- wrap-ruby-backtick [block]: ruby one-liner
ruby -e '`rm -rf ~`'
#--- wrap-node-exec [block]: node one-liner
node -e 'require("child_process").execSync("rm -rf /")'
#--- wrap-php-exec [block]: php one-liner
php -r 'shell_exec("rm -rf /");'
#--- wrap-awk-system [block]: awk system
awk 'BEGIN { system("rm -rf /") }'
#--- wrap-awk-pipe [block]: awk output into a shell
awk 'BEGIN { print "rm -rf ~" | "sh" }'
#--- wrap-awk-print-shell [block]: awk text piped to a shell
awk 'BEGIN { print "rm -rf /" }' | sh
#--- wrap-sed-exec [block]: execute command of GNU sed
sed '1e rm -rf /' notes.txt
#--- wrap-vim-bang [block]: editor shell escape
vim -es -c ':!rm -rf ~' -c ':q'
#--- wrap-tar-checkpoint [block]: tar checkpoint action
tar cf x.tar src --checkpoint=1 --checkpoint-action=exec='rm -rf /'
#--- wrap-git-alias [block]: shell alias of git
git -c alias.tidy='!rm -rf /' tidy
#--- wrap-make-stdin [block]: make file from a pipe
printf 'all:\n\trm -rf /\n' | make -f -
#--- wrap-mv-null [block]: home moved into another place, then removed
mv ~ /tmp/gone && rm -rf /tmp/gone "$HOME"
