// What the guard's hook and its doors have in common.
#pragma once

#define Py_LIMITED_API 0x03080000
#include <Python.h>

namespace belljar::cell::guest {

extern unsigned long long refusals;
extern __thread const void* importing;  // the frame that came through the door before import last

// A reference that is given back.
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

// Gives up what was kept for `object`.
void Keep(PyObject*& kept, PyObject* object);

// Raises the exception that `error` is, whatever it is.
void Raise(PyObject* error);

}  // namespace belljar::cell::guest
