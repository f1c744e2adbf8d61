exit 1 # corpus text, never to be run
#--- chmod-777-file [block]: plain
chmod 777 script.sh
#--- chmod-0777 [block]: leading zero
chmod 0777 data
#--- chmod-00777 [block]: two leading zeros
chmod 00777 data
#--- chmod-1777 [block]: with the sticky bit
chmod 1777 shared
#--- chmod-4777 [block]: with set-user-id
chmod 4777 tool
#--- chmod-777-recursive [block]: recursive
chmod -R 777 .
#--- chmod-777-recursive-after [block]: recursive flag at the end
chmod 777 src -R
#--- chmod-777-recursive-long [block]: long flag
chmod --recursive 777 /var/www
#--- chmod-777-root [block]: root
chmod -R 777 /
#--- chmod-777-bundle [block]: bundled flags
chmod -vR 0777 uploads
#--- chmod-a-plus-rwx [block]: symbolic for all
chmod a+rwx file.txt
#--- chmod-a-equals-rwx [block]: symbolic assignment
chmod a=rwx file.txt
#--- chmod-ugo-plus-rwx [block]: all three classes named
chmod ugo+rwx file.txt
#--- chmod-ugo-order [block]: letters in another order
chmod -R ogu=xwr public
#--- chmod-clauses [block]: three clauses
chmod u=rwx,g=rwx,o=rwx run.sh
#--- chmod-clauses-plus [block]: clauses that add up
chmod u+rwx,go+rwx run.sh
#--- chmod-repeated-operators [block]: repeated operators
chmod a+r+w+x run.sh
#--- chmod-777-quoted [block]: quoted mode
chmod "777" 'run.sh'
#--- chmod-777-split-quotes [block]: mode in pieces
chmod 7'7'"7" run.sh
#--- chmod-777-backslash [block]: backslashes in command and mode
ch\mod \777 run.sh
#--- chmod-777-variable [block]: mode in a variable
MODE=777
chmod "$MODE" run.sh
#--- chmod-777-concat [block]: mode joined
m=7
chmod $m$m$m run.sh
#--- chmod-777-default [block]: mode by default value
chmod "${PERM:-777}" out
#--- chmod-777-arith [block]: mode by arithmetic
chmod $((700 + 77)) out
#--- chmod-777-command-variable [block]: command in a variable
c='chmod -R 777'
$c logs
#--- chmod-777-double-dash [block]: end of options
chmod -- 777 run.sh
#--- chmod-777-full-path [block]: by path
/bin/chmod 777 run.sh
#--- chmod-777-busybox [block]: busybox
busybox chmod 777 run.sh
#--- chmod-777-find-exec [block]: find with chmod
find . -type d -exec chmod 777 {} +
#--- chmod-777-xargs [block]: xargs with chmod
git ls-files | xargs chmod 777
#--- chmod-777-loop [block]: in a loop
for f in *.sh; do chmod 0777 "$f"; done
#--- chmod-777-sh-c [block]: in a shell
sh -c 'chmod 777 key.pem'
#--- chmod-777-eval [block]: in eval
eval 'chmod a+rwx key.pem'
#--- chmod-777-function [block]: in a function
open_all() { chmod -R "$1" .; }
open_all 777
#--- chmod-777-chain [block]: between harmless commands
mkdir -p cache && chmod 777 cache && ls -ld cache
#--- chmod-777-sudo [block]: sudo
sudo chmod -R 777 /etc
#--- chmod-777-heredoc [block]: here-document to sh
sh <<END
chmod 777 run.sh
END
#--- chmod-777-python-system [block]: by a python one-liner
python3 -c 'import os; os.system("chmod -R 777 .")'
#--- umask-open [block]: whatever is made is open
umask 000
touch shared
#--- acl-open [block]: everybody else, by a list
setfacl -m o::rwx shared
