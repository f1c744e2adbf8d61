// What a program finds in its environment when the caller names nothing.
//
// Interpreters that wait for a program are started with it, so that for most there is nothing left
// to change when it arrives.
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
