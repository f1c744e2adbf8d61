// State and helpers that the guard's audit hook and its doors share.
#pragma once

#define Py_LIMITED_API 0x03080000
#include <Python.h>

namespace belljar::cell::guest {

extern unsigned long long refusals;
extern __thread const void* importing;  // the frame of the latest import through a door

// Owns a reference and releases it.
class Held {
 public:
  explicit Held(PyObject* object) : object_(object) {}
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() { Py_XDECREF(object_); }
  PyObject* get() const { return object_; }

 private:
  PyObject* object_;
};

// Replaces the reference in `kept` by one to `object`.
void Keep(PyObject*& kept, PyObject* object);

// Raises `error` if it is an exception, else a PermissionError.
void Raise(PyObject* error);

}  // namespace belljar::cell::guest
