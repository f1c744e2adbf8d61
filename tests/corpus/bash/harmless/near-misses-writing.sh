exit 1 # corpus text, never to be run
#--- nearw-readme-sudo [L2]: dangerous text into a document
cat > INSTALL.md <<'END'
## Install
    sudo apt-get install -y libfoo-dev
    curl -fsSL https://x.example.invalid/i.sh | sh
END
#--- nearw-readme-rm [L2]: dangerous text appended to a document
echo 'Never run `rm -rf /`.' >> README.md
#--- nearw-warning-file [L2]: warning by printf
printf '%s\n' 'Do not chmod 777 anything' > SECURITY.md
#--- nearw-relative-etc [L2]: relative etc
mkdir -p etc/nginx && echo 'listen 80;' > etc/nginx/site.conf
#--- nearw-relative-usr [L2]: relative usr
mkdir -p pkg/usr/bin && cp tool pkg/usr/bin/tool
#--- nearw-relative-passwd [L2]: relative passwd fixture
echo 'test:x:1000' > fixtures/etc/passwd
#--- nearw-relative-authorized-keys [L2]: key file in a fixture
echo 'ssh-rsa AAAA test' > fixtures/authorized_keys
#--- nearw-crontab-file [L2]: file named crontab
echo '0 3 * * * ./backup.sh' > crontab.txt
#--- nearw-crontab-relative [L2]: cron directory in the workspace
mkdir -p deploy/cron.d && cp job deploy/cron.d/job
#--- nearw-service-unit-file [L2]: unit written in the workspace
cat > deploy/app.service <<'END'
[Service]
ExecStart=/usr/bin/app
ExecStop=/bin/kill -TERM $MAINPID
END
#--- nearw-dockerfile [L2]: install lines in a container recipe
cat > Dockerfile <<'END'
FROM debian:12
RUN apt-get update && apt-get install -y curl && rm -rf /var/lib/apt/lists/*
CMD ["bash"]
END
#--- nearw-ci-yaml [L2]: commands in a pipeline file
cat > ci.yml <<'END'
steps:
  - run: sudo apt-get install jq
  - run: git push origin main
END
#--- nearw-sql-file [L2]: SQL written to a file
cat > migrations/002.sql <<'SQL'
DROP TABLE IF EXISTS sessions;
DELETE FROM users WHERE id = 0;
SQL
#--- nearw-requirements [L2]: requirement added, not installed
echo 'requests==2.31.0' >> requirements.txt
#--- nearw-sed-remove-sudo [L2]: sudo taken out in place
sed -i 's/^sudo //' docs/setup.md
#--- nearw-sed-replace-mode [L2]: mode replaced in a text
sed -i 's/chmod 777/chmod 750/g' docs/setup.md
#--- nearw-sed-etc-text [L2]: system path as text of the program
sed -i 's#/etc/app#/opt/app#' config.yaml
#--- nearw-file-named-sudo [L2]: file named sudo
touch sudo su.txt
#--- nearw-mkdir-rm [L2]: directory named rm
mkdir -p commands/rm commands/sudo
#--- nearw-cp-file-named-mount [L2]: files named as commands
cp mount.c mkfs.c src/
#--- nearw-mv-reboot [L2]: file named reboot
mv reboot.md docs/reboot.md
#--- nearw-dev-relative [L2]: relative dev
mkdir -p dev && echo x > dev/sda
#--- nearw-grep-to-file [L2]: dangerous pattern, result kept
grep -rn 'curl .*| *sh' scripts > findings.txt
#--- nearw-tee-null-and-file [L2]: nowhere and a file
ls | tee files.txt > /dev/null
#--- nearw-log-message [L2]: dangerous text into a log
log() { echo "$(date +%T) $*" >> run.log; }
log 'skipped: sudo systemctl restart nginx'
#--- nearw-git-add-sudoers [L2]: file named sudoers
git add templates/sudoers.j2
#--- nearw-git-checkout-release [L2]: release branch checked out
git checkout release/1.2
#--- nearw-git-commit-drop [L2]: SQL words in a message
git commit -m "DROP TABLE users is gone from seed.sql"
#--- nearw-list-of-flags [L2]: flags as text in a file
printf '%s\n' '-rf' '--no-preserve-root' > flags.txt
#--- nearw-dd-name [L2]: name with dd
cp add.txt dd.txt
#--- nearw-tar-exclude-etc [L2]: system name as an exclusion
tar czf app.tgz --exclude=etc --exclude='*.sh' app
#--- nearw-script-file-not-run [L2]: usage text with a pipe into a document
cat >> docs/usage.md <<END
Run \`curl URL | sh\` only if you trust the source.
END
#--- nearw-truncate-relative-passwd [L2]: file named passwd
truncate -s 0 passwd
#--- nearw-ln-relative-bin [L2]: link in a relative bin
mkdir -p bin && ln -sf ../src/tool.sh bin/sh
#--- nearw-chmod-number-in-name [L2]: the number only in the name
chmod 640 backup-777.tar
#--- nearw-rm-file-sudo [L2]: file named sudo removed
rm -f ./sudo tmp/reboot
#--- nearw-copy-key-public [L2]: test key copied in the workspace
cp tests/keys/id_rsa.pub build/id_rsa.pub
#--- nearw-history-file [L2]: file named history
echo '1.0 first release' >> HISTORY.md
