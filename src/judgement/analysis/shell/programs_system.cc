// The part of the program table for system administration and for tools that run code.
#include "judgement/analysis/shell/programs.h"

namespace belljar::judgement::analysis::shell {
namespace {

constexpr Program kSystemPrograms[] = {
    // Disks.
    {"mkfs mke2fs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs "
     "mkfs.f2fs mkfs.exfat mkfs.minix mkswap mkdosfs mkntfs fdisk sfdisk cfdisk gdisk sgdisk "
     "cgdisk parted partprobe partx kpartx growpart wipefs blkdiscard losetup cryptsetup lvcreate "
     "lvremove lvextend lvreduce lvresize lvchange vgcreate vgremove vgextend vgreduce vgchange "
     "pvcreate pvremove pvresize pvmove mdadm swapon swapoff fsck fsck.ext4 e2fsck xfs_repair "
     "resize2fs xfs_growfs tune2fs e2label debugfs hdparm sdparm nvme zpool zfs btrfs badblocks "
     "dumpe2fs ntfsresize diskutil dmsetup mkfs.jfs mkfs.reiserfs fstrim eject sg_format "
     "blockdev ddrescue dcfldd scrub nwipe testdisk e4defrag",
     Level::kRunsCode,
     Prints::kSomething,
     {},
     WritesTo::kNone,
     CheckDisk},
    {"mount umount fusermount fusermount3 pmount udisksctl mount.nfs mount.cifs",
     Level::kRunsCode,
     Prints::kSomething,
     {},
     WritesTo::kNone,
     CheckMount},
    // Services, power, scheduled jobs, SSH keys.
    {"systemctl service rc-service rc-update chkconfig update-rc.d invoke-rc.d initctl launchctl "
     "sv supervisorctl svc runsv start-stop-daemon sysv-rc-conf monit apachectl apache2ctl "
     "nginx pg_ctl pg_ctlcluster a2ensite a2dissite a2enmod loginctl machinectl s6-svc start stop "
     "restart "
     "systemd-run pm2 rcctl",
     Level::kRunsCode,
     Prints::kSomething,
     {"Htps", ""},
     WritesTo::kNone,
     CheckService},
    {"shutdown reboot halt poweroff init telinit rtcwake kexec ",
     Level::kRunsCode,
     Prints::kSomething,
     {},
     WritesTo::kNone,
     CheckPower},
    {"crontab", Level::kRunsCode, Prints::kSomething, {"u", ""}, WritesTo::kNone, CheckCron},
    {"at batch atrm", Level::kRunsCode, Prints::kSomething, {"ftq", ""}, WritesTo::kNone, CheckAt},
    {"ssh-keygen ssh-copy-id ssh-add ssh-keyscan ssh-import-id",
     Level::kRunsCode,
     Prints::kSomething,
     {"tbfCNPmOpEFioOqsRIVnzl", ""},
     WritesTo::kNone,
     CheckSshKeys},
    // System configuration.
    {"useradd userdel usermod adduser deluser groupadd groupdel groupmod addgroup delgroup passwd "
     "chpasswd chsh chfn visudo vipw vigr gpasswd newusers insmod rmmod modprobe depmod kmod "
     "iptables ip6tables iptables-restore nft ufw firewall-cmd ebtables update-alternatives "
     "alternatives ldconfig setenforce semanage setsebool restorecon update-grub grub-install "
     "grub2-mkconfig grub-mkconfig update-initramfs dracut mkinitcpio efibootmgr dpkg-reconfigure "
     "update-ca-certificates locale-gen swaplabel pivot_root switch_root auditctl "
     "aa-disable aa-complain apparmor_parser tc brctl wg wg-quick netplan nmcli "
     "ntpdate hwclock pam-auth-update authselect realm spctl csrutil nvram dscl",
     Level::kRunsCode,
     Prints::kSomething,
     {},
     WritesTo::kNone,
     CheckSystemTool},
    {"sysctl ip ifconfig route hostnamectl timedatectl localectl resolvectl defaults ethtool",
     Level::kRunsCode,
     Prints::kSomething,
     {},
     WritesTo::kNone,
     CheckConfigTool},
    // Packages.
    {"apt apt-get aptitude dnf dnf5 yum microdnf zypper apk brew port snap flatpak pip pip2 pip3 "
     "pipx conda mamba micromamba poetry pipenv uv pdm hatch rye npm yarn pnpm bun cnpm gem bundle "
     "bundler cargo go composer luarocks opam cabal stack nix nix-env cpan cpanm choco scoop "
     "winget "
     "rpm dpkg emerge guix pkg pkg_add easy_install rustup nvm sdkman asdf mise volta corepack "
     "helm dotnet nuget mix rebar3 tlmgr vcpkg conan eopkg xbps-install slackpkg installpkg "
     "softwareupdate mas deno npx uvx bunx dpkg-deb gdebi rpm-ostree swupd tdnf urpmi pkgin yay "
     "paru opkg ipkg nala apt-fast pkcon xbps-remove pixi spack pear pecl bower ghcup pyenv rbenv "
     "nodenv "
     "fnm sdk proto pisi tazpkg sbopkg equo cave kiss tce-load raco yast sorcery cards pkgman",
     Level::kRunsCode,
     Prints::kSomething,
     {"tcor", "--prefix --root -t --index-url --target"},
     WritesTo::kNone,
     CheckPackages},
    {"pacman", Level::kRunsCode, Prints::kSomething, {}, WritesTo::kNone, CheckPacman},
    // Databases.
    {"psql pgcli cockroach",
     Level::kRunsCode,
     Prints::kSomething,
     {"cfhpUdovLFPRT",
      "--command --file --host --port --username --dbname --set --output --execute"},
     WritesTo::kNone,
     CheckSql},
    {"mysql mariadb mycli",
     Level::kRunsCode,
     Prints::kSomething,
     {"ehuPDS", "--execute --host --user --port --database --init-command"},
     WritesTo::kNone,
     CheckSql},
    {"sqlite3 sqlite duckdb",
     Level::kRunsCode,
     Prints::kSomething,
     {"c", "-cmd -init -separator --cmd -c"},
     WritesTo::kNone,
     CheckSql},
    {"cqlsh sqlcmd clickhouse clickhouse-client mongo mongosh sqlplus isql bq snowsql influx usql "
     "trino presto hive beeline spark-sql",
     Level::kRunsCode,
     Prints::kSomething,
     {"ehuPdQSifq",
      "--command --file --host --port --user --database --eval --query -query --execute"},
     WritesTo::kNone,
     CheckSql},
    {"redis-cli valkey-cli keydb-cli etcdctl consul",
     Level::kRunsCode,
     Prints::kSomething,
     {"hpanus", ""},
     WritesTo::kNone,
     CheckRedis},
    {"dropdb createdb dropuser createuser pg_restore reindexdb vacuumdb clusterdb mysqladmin "
     "mysqlimport mongorestore mongoimport initdb pg_resetwal mysql_install_db pg_upgrade "
     "mysql_upgrade mysql_secure_installation pgbench influxd",
     Level::kRunsCode,
     Prints::kSomething,
     {"hpUuPd", ""},
     WritesTo::kNone,
     CheckDatabaseTool},
    {"pg_dump pg_dumpall mysqldump mariadb-dump mongodump", Level::kRunsCode, Prints::kFiles},
    {"alembic flyway liquibase prisma knex sequelize typeorm dbmate goose migrate rails rake "
     "django-admin flask diesel sqlx atlas artisan",
     Level::kRunsCode,
     Prints::kSomething,
     {},
     WritesTo::kNone,
     CheckMigration},
    {"vim vi nvim view ", Level::kRunsCode, Prints::kNothing, {"cuwWS", "--cmd"}, WritesTo::kAll},
    {"make gmake",
     Level::kRunsCode,
     Prints::kSomething,
     {"fCjIoWlE", "--file --directory --eval"},
     WritesTo::kNone,
     CheckMake},
    // Clouds, clusters and package registries.
    {"kubectl oc terraform tofu pulumi docker podman nerdctl docker-compose podman-compose gh glab "
     "twine heroku flyctl fly "
     "vercel "
     "netlify eksctl doctl linode-cli cdk serverless ansible ansible-playbook",
     Level::kRunsCode,
     Prints::kSomething,
     {"nvefHpt", "--namespace --context --kubeconfig --repo --volume --name --env --mount"},
     WritesTo::kNone,
     CheckOutward},
    // Programs that run other programs, or that can do anything.
    {"cmake ninja meson gcc g++ cc c++ clang clang++ rustc javac java mvn gradle ant "
     "bazel buck scons buildah vagrant packer ssh emacs nano gdb lldb valgrind perf pytest tox nox "
     "black ruff mypy flake8 "
     "pylint isort eslint prettier tsc jest vitest webpack vite rollup rspec phpunit ld as "
     "nmap masscan tcpdump tshark wireshark hydra msfconsole xdg-open "
     "open run-parts expect wish qemu-system-x86_64 virsh lxc wine pre-commit jupyter "
     "gunicorn uvicorn celery http-server serve",
     Level::kRunsCode},
};

}  // namespace

std::span<const Program> SystemPrograms() { return kSystemPrograms; }

}  // namespace belljar::judgement::analysis::shell
