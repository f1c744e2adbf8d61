// The environment of a program whose caller sets no variables.
//
// Interpreters that wait for a program are started with it, so that most programs need no change of
// it when they arrive.
#pragma once

namespace belljar::cell::guest {

inline constexpr int kDefaultVariables = 6;
inline constexpr const char* kDefaultEnvironment[kDefaultVariables] = {
    "PATH=/usr/local/bin:/usr/bin:/bin",
    "HOME=/workspace",
    "LANG=C.UTF-8",
    "USER=belljar",
    "LOGNAME=belljar",
    "TMPDIR=/tmp"};

}  // namespace belljar::cell::guest
