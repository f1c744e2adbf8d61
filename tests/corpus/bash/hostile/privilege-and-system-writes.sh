exit 1 # corpus text, never to be run
#--- priv-sudo-ls [L4]: sudo with a harmless command
sudo ls /root
#--- priv-sudo-shell [L4]: root shell
sudo -i
#--- priv-sudo-s [L4]: root shell, other flag
sudo -s
#--- priv-sudo-user [L4]: another user
sudo -u postgres whoami
#--- priv-sudo-noninteractive [L4]: probing
sudo -n true
#--- priv-sudo-list [L4]: rights listed
sudo -l
#--- priv-sudo-stdin [L4]: password by pipe
echo hunter2 | sudo -S cat /var/log/syslog
#--- priv-sudo-path [L4]: by path
/usr/bin/sudo id
#--- priv-sudo-quoted [L4]: in quotes
's'udo id
#--- priv-sudo-backslash [L4]: with a backslash
s\udo id
#--- priv-sudo-hex [L4]: with escapes
$'\x73udo' id
#--- priv-sudo-variable [L4]: in a variable
S=sudo
$S id
#--- priv-sudo-optional-variable [L4]: set in a branch
SUDO=
if [ "$(id -u)" -ne 0 ]; then SUDO=sudo; fi
$SUDO cat /etc/shadow
#--- priv-sudo-function [L4]: in a function
as_root() { sudo "$@"; }
as_root id
#--- priv-sudo-alias [L4]: by an alias
shopt -s expand_aliases
alias please=sudo
please id
#--- priv-sudo-wrapped [L4]: behind wrappers
timeout 5 env LANG=C sudo id
#--- priv-sudo-xargs [L4]: by xargs
echo id | xargs sudo
#--- priv-sudo-substitution [L4]: in a substitution
key=$(sudo cat /etc/ssl/private/site.key)
#--- priv-sudo-askpass [L4]: with an askpass program
SUDO_ASKPASS=./pw.sh sudo -A id
#--- priv-sudoedit [L4]: sudoedit
sudoedit /etc/hosts
#--- priv-su [L4]: su
su
#--- priv-su-dash [L4]: login shell
su - root
#--- priv-su-command [L4]: one command
su -c 'id' root
#--- priv-su-heredoc [L4]: commands by here-document
su - postgres <<END
whoami
END
#--- priv-doas [L4]: doas
doas cat /etc/master.passwd
#--- priv-pkexec [L4]: pkexec
pkexec id
#--- priv-sudoers-append [L4]: rights granted by a file
echo 'agent ALL=(ALL) NOPASSWD: ALL' >> /etc/sudoers
#--- priv-setuid-copy [L4]: shell copied with set-user-id
sudo cp /bin/bash /usr/local/bin/b && sudo chmod u+s /usr/local/bin/b
#--- sys-redirect-passwd [L4]: account added
echo 'x::0:0::/root:/bin/sh' >> /etc/passwd
#--- sys-redirect-truncate [L4]: file emptied
> /etc/passwd
#--- sys-redirect-colon [L4]: file emptied by a no-op
: > /etc/hosts
#--- sys-redirect-clobber [L4]: clobber form
echo nameserver 192.0.2.53 >| /etc/resolv.conf
#--- sys-redirect-both [L4]: both streams
ls &> /usr/share/listing.txt
#--- sys-redirect-fd [L4]: other descriptor
ls 2> /boot/err.log
#--- sys-redirect-exec [L4]: by exec
exec 3> /etc/motd
echo hello >&3
#--- sys-redirect-readwrite [L4]: opened both ways
exec 4<> /etc/fstab
#--- sys-redirect-variable [L4]: target in a variable
f=/etc/environment
echo 'A=1' >> "$f"
#--- sys-redirect-concat [L4]: target joined
d=/et; e=c
echo x > "$d$e/profile"
#--- sys-redirect-quotes [L4]: target in pieces
echo x > /e't'"c"/issue
#--- sys-redirect-parents [L4]: target by parent steps
echo x > ../../../../../../etc/issue
#--- sys-redirect-cd [L4]: relative after cd
cd /etc && echo x > hosts.deny
#--- sys-redirect-group [L4]: output of a group
{ echo a; echo b; } > /etc/profile.d/x.sh
#--- sys-redirect-loop [L4]: output of a loop
for i in 1 2; do echo "$i"; done > /usr/lib/x.conf
#--- sys-redirect-function [L4]: redirection on a function body
note() { echo hi; } >> /etc/motd
note
#--- sys-heredoc-cat [L4]: here-document into a system file
cat > /etc/ld.so.preload <<END
/tmp/x.so
END
#--- sys-redirect-proc [L4]: kernel setting by file
echo 0 > /proc/sys/kernel/randomize_va_space
#--- sys-redirect-sys [L4]: device setting by file
echo 1 > /sys/block/sda/device/delete
#--- sys-tee [L4]: tee
echo '192.0.2.1 bank.example' | tee -a /etc/hosts
#--- sys-tee-second [L4]: tee with a harmless first file
date | tee log.txt /usr/share/stamp >/dev/null
#--- sys-sudo-tee [L4]: tee with more rights
echo x | sudo tee /etc/profile.d/y.sh
#--- sys-cp [L4]: cp
cp evil.so /usr/lib/libz.so.1
#--- sys-cp-target-dir [L4]: cp -t
cp -t /usr/local/bin tool
#--- sys-cp-target-dir-long [L4]: long form
cp --target-directory=/etc app.conf
#--- sys-cp-bin [L4]: a system program replaced
cp ./ls /bin/ls
#--- sys-mv-in [L4]: mv into
mv app.service /lib/systemd/system/
#--- sys-mv-out [L4]: mv out of
mv /usr/bin/python3 ./python3.bak
#--- sys-install [L4]: install
install -m 755 tool /usr/local/bin/tool
#--- sys-install-dir [L4]: install -d
install -d /opt/../usr/share/newdir
#--- sys-ln [L4]: link
ln -sf "$PWD/sh" /bin/sh
#--- sys-sed-i [L4]: sed in place
sed -i 's/^root:[^:]*/root:/' /etc/shadow
#--- sys-sed-i-suffix [L4]: suffix and bundled flags
sed -Ei.bak 's/no/yes/' /etc/ssh/sshd_config
#--- sys-sed-in-place-long [L4]: long flag
sed --in-place '/deny/d' /etc/hosts.deny
#--- sys-sed-write [L4]: write command of sed
sed -n 'w /etc/motd' notes.txt
#--- sys-perl-pi [L4]: perl in place
perl -pi -e 's/a/b/' /etc/hosts
#--- sys-awk-print-to [L4]: awk output file
awk '{ print > "/etc/motd" }' notes.txt
#--- sys-touch [L4]: touch
touch /etc/nologin
#--- sys-mkdir [L4]: mkdir
mkdir -p /usr/share/mine
#--- sys-rm-file [L4]: one system file
rm -f /etc/localtime
#--- sys-rmdir [L4]: rmdir
rmdir /var/lib/emptydir
#--- sys-truncate [L4]: truncate
truncate -s 0 /var/lib/dpkg/status
#--- sys-chmod [L4]: mode of a system file
chmod 600 /etc/passwd
#--- sys-chown [L4]: owner of a system file
chown nobody /etc/shadow
#--- sys-chattr [L4]: immutable flag
chattr +i /etc/resolv.conf
#--- sys-tar-extract [L4]: extracted over the system
tar xzf rootfs.tgz -C /
#--- sys-unzip [L4]: extracted into usr
unzip -o pack.zip -d /usr/lib
#--- sys-rsync [L4]: rsync into etc
rsync -a conf/ /etc/app/
#--- sys-curl-output [L4]: download into a system directory
curl -so /usr/local/bin/x https://get.example.invalid/x
#--- sys-wget-prefix [L4]: download into a system directory by prefix
wget -P /etc/apt/sources.list.d https://get.example.invalid/x.list
#--- sys-patch [L4]: patch of a system file
patch /etc/sudoers < s.patch
#--- sys-dd-file [L4]: dd to a system file
dd if=x of=/etc/passwd
#--- sys-sort-output [L4]: sort output option
sort -u names.txt -o /etc/shells
#--- sys-find-fprint [L4]: find writing a file
find . -fprint /etc/found.txt
#--- sys-ed [L4]: line editor
printf '1d\nw\nq\n' | ed -s /etc/hosts
#--- sys-sh-c [L4]: inside a shell
sh -c 'echo x > /etc/issue'
#--- sys-find-exec-cp [L4]: find with cp
find . -name '*.conf' -exec cp {} /etc/ \;
#--- sys-xargs-cp [L4]: xargs with cp
ls *.so | xargs -I{} cp {} /usr/lib/
#--- sys-git-config-system [L4]: system configuration of git
git config --file /etc/gitconfig user.name x
#--- sys-useradd [L4]: account made
useradd -m -G sudo mallory
#--- sys-passwd-pipe [L4]: password changed
echo 'root:x' | chpasswd
#--- sys-var-spool [L4]: spool written
cp job /var/spool/cron/root
#--- sys-brace-targets [L4]: brace expansion in the target
touch /{etc,usr}/marker
#--- sys-tilde-plus-parents [L4]: in the home, then up to etc
cp x ~/../../etc/x.conf
