// The guard's native half: an audit hook that refuses, and doors in front of builtins.
//
// guard.py decides what is refused and in which words; here is what user code cannot simply
// replace. A hook, once added, cannot be taken away by Python code, and a door shows nothing of
// what is behind it. Neither is a wall: whoever can write to this process's memory is past both,
// and meets the cell.
#pragma once

#define Py_LIMITED_API 0x03080000
#include <Python.h>

namespace belljar::isolate {

// guard(refused, refusal, builtins, writable, readable): from now on, events of the kinds in the
// bits `refused` raise what refusal(kind, event, subject) returns. User code is what runs with
// `builtins` as its builtins. Files are free below the folders in `writable`, and to be read below
// those in `readable`. Can be called again, and then counts anew.
PyObject* Guard(PyObject* self, PyObject* args);

// refusals(): how many there were.
PyObject* Refusals(PyObject* self, PyObject* args);

// door(name, check, behind): a function of that name. It calls check with its arguments: an
// exception that this returns is raised, another value but None is the result, and for None it
// calls `behind`. Names: __import__, eval, exec, compile, breakpoint.
PyObject* Door(PyObject* self, PyObject* args);

}  // namespace belljar::isolate
