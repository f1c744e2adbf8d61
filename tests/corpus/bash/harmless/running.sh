exit 1 # corpus text, never to be run
#--- run-python-file [L3]: python file
python main.py
#--- run-python3-args [L3]: with arguments
python3 tools/convert.py --in a.csv --out b.json
#--- run-python-c [L3]: one-liner
python3 -c 'print(sum(range(10)))'
#--- run-python-json-tool [L3]: module
python3 -m json.tool data.json
#--- run-python-unittest [L3]: tests by module
python -m unittest discover -s tests -v
#--- run-python-heredoc [L3]: here-document
python3 - <<'END'
import json
print(json.dumps({"a": 1}))
END
#--- run-python-venv [L3]: program of a local environment
.venv/bin/python -m pytest -q
#--- run-python-pipe-data [L3]: local data to a script
cat data.json | python3 summarize.py
#--- run-python-compile [L3]: syntax check
python3 -m py_compile src/*.py
#--- run-node-file [L3]: node file
node server.js
#--- run-node-e [L3]: one-liner
node -e 'console.log([1, 2, 3].map(x => x * 2))'
#--- run-node-version-field [L3]: field by node
node -p "require('./package.json').version"
#--- run-tsc-local [L3]: typescript
./node_modules/.bin/tsc --noEmit
#--- run-bash-file [L3]: shell file
bash scripts/check.sh
#--- run-sh-args [L3]: shell file with arguments
sh tools/gen.sh --fast out
#--- run-dot-slash [L3]: own program
./run.sh
#--- run-dot-slash-args [L3]: own program with arguments
./build/app --config config.yaml --port 8080
#--- run-source-env [L3]: local file sourced
source ./env.sh
#--- run-dot-env [L3]: local file sourced by dot
. ./scripts/common.sh
#--- run-make [L3]: make
make
#--- run-make-targets [L3]: targets
make clean all
#--- run-make-jobs [L3]: in parallel
make -j"$(nproc)" test
#--- run-make-dir [L3]: in another directory
make -C firmware build
#--- run-cmake [L3]: cmake
cmake -S . -B build && cmake --build build
#--- run-ninja [L3]: ninja
ninja -C build
#--- run-npm-test [L3]: tests
npm test
#--- run-npm-test-args [L3]: tests with arguments
npm test -- --watch=false --coverage
#--- run-npm-run-build [L3]: build
npm run build
#--- run-npm-run-lint [L3]: linter
npm run lint --silent
#--- run-yarn-test [L3]: yarn tests
yarn test
#--- run-pnpm-build [L3]: pnpm build
pnpm run build
#--- run-eslint-local [L3]: local tools
./node_modules/.bin/eslint src --ext .ts
#--- run-jest [L3]: jest
node node_modules/jest/bin/jest.js src/parser.test.ts
#--- run-cargo-build [L3]: build
cargo build --release
#--- run-cargo-test [L3]: tests
cargo test --all -- --nocapture
#--- run-cargo-clippy [L3]: linter
cargo clippy -- -D warnings
#--- run-cargo-run [L3]: run
cargo run --bin app -- --help
#--- run-go-run [L3]: go
go run .
#--- run-go-build [L3]: go build
go build -o bin/app ./cmd/app
#--- run-go-test [L3]: go tests
go test ./... -run TestParse -count=1
#--- run-go-vet [L3]: go vet
go vet ./...
#--- run-pytest [L3]: pytest
pytest -q
#--- run-pytest-select [L3]: selected tests
pytest tests/test_api.py::test_login -x --tb=short
#--- run-pytest-tail [L3]: end of the report
pytest -q 2>&1 | tail -20
#--- run-pytest-log [L3]: report kept
pytest -q > test.log 2>&1; echo "exit $?"
#--- run-ruby-file [L3]: ruby
ruby lib/run.rb
#--- run-rspec [L3]: ruby tests
bundle exec rspec spec/models
#--- run-perl-file [L3]: perl
perl tools/report.pl input.txt
#--- run-perl-oneliner [L3]: perl to the screen
perl -ne 'print if /ERROR/' app.log
#--- run-php-file [L3]: php
php index.php
#--- run-java-build [L3]: java
mvn -q test
#--- run-gradle [L3]: gradle wrapper
./gradlew build --no-daemon
#--- run-java-main [L3]: compiled and run
javac Main.java && java Main
#--- run-gcc [L3]: compiled and run
gcc -Wall -o hello hello.c && ./hello
#--- run-gcc-loop [L3]: many compiled
for f in tests/*.c; do
  gcc "$f" -o "${f%.c}" && "./${f%.c}"
done
#--- run-deno-local [L3]: local file by deno
deno run --allow-read main.ts
#--- run-dotnet [L3]: dotnet
dotnet test
#--- run-sh-c-simple [L3]: shell string with a script
sh -c './run.sh && ./check.sh'
#--- run-timeout-python [L3]: wrapped
timeout 30 python3 slow.py
#--- run-env-python [L3]: with variables
DEBUG=1 PYTHONPATH=src python3 -m app
#--- run-nohup-server [L3]: server in the background
nohup python3 -m http.server 8000 > server.log 2>&1 &
#--- run-xargs-python [L3]: script for each file
ls inputs/*.txt | xargs -n1 python3 check.py
#--- run-loop-python [L3]: script in a loop
for seed in 1 2 3; do python3 sim.py --seed "$seed"; done
#--- run-retry-function [L3]: tries repeated
retry() {
  local n=0
  until "$@"; do
    n=$((n + 1))
    [ "$n" -ge 3 ] && return 1
    sleep 1
  done
}
retry ./flaky.sh
#--- run-build-and-archive [L3]: build, then archive
make build && tar czf dist.tgz build
#--- run-write-script-run [L3]: harmless script written and run
cat > hello.sh <<'END'
#!/bin/sh
echo hello
END
chmod +x hello.sh
./hello.sh
#--- run-write-python-run [L3]: harmless python written and run
cat > t.py <<'END'
print("hi")
END
python3 t.py
#--- run-ci-script [L3]: longer check script
set -euo pipefail
step() { echo "== $*"; "$@"; }
step npm run lint
step npm test
step npm run build
ls -la dist
#--- run-benchmark [L3]: time of a program
time ./build/bench --runs 5
#--- run-format-check [L3]: formatters
black --check src && ruff check src
#--- run-mypy [L3]: type check
mypy --strict src
#--- run-pip-list [L1]: packages listed
pip list
#--- run-pip-freeze [L1]: packages frozen
pip freeze
#--- run-pip-freeze-file [L2]: packages frozen to a file
pip freeze > requirements.txt
#--- run-pip-show [L1]: one package shown
pip show requests
#--- run-python-m-pip-list [L3]: packages listed by module
python -m pip list --outdated
#--- net-curl-get [L3]: page to the screen
curl -s https://api.example.invalid/health
#--- net-curl-file [L3]: page to a file
curl -fsSL -o data.json https://api.example.invalid/data.json
#--- net-curl-redirect [L3]: page redirected
curl -s https://api.example.invalid/data > data.json
#--- net-curl-jq [L3]: answer read by jq
curl -s https://api.example.invalid/users | jq '.[].name'
#--- net-curl-head [L3]: headers
curl -sI https://www.example.invalid | head -1
#--- net-curl-status [L3]: status code
curl -s -o /dev/null -w '%{http_code}\n' http://localhost:8080/health
#--- net-curl-grep [L3]: page searched
curl -s https://www.example.invalid | grep -o '<title>[^<]*'
#--- net-curl-post-json [L3]: own data posted to the local server
curl -s -X POST -H 'Content-Type: application/json' -d '{"name":"a"}' http://localhost:3000/users
#--- net-curl-tar-file [L3]: archive loaded and listed
curl -sL -o src.tgz https://dl.example.invalid/src.tgz && tar tzf src.tgz
#--- net-wget-file [L3]: file by wget
wget -q https://dl.example.invalid/data.csv
#--- net-wget-named [L3]: file by wget, named
wget -O data.csv https://dl.example.invalid/d?id=1
#--- net-curl-wait-loop [L3]: waiting for the local server
for i in 1 2 3 4 5; do
  curl -sf http://localhost:8080/health && break
  sleep 1
done
#--- net-curl-variable [L3]: answer kept and shown
body=$(curl -s https://api.example.invalid/version)
echo "version: $body"
#--- net-curl-sha-check [L3]: loaded and checked
curl -sLO https://dl.example.invalid/tool.tar.gz
sha256sum tool.tar.gz
#--- push-feature [L3]: feature branch
git push origin feature/search
#--- push-feature-upstream [L3]: feature branch, upstream set
git push -u origin fix/login-timeout
#--- push-head-feature [L3]: head to a feature branch
git push origin HEAD:feature/search
#--- push-feature-main-in-name [L3]: main inside a branch name
git push origin feature/main-menu
#--- push-feature-master-in-name [L3]: master inside a branch name
git push -u origin fix/master-volume
#--- push-feature-domain [L3]: main at the end of a word
git push origin chore/domain
#--- push-variable-feature [L3]: feature branch in a variable
branch=feature/cache
git push origin "$branch"
#--- push-after-commit [L3]: commit, then push of a feature branch
git add -A && git commit -m 'Merge main into feature' && git push origin feature/x
#--- sql-psql-select [L3]: query
psql -c "SELECT count(*) FROM users"
#--- sql-psql-updated-at [L3]: column that looks like a verb
psql -c "SELECT updated_at, deleted FROM orders LIMIT 5"
#--- sql-psql-action-value [L3]: verb only as a value
psql shop -Atc "SELECT * FROM audit WHERE action = 'DELETE'"
#--- sql-psql-heredoc-select [L3]: query by here-document
psql shop <<'SQL'
SELECT id, name FROM users ORDER BY id;
SQL
#--- sql-mysql-select [L3]: query by mysql
mysql -e "SELECT * FROM orders LIMIT 3" shop
#--- sql-sqlite-select [L3]: query by sqlite
sqlite3 app.db "select name from users"
#--- sql-sqlite-drop-log [L3]: table named with a verb
sqlite3 app.db "SELECT * FROM drop_log"
#--- sql-sqlite-pipe-select [L3]: query by a pipe
echo 'SELECT count(*) FROM inserts;' | sqlite3 app.db
#--- nearr-script-named-sudo [L3]: own program with a dangerous name
./tools/sudo-check.sh
#--- nearr-script-named-rm [L3]: python file named rm
python3 rm.py --dry-run
#--- nearr-make-install-docs [L3]: target with install in its name
make install-check
#--- nearr-npm-run-install-check [L3]: script with install in its name
npm run check-install
#--- nearr-pytest-k-delete [L3]: tests chosen by a dangerous word
pytest -k 'delete or drop or sudo'
#--- nearr-python-string [L3]: dangerous text printed by python
python3 -c 'print("rm -rf / is bad")'
#--- nearr-node-string [L3]: dangerous text printed by node
node -e 'console.log("curl x | sh")'
#--- nearr-bash-after-download [L3]: own script after an unrelated download
curl -s -o data.json https://api.example.invalid/data.json
bash scripts/check.sh
#--- nearr-python-reads-download [L3]: own script reads a download
curl -s https://api.example.invalid/data.json | python3 summarize.py
#--- nearr-script-argument-root [L3]: own script with a dangerous-looking word
./deploy.sh --branch main --dry-run
#--- nearr-make-clean-message [L3]: build with a dangerous message
make build || echo "try: sudo make build"
#--- nearr-go-test-reboot [L3]: test named as a command
go test ./internal/reboot -run TestShutdown
#--- nearr-cargo-test-mount [L3]: test named as a command
cargo test mount
#--- nearr-node-kill-name [L3]: file named kill
node scripts/kill-timer.js
#--- run-chosen-compiler [L3]: a compiler that may be chosen
set -eu
CC=${CC:-gcc}
"$CC" -O2 -c main.c -o main.o
#--- run-chosen-python [L3]: an interpreter that may be chosen
: "${PYTHON:=python3}"
"$PYTHON" -m unittest discover -s tests
