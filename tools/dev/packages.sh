# What must be installed, and installing only what is missing.

# The tests are configured in every build, hence the GoogleTest packages here, and PostgreSQL, of
# which they start a server of their own.
build_packages=(
  g++ cmake ninja-build pkg-config libseccomp-dev libboost1.81-dev libboost-json1.81-dev
  libtomlplusplus-dev libcli11-dev libfmt-dev libspdlog-dev python3 python3-dev nodejs bash
  coreutils libgtest-dev libgmock-dev libarchive-dev libboost-url1.81-dev prometheus-cpp-dev
  libsqlite3-dev libpq-dev libssl-dev postgresql python3-cryptography npm libvectorscan-dev
  libutf8proc-dev libre2-dev libcurl4-openssl-dev
)
# A generator of random numbers that a fork would share; displays of the real IPython; a disk whose files can be made immutable;
# gVisor, by itself and under a Docker daemon and a Podman that the tests start; what goes through
# the broker.
test_packages=(python3-numpy python3-ipython e2fsprogs runsc docker.io podman curl python3-pip iproute2 openssl strace)
lint_packages=(clang-14 clang-tidy-14 clang-format-14 libclang-rt-14-dev)  # and the fuzzers
bench_packages=(libbenchmark-dev bubblewrap runsc docker.io python3-ipykernel python3-jupyter-client)

is_root() { ((EUID == 0)); }

# An interpreter that was put in place by other means than its package serves as well.
provided() {
  case $1 in
    nodejs) [[ -x /usr/bin/node ]] ;;
    npm) command -v npm >/dev/null ;;
    python3) [[ -x /usr/bin/python3 ]] ;;
    python3-dev) compgen -G '/usr/include/python3*/Python.h' >/dev/null ;;
    *) false ;;
  esac
}

# missing PACKAGE...: those that are not installed, one per line.
missing() {
  local package installed
  installed=" $(dpkg-query -W -f '${Package} ${db:Status-Abbrev}\n' "$@" 2>/dev/null |
    awk '$2 == "ii" {printf "%s ", $1}')"
  for package in "$@"; do
    [[ $installed == *" $package "* ]] || provided "$package" || printf '%s\n' "$package"
  done
}

apt_options=(-y --no-install-recommends -o DPkg::Lock::Timeout=120)
apt_hint='check network and disk space, read the log, then run: ./dev setup'

install_as_root() {
  local log=$logs/apt.log
  export DEBIAN_FRONTEND=noninteractive
  attempt "reading the package lists" "$log" "$apt_hint" apt-get update || exit 1
  attempt "installing $# packages" "$log" "$apt_hint" \
    apt-get install "${apt_options[@]}" "$@" || exit 1
}

# In the foreground and unhidden, because sudo may ask for a password.
install_with_sudo() {
  local log=$logs/apt.log
  open_log "$log"
  { sudo apt-get update && sudo env DEBIAN_FRONTEND=noninteractive \
    apt-get install "${apt_options[@]}" "$@"; } 2>&1 | tee "$log" >&2 && return
  explain "$log" "$apt_hint" sudo apt-get install "$@"
  exit 1
}

# The sources of the parsers of user code, which no Debian package has.
need_parsers() {
  tools/parsers/fetch.sh build/parsers --check && return
  attempt "fetching the parsers" "$logs/parsers.log" \
    "check that npm works and reaches its registry, then run: ./dev setup" \
    tools/parsers/fetch.sh build/parsers || exit 1
}

# need SET...: what build, test, lint or bench need is installed when this returns. All that a
# command needs in one call: each that finds something missing reads the package lists anew.
need() {
  need_packages "$@"
  need_parsers
}

need_packages() {
  local set absent wanted=()
  for set in "$@"; do
    local -n packages=${set}_packages
    wanted+=("${packages[@]}")
  done
  if ! command -v dpkg-query >/dev/null; then
    say "this is not a Debian system: taking it on trust that these are there: ${wanted[*]}"
    return
  fi
  mapfile -t absent < <(missing "${wanted[@]}")
  ((${#absent[@]} > 0)) || return 0
  say "missing: ${absent[*]}"
  if is_root; then
    install_as_root "${absent[@]}"
  elif command -v sudo >/dev/null; then
    install_with_sudo "${absent[@]}"
  else
    die "as root, run: apt-get update && apt-get install ${apt_options[*]:0:2} ${absent[*]}"
  fi
}
