// The tables of programs that run other programs: wrappers and interpreters.
#include <set>

#include "judgement/analysis/shell/programs.h"

namespace belljar::judgement::analysis::shell {
namespace {

constexpr Wrapper kWrappers[] = {
    {"env", {"uCS", "--unset --chdir --split-string"}, 0, "", false, false, "-S --split-string"},
    {"sudo",
     {"ugCDhprtTUR", "--user --group --chdir --host --prompt --role --type --other-user"},
     0,
     "",
     false,
     true},
    {"doas", {"uC", ""}, 0, "", false, true},
    {"pkexec", {"", "--user"}, 0, "", false, true},
    {"gosu su-exec setuidgid chpst", {"ue", ""}, 1, "", false, true},
    {"sudoedit", {}, 99, "", false, true},
    {"su", {"cgGsw", "--command --shell --group"}, 99, "", false, true, "-c --command"},
    {"runuser", {"cgGsuw", "--command --shell --user"}, 0, "", false, true, "-c --command"},
    {"sg newgrp", {"c", ""}, 1, "", false, true, "-c"},
    {"timeout gtimeout", {"sk", "--signal --kill-after"}, 1},
    {"nohup builtin coproc chronic catchsegv unbuffer fakeroot proot caffeinate rlwrap setarch "
     "linux32 linux64 x86_64 i386 i486 i586 i686 aarch64 uname26 dbus-run-session eatmydata "
     "proxychains proxychains4 torify torsocks then "
     "else do if while until ! {",
     {}},
    {"command", {}},
    {"exec", {"a", ""}},
    {"time gtime", {"fo", "--format --output"}},
    {"nice", {"n", "--adjustment"}},
    {"ionice", {"cnpPu", "--class --classdata"}},
    {"chrt taskset", {"TPD", ""}, 1},
    {"setsid numactl cgexec firejail systemd-inhibit",
     {"gmNC", "--what --who --why --mode --cpunodebind --membind --physcpubind --interleave"}},
    {"setpriv",
     {"d",
      "--reuid --regid --ruid --rgid --euid --egid --groups --inh-caps --ambient-caps "
      "--bounding-set --securebits --pdeathsig --selinux-label --apparmor-profile"},
     0,
     "",
     false,
     true,
     "",
     Level::kReads,
     false,
     "--reuid --regid --ruid --rgid --euid --egid --groups --init-groups --inh-caps "
     "--ambient-caps"},
    {"bwrap",
     {"",
      "--dev --proc --tmpfs --mqueue --dir --chdir --unsetenv --uid --gid --hostname --lock-file "
      "--perms --size --seccomp --add-seccomp-fd --info-fd --json-status-fd --block-fd "
      "--userns-block-fd --sync-fd --exec-label --file-label --cap-add --cap-drop --args --argv0 "
      "--userns --userns2 --pidns --remount-ro --overlay-src --tmp-overlay --ro-overlay",
      "--bind --bind-try --dev-bind --dev-bind-try --ro-bind --ro-bind-try --symlink --setenv "
      "--file --bind-data --ro-bind-data --bind-fd --ro-bind-fd --chmod"}},
    {"entr watchexec", {"wfexd", "--watch --filter --exts --ignore --debounce"}, 0, "", true},
    {"stdbuf", {"ioe", "--input --output --error"}},
    {"strace ltrace", {"eopsuPaEIbOSXU", ""}},
    {"xvfb-run", {"senfpw", "--server-args --server-num"}},
    {"flock", {"cwE", "--command --wait"}, 1, "", false, false, "-c --command"},
    {"chroot", {}, 1, "", false, true},
    {"unshare", {"SGRw", "--root --wd --map-user"}, 0, "", false, true},
    {"nsenter", {"tSGrw", "--target"}, 0, "", false, true},
    {"busybox toybox", {}},
    {"prlimit", {"po", "--pid --output"}},
    {"valgrind", {}, 0, "", false, false, "", Level::kRunsCode},
    {"perf", {"eoprCFcIx", "--event --output --pid --repeat"}, 0, "stat record trace"},
    {"gdb", {"x", "--command --eval-command"}, 0, "", false, false, "", Level::kRunsCode},
    {"hyperfine",
     {"wmMrspcnSDu",
      "--warmup --min-runs --max-runs --runs --setup --prepare --cleanup --conclude --shell "
      "--export-json --export-markdown --export-csv --export-asciidoc --export-orgmode "
      "--command-name --reference --style --sort --input --output --time-unit "
      "--parameter-step-size --ignore-failure",
      "-L --parameter-list"},
     0,
     "",
     true,
     false,
     "-p --prepare -s --setup -c --cleanup --conclude --reference",
     Level::kWrites,
     true},
    {"tmux",
     {"sncxyteFfLS", ""},
     0,
     "new new-session neww new-window splitw split-window run run-shell respawn-pane",
     true},
    {"screen", {"SchtTesp", ""}, 0, "", false, false, "", Level::kRunsCode},
    {"systemd-run",
     {"HMpEu",
      "--unit --property --setenv --slice --description --machine --nice "
      "--uid --gid --host --on-active --on-boot --on-calendar --working-directory"},
     0,
     "",
     false,
     true,
     "",
     Level::kRunsCode},
    {"run0",
     {"ugDM",
      "--unit --property --setenv --slice --description --machine --nice "
      "--user --group --chdir --background"},
     0,
     "",
     false,
     true,
     "",
     Level::kRunsCode},
    {"watch", {"nd", "--interval"}, 0, "", true},
    {"script", {"cEIOBmT", "--command"}, 99, "", false, false, "-c --command", Level::kWrites},
    {"ssh autossh mosh dropbear",
     {"bcDEeFIiJLlmOopQRSWwBM", ""},
     1,
     "",
     true,
     false,
     "",
     Level::kRunsCode},
    {"faketime", {}, 1},
    {"sshpass", {"pfPd", ""}},
    {"direnv", {}, 1, "exec"},
    {"poetry pipenv uv pdm hatch rye conda mamba", {"np", ""}, 0, "run"},
    {"bundle", {}, 0, "exec"},
    {"docker podman nerdctl",
     {"uewvplhHm",
      "--user --env --workdir --volume --publish --name --network --entrypoint --mount"},
     1,
     "exec run",
     false,
     false,
     "",
     Level::kRunsCode},
    {"kubectl oc",
     {"nc", "--namespace --container --context"},
     1,
     "exec",
     false,
     false,
     "",
     Level::kRunsCode},
};

constexpr Interpreter kInterpreters[] = {
    {"sh bash dash zsh ksh ash mksh rbash fish csh tcsh posh yash bash5 bash4",
     Code::kShell,
     "-c --command",
     {"oO", "--rcfile --init-file"},
     true},
    {"python python2 python3 python3.8 python3.9 python3.10 python3.11 python3.12 python3.13 pypy "
     "pypy3 ipython micropython",
     Code::kPython,
     "-c",
     {"cmWXQ", ""}},
    {"node nodejs tsx ts-node",
     Code::kJavaScript,
     "-e --eval -p --print",
     {"eprC", "--eval --print --require --import"}},
    {"perl perl5", Code::kOther, "-e -E", {"eEMmIx", ""}},
    {"ruby jruby", Code::kOther, "-e", {"erIC", ""}},
    {"php php7 php8", Code::kOther, "-r", {"rdfczt", ""}},
    {"lua lua5.1 lua5.3 lua5.4 luajit", Code::kOther, "-e", {"el", ""}},
    {"Rscript R julia elixir groovy osascript scala kotlin racket guile ghci",
     Code::kOther,
     "-e --eval -c",
     {"elrc", "--eval"}},
    {"tclsh wish jimsh expect", Code::kTcl, "-c", {"c", ""}},
    {"emacs emacsclient xemacs",
     Code::kOther,
     "--eval -eval --execute -execute -e",
     {"lfe", "--eval -eval --execute -execute --load -load --funcall -funcall --script"}},
    {"octave octave-cli gnuplot sbcl ecl clojure clj bb ghc nu xonsh elvish crystal",
     Code::kOther,
     "-e --eval -c",
     {"ec", "--eval --load"}},
    {"erl", Code::kOther, "-eval", {"", "-eval -s -run -pa -name -sname"}},
    {"pwsh powershell", Code::kOther, "-c -Command -EncodedCommand", {"", "-Command -c -File"}},
};

}  // namespace

const Wrapper* FindWrapper(std::string_view name) {
  static const auto rows = ByName<Wrapper>({kWrappers});
  return RowNamed(rows, name);
}

const Interpreter* FindInterpreter(std::string_view name) {
  static const auto rows = ByName<Interpreter>({kInterpreters});
  return RowNamed(rows, name);
}

bool HasPatterns(std::string_view name) {
  static const std::set<std::string_view> kNames = {
      "awk",     "gawk",     "mawk",      "nawk",   "sed",   "gsed",    "grep",    "egrep",
      "fgrep",   "rg",       "ag",        "ack",    "zgrep", "find",    "jq",      "yq",
      "expr",    "bc",       "dc",        "psql",   "mysql", "mariadb", "sqlite3", "duckdb",
      "mongosh", "mongo",    "redis-cli", "perl",   "ed",    "ex",      "vim",     "tr",
      "xargs",   "parallel", "watch",     "ssh",    "make",  "expect",  "gdb",     "tmux",
      "screen",  "docker",   "kubectl",   "sqlite", "cqlsh", "duckdb",  "xmllint", "pytest",
      "gh",      "curl"};
  return kNames.contains(name) || FindInterpreter(name) != nullptr;
}

bool IsKnown(std::string_view name) {
  static const std::set<std::string_view> kOthers = {"echo", "printf", "eval",    "source",
                                                     ".",    "xargs",  "parallel"};
  return kOthers.contains(name) || FindProgram(name) != nullptr || FindWrapper(name) != nullptr ||
         FindInterpreter(name) != nullptr;
}

}  // namespace belljar::judgement::analysis::shell
