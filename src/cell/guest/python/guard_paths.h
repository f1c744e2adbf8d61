// Where the names in audit events lead, for the guard.
//
// A look before the call: whoever swaps links between the look and the call is past it.
#pragma once

#define Py_LIMITED_API 0x03080000
#include <Python.h>
#include <limits.h>

namespace belljar::cell::guest {

using Place = char[PATH_MAX];

// How the last part of a name is taken: followed if it is a link, or itself, as by remove().
enum class Last { kFollowed, kItself };

// The place that `name` leads to, from the folder `base` (null: the working directory), however
// much of it exists. False if it leads nowhere.
bool Resolve(const char* name, const char* base, Last last, Place& place);

// The folder behind a number of a file; false: none.
bool FolderOf(long fd, Place& place);

// `folders` is a tuple of bytes.
bool LiesBelow(const char* path, PyObject* folders);

// "/dev/stdin", "/dev/fd/5", and devices without memory.
bool IsStream(const char* name);
bool IsDevice(const char* place);

}  // namespace belljar::cell::guest
