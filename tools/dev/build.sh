# Presets, from configure to binary. A build that has nothing to do costs a fraction of a second.

jobs=$(nproc)

# A build directory remembers where its sources were; after a move it is of no use.
drop_if_moved() {
  local cache=build/$1/CMakeCache.txt
  [[ -f $cache ]] || return 0
  grep -qx "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache" || rm -rf "build/$1"
}

# configure PRESET: only when it has not been done since the presets changed. Changes in the
# CMake files are noticed by ninja.
configure() {
  local preset=$1
  drop_if_moved "$preset"
  [[ build/$preset/.configured -nt CMakePresets.json && -f build/$preset/build.ninja ]] && return
  attempt "configuring $preset" "$logs/configure-$preset.log" \
    "a missing library: ./dev setup; a stale directory: ./dev clean; then again" \
    cmake --preset "$preset" || return 1
  touch "build/$preset/.configured"
}

# build PRESET TARGET...: one build at a time in a directory.
build() {
  local preset=$1
  shift
  configure "$preset" || return 1
  attempt "building $preset" "$logs/build-$preset.log" \
    "mend the first error in the log, or start afresh: ./dev clean" \
    flock "build/$preset/.lock" ninja -C "build/$preset" -j "$jobs" "$@"
}

build_release() {
  build release bin/belljar || return 1
  mkdir -p build/bin && ln -sfn ../release/bin/belljar build/bin/belljar
}

# What the presets with sanitizers take from this one: what would take them long to make.
build_shared() { build release bin/belljar; }

# What tests run beside belljar itself.
build_tests() { build release unit_tests bin/bash_guest; }

# build_fuzzers: every target named bin/*_fuzzer, in the folder where the address sanitizer has built
# its unit tests: the libraries are the same.
build_fuzzers() {
  local targets
  build_shared || return 1
  configure asan || return 1
  mapfile -t targets < <(ninja -C build/asan -t targets all |
    sed -n 's|^\(bin/[a-z0-9_]*_fuzzer\): .*|\1|p')
  ((${#targets[@]} > 0)) || { say "the asan preset has no target bin/*_fuzzer"; return 1; }
  build asan "${targets[@]}"
}
