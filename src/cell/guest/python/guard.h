// The guard's native half: an audit hook that refuses, and doors in front of functions.
//
// guard.py decides what is refused and in which words; here is what user code cannot simply
// replace. A hook, once added, cannot be taken away by Python code; a door shows nothing of what is
// behind it, and leaves no frame in a traceback. Neither is a wall: whoever can write to this
// process's memory is past both, and meets the cell.
#pragma once

#define Py_LIMITED_API 0x03080000
#include <Python.h>

namespace belljar::cell::guest {

// guard(refused, refusal, check_import, own, writable, readable): from now on, events of the kinds
// in the bits `refused` raise what refusal(kind, event, place) returns. Frames of files below `own`
// (bytes) are the guest's, those below `readable` (a tuple of bytes) libraries', all others user
// code's. Files are free below `writable`, and to be read below `readable`. Can be called again, by
// the guest alone, and then counts anew.
PyObject* Guard(PyObject* self, PyObject* args);

// refusals(): how many there were.
PyObject* Refusals(PyObject* self, PyObject* args);

// door(name, check, behind): a function or, for those of modules, a method of that name. It calls
// check with its arguments: an exception that this returns is raised; where `behind` is None any
// other value is the result; else None means to call `behind`, and another value is the result.
// Each can be made once.
PyObject* Door(PyObject* self, PyObject* args);

}  // namespace belljar::cell::guest
