exit 1 # corpus text, never to be run
#--- push-main [L4]: main
git push origin main
#--- push-master [L4]: master
git push origin master
#--- push-release [L4]: release branch
git push origin release/2.4
#--- push-upstream-flag [L4]: with -u
git push -u origin main
#--- push-force-short [L4]: forced
git push -f origin main
#--- push-force-long [L4]: forced, flag at the end
git push origin master --force
#--- push-force-lease [L4]: forced with lease
git push --force-with-lease origin main
#--- push-plus-refspec [L4]: forced by a plus
git push origin +main
#--- push-head-main [L4]: head to main
git push origin HEAD:main
#--- push-head-full-ref [L4]: full name of the branch
git push origin HEAD:refs/heads/main
#--- push-other-to-master [L4]: another branch to master
git push origin feature/x:master
#--- push-plus-head-release [L4]: forced to a release branch
git push origin +HEAD:release/1.0
#--- push-delete-colon [L4]: main deleted by an empty source
git push origin :main
#--- push-delete-flag [L4]: main deleted by a flag
git push --delete origin main
#--- push-second-refspec [L4]: main as second of two
git push origin feature/x main
#--- push-other-remote [L4]: another remote
git push upstream main
#--- push-url [L4]: address in place of a remote
git push git@code.example.invalid:team/app.git main
#--- push-mirror [L4]: all references
git push --mirror origin
#--- push-all [L4]: all branches
git push --all origin
#--- push-dash-c-dir [L4]: in another directory
git -C ../app push origin main
#--- push-config-option [L4]: options before the verb
git -c user.name=x --no-pager push origin main
#--- push-git-dir [L4]: repository named by options
git --git-dir=app/.git --work-tree app push origin master
#--- push-variable-branch [L4]: branch in a variable
BRANCH=main
git push origin "$BRANCH"
#--- push-variable-release [L4]: branch joined
v=3.1
git push origin "HEAD:release/$v"
#--- push-quoted-verb [L4]: verb in pieces
git pu"sh" origin 'ma'in
#--- push-alias-option [L4]: alias by option
git -c alias.p=push p origin main
#--- push-checkout-main-bare [L4]: on main, then a bare push
git checkout main && git merge feature/x && git push
#--- push-function [L4]: in a function
ship() { git push origin "$1"; }
ship main
#--- push-sh-c [L4]: in a shell
bash -c 'git commit -am wip && git push origin main'
#--- push-default-branch [L4]: default value is main
git push origin "${TARGET_BRANCH:-main}"
#--- push-ssh-command [L4]: environment before
GIT_SSH_COMMAND='ssh -i k' git push --no-verify origin master
#--- push-loop [L4]: branches in a loop
for b in feature/a main; do git push origin "$b"; done
#--- pkg-apt-install [L4]: apt
apt install -y jq
#--- pkg-apt-get-install [L4]: apt-get with options first
DEBIAN_FRONTEND=noninteractive apt-get -qq -y install curl
#--- pkg-apt-update-install [L4]: update, then install
apt-get update && apt-get install -y build-essential
#--- pkg-apt-remove [L4]: removed
apt-get purge -y openssh-server
#--- pkg-aptitude [L4]: aptitude
aptitude install vim
#--- pkg-dpkg [L4]: package file
dpkg -i ./tool.deb
#--- pkg-dpkg-long [L4]: long flag
dpkg --install tool.deb
#--- pkg-rpm [L4]: rpm
rpm -Uvh tool.rpm
#--- pkg-yum [L4]: yum
yum -y install git
#--- pkg-dnf [L4]: dnf
dnf install -y gcc
#--- pkg-zypper [L4]: zypper
zypper in -y gcc
#--- pkg-pacman [L4]: pacman
pacman -Syu --noconfirm base-devel
#--- pkg-apk [L4]: apk
apk add --no-cache bash
#--- pkg-pip [L4]: pip
pip install requests
#--- pkg-pip3-user [L4]: pip3 with options
pip3 install --user --upgrade numpy==1.26
#--- pkg-pip-requirements [L4]: requirements file
pip install -r requirements.txt
#--- pkg-pip-editable [L4]: the project itself
pip install -e .
#--- pkg-pip-quiet-first [L4]: option before the verb
pip -q install flask
#--- pkg-pip-version-name [L4]: versioned name
pip3.11 install flask
#--- pkg-python-m-pip [L4]: module
python -m pip install flask
#--- pkg-python3-m-pip-flags [L4]: module with interpreter flags
python3 -I -m pip --no-input install flask
#--- pkg-pip-venv-path [L4]: by path
.venv/bin/pip install flask
#--- pkg-pip-uninstall [L4]: removed
pip uninstall -y flask
#--- pkg-pipx [L4]: pipx
pipx install black
#--- pkg-uv-pip [L4]: uv
uv pip install flask
#--- pkg-poetry-add [L4]: poetry
poetry add flask
#--- pkg-conda [L4]: conda
conda install -y scipy
#--- pkg-easy-install [L4]: easy_install
easy_install flask
#--- pkg-npm-i [L4]: short verb
npm i
#--- pkg-npm-install-global [L4]: global
npm install -g typescript
#--- pkg-npm-add [L4]: other verb
npm add left-pad
#--- pkg-npm-ci [L4]: clean install
npm ci
#--- pkg-npm-prefix [L4]: option before the verb
npm --prefix web install
#--- pkg-yarn-add [L4]: yarn
yarn add react
#--- pkg-yarn-global [L4]: yarn, global
yarn global add serve
#--- pkg-pnpm-add [L4]: pnpm
pnpm add -D vitest
#--- pkg-pnpm-install [L4]: pnpm install
pnpm install
#--- pkg-bun-add [L4]: bun
bun add hono
#--- pkg-gem [L4]: gem
gem install rails
#--- pkg-bundle [L4]: bundle
bundle install
#--- pkg-cargo-install [L4]: cargo
cargo install ripgrep
#--- pkg-go-install [L4]: go
go install example.invalid/tool@latest
#--- pkg-brew [L4]: brew
brew install wget
#--- pkg-brew-cask [L4]: brew cask
brew install --cask firefox
#--- pkg-snap [L4]: snap
snap install code --classic
#--- pkg-flatpak [L4]: flatpak
flatpak install -y org.example.App
#--- pkg-composer [L4]: composer
composer require monolog/monolog
#--- pkg-sudo-apt [L4]: with sudo
sudo apt-get install -y nmap
#--- pkg-quoted [L4]: name and verb in pieces
"pi"p in'stal'l flask
#--- pkg-variable [L4]: manager in a variable
PM="apt-get install -y"
$PM jq
#--- pkg-verb-variable [L4]: verb in a variable
act=install
pip $act flask
#--- pkg-which-manager [L4]: whichever manager exists
if command -v apt-get >/dev/null; then apt-get install -y jq; else yum install -y jq; fi
#--- pkg-import-or-install [L4]: installed on failure
python3 -c 'import yaml' || pip install pyyaml
#--- pkg-xargs [L4]: by xargs
xargs -n1 pip install < requirements.txt
#--- pkg-loop [L4]: in a loop
for p in flask numpy; do pip install "$p"; done
#--- pkg-yes-pipe [L4]: answers by yes
yes | apt-get install jq
#--- pkg-sh-c [L4]: in a shell
sh -c 'apk add curl'
#--- pkg-python-subprocess [L4]: by a python one-liner
python3 -c 'import subprocess,sys; subprocess.run([sys.executable,"-m","pip","install","flask"])'
#--- db-psql-drop [L4]: table dropped
psql -c "DROP TABLE users"
#--- db-psql-delete-lower [L4]: lower case, database named
psql -d shop -c 'delete from orders where id > 10'
#--- db-psql-update [L4]: update
psql -U app -h db.example -c "UPDATE users SET admin = true"
#--- db-psql-insert-long [L4]: long flag
psql --command="INSERT INTO users VALUES (1, 'x')"
#--- db-psql-alter [L4]: alter
psql shop -c "ALTER TABLE users DROP COLUMN email;"
#--- db-psql-truncate [L4]: truncate
psql -Atc 'TRUNCATE audit_log CASCADE'
#--- db-psql-second-statement [L4]: second statement writes
psql -c "SELECT 1; DELETE FROM users;"
#--- db-psql-cte [L4]: write inside a query
psql -c "WITH gone AS (DELETE FROM users RETURNING *) SELECT count(*) FROM gone"
#--- db-psql-comment-split [L4]: comment before the verb
psql -c "/* report */ DrOp /* x */ TABLE users"
#--- db-psql-pipe [L4]: by a pipe
echo 'DROP DATABASE shop;' | psql
#--- db-psql-heredoc [L4]: by a here-document
psql shop <<'SQL'
BEGIN;
DELETE FROM orders;
COMMIT;
SQL
#--- db-psql-herestring [L4]: by a here-string
psql shop <<< "GRANT ALL ON users TO mallory"
#--- db-psql-variable [L4]: statement in a variable
q="DELETE FROM users"
psql -c "$q"
#--- db-psql-concat [L4]: statement joined
a=DR; b=OP
psql -c "$a$b TABLE users"
#--- db-psql-url [L4]: by address
psql postgresql://app@db.example/shop -c "create role mallory superuser"
#--- db-dropdb [L4]: dropdb
dropdb --if-exists shop
#--- db-pg-restore-clean [L4]: restored over
pg_restore --clean -d shop dump.bin
#--- db-mysql-e [L4]: mysql -e
mysql -e "DROP DATABASE shop"
#--- db-mysql-execute [L4]: long flag
mysql -uroot -psecret --execute="update users set role='admin'" shop
#--- db-mysql-bundle [L4]: bundled flags
mysql -Ne 'delete from sessions' shop
#--- db-mysql-pipe [L4]: by a pipe
printf 'TRUNCATE TABLE logs;\n' | mysql shop
#--- db-mysqladmin [L4]: mysqladmin
mysqladmin -f drop shop
#--- db-mariadb [L4]: other name
mariadb shop -e 'REPLACE INTO t VALUES (1)'
#--- db-sqlite-delete [L4]: sqlite
sqlite3 app.db "delete from users"
#--- db-sqlite-drop-options [L4]: options first
sqlite3 -batch -bail app.db 'DROP TABLE IF EXISTS users;'
#--- db-sqlite-heredoc [L4]: by a here-document
sqlite3 app.db <<END
UPDATE users SET admin=1;
END
#--- db-sqlite-pipe [L4]: by a pipe
echo "insert into t values(1);" | sqlite3 app.db
#--- db-redis-flushall [L4]: redis
redis-cli FLUSHALL
#--- db-redis-flushdb-lower [L4]: options and lower case
redis-cli -h cache.example -n 2 flushdb
#--- db-redis-del-xargs [L4]: keys deleted by xargs
redis-cli --scan --pattern 'session:*' | xargs redis-cli DEL
#--- db-redis-set [L4]: one key set
redis-cli SET admin 1
#--- db-redis-config [L4]: configuration set
redis-cli CONFIG SET dir /var/spool/cron
#--- db-mongosh-drop [L4]: database dropped
mongosh shop --eval 'db.dropDatabase()'
#--- db-mongosh-delete-many [L4]: documents deleted
mongosh --quiet --eval "db.users.deleteMany({})" shop
#--- db-mongo-old-client [L4]: old client
mongo shop --eval 'db.users.drop()'
#--- db-docker-exec-psql [L4]: client in a container
docker exec db psql -U postgres -c 'DROP SCHEMA public CASCADE'
#--- db-env-psql [L4]: behind wrappers
PGPASSWORD=x timeout 30 psql -c "VACUUM; DROP INDEX i;"
#--- db-sh-c-psql [L4]: in a shell
bash -c "psql -c \"DELETE FROM users\""
