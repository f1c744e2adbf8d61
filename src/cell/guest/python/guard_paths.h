// Resolves the file names in audit events, for the guard.
//
// The check precedes the call, so a program that swaps links in between evades it (a TOCTOU race).
#pragma once

#define Py_LIMITED_API 0x03080000
#include <Python.h>
#include <limits.h>

namespace belljar::cell::guest {

using Place = char[PATH_MAX];

// Whether the last component is followed if it is a link, or taken itself, as by remove().
enum class Last { kFollowed, kItself };

// Resolves `name` relative to the directory `base` (null: the working directory); it need not
// exist. False if it cannot be resolved.
bool Resolve(const char* name, const char* base, Last last, Place& place);

// The directory behind a descriptor; false: there is none.
bool FolderOf(long fd, Place& place);

// Whether `path` is in one of `folders`, a tuple of bytes, or below one.
bool LiesBelow(const char* path, PyObject* folders);

// IsStream: names such as "/dev/stdin" and "/dev/fd/5". IsDevice: devices that store nothing.
bool IsStream(const char* name);
bool IsDevice(const char* place);

}  // namespace belljar::cell::guest
