// The guard's native half: an audit hook that refuses events, and doors: proxies in front of
// functions.
//
// guard.py decides what is refused and with which messages; this half is what user code cannot
// simply replace. Python code cannot remove a hook once it is added; a door hides the function
// behind it and leaves no frame in a traceback. Neither is a security boundary: code that can write
// to this process's memory bypasses both, and is then confined by the cell.
#pragma once

#define Py_LIMITED_API 0x03080000
#include <Python.h>

namespace belljar::cell::guest {

// guard(refused, refusal, check_import, own, writable, readable): from now on, events of the kinds
// in the bits `refused` raise the exception that refusal(kind, event, place) returns. Code of files
// below `own` (a tuple of bytes) is the guest's, code below `readable` (a tuple of bytes) is a
// library's, and all other code is the user's. Files below `writable` may be used freely, files
// below `readable` may be read. Only the guest may call it again; each call resets the count.
PyObject* Guard(PyObject* self, PyObject* args);

// refusals(): the number of refusals so far.
PyObject* Refusals(PyObject* self, PyObject* args);

// door(name, check, behind): makes a proxy of that name, a function or, for the methods of modules,
// a method. It calls check with its own arguments. If that returns an exception, the proxy raises
// it. If `behind` is None, any other value is the result. Otherwise None means to call `behind`,
// and any other value is the result. Each door can be made only once.
PyObject* Door(PyObject* self, PyObject* args);

}  // namespace belljar::cell::guest
