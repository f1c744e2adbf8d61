// _belljar: the interpreter's native half. Stable ABI, so one file serves every CPython from 3.8.
//
// Functions:
//   zygote(fd)                serve orders on fd; returns only in a sealed guest, with whether to
//                             reseed (false only in belljar-loose)
//   converse(fd, hello, max, rehearse)  send HELLO, return type and payload of the RUN, SESSION or
//                             RESTORE; if none comes at once, call rehearse() once while waiting,
//                             unless it is None
//   read(most)                bytes that have arrived on the stream since, b"" at its end
//   save(room, base)          save this process to the descriptor received last. Returns 0, or 3 if
//                             the file builds on the file with the inode `base`. In a process
//                             restored from it returns 1, in a branch 2. A text is the reason of
//                             a refusal
//   restore(branch)           become the process saved in the descriptors received last; returns
//                             only on failure, with the reason
//   send(type, payload)       send a frame; given up after a second
//   send_whole(type, payload) send a frame, however long it takes
//   count_opens(quota)        count file operations; after `quota` more, the process exits
//   opens()                   the number counted so far
//   flush()                   flush the buffers of C's stdio
//   compile(source, name)     the code object of a program; the builtin would first create the
//                             types of the syntax tree, which takes longer than most programs
//   guard(), refusals(), door()  see guard.h
//
// The count is only the guest's own report: user code could change it. It catches accidents and is
// shown in usage; no security depends on it.
#define Py_LIMITED_API 0x03080000
#include <Python.h>
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cell/guest/python/checkpoint.h"
#include "cell/guest/python/guard.h"
#include "cell/guest/python/guest_control.h"
#include "cell/native/launcher/zygote_loop.h"

namespace {

using belljar::cell::guest::FrameType;
using belljar::cell::guest::Patience;
using belljar::cell::guest::Saved;

unsigned long long opens_counted = 0;
unsigned long long opens_quota = ~0ULL;

constexpr char kQuota[] = R"({"limit":"file_operations"})";

bool IsFileOperation(const char* event) {
  static constexpr const char* kEvents[] = {
      "open",     "os.listdir", "os.scandir", "os.remove",  "os.rename",
      "os.mkdir", "os.rmdir",   "os.link",    "os.symlink", "os.truncate",
  };
  if (event[0] != 'o') return false;
  for (const char* known : kEvents) {
    if (::strcmp(event, known) == 0) return true;
  }
  return false;
}

int CountOpen(const char* event, PyObject*, void*) {
  if (!IsFileOperation(event)) return 0;
  if (++opens_counted <= opens_quota) return 0;
  belljar::cell::guest::SendControl(FrameType::kQuota, kQuota, sizeof(kQuota) - 1,
                                    Patience::kOneSecond);
  ::_exit(1);
}

// Free memory of a zygote would be copied in every guest that writes to it; malloc_trim() returns
// it, so that less is copied. The large request makes the allocator sort the remaining chunks, and
// the requests for a few chunks of each small size fill its cache (tcache). Otherwise each guest
// would repeat both, and write to a page for each chunk.
void TidyHeap() {
  constexpr int kCached = 7;
  constexpr std::size_t kLargestCached = 1032;
  ::malloc_trim(0);
  void* volatile large = ::malloc(100'000);
  ::free(large);
  for (std::size_t size = 24; size <= kLargestCached; size += 16) {
    void* volatile pieces[kCached];
    for (void* volatile& piece : pieces) piece = ::malloc(size);
    for (void* piece : pieces) ::free(piece);
  }
}

PyObject* Zygote(PyObject*, PyObject* args) {
  int fd = -1;
  if (PyArg_ParseTuple(args, "i", &fd) == 0) return nullptr;
  static belljar::cell::native::GuestOrder order;
  const belljar::cell::native::ForkHooks hooks{PyOS_BeforeFork, PyOS_AfterFork_Parent,
                                               PyOS_AfterFork_Child};
  belljar::cell::guest::ReserveStage();  // without it, no checkpoint can be made
  TidyHeap();
  belljar::cell::native::ServeGuests(fd, hooks, &order);
  belljar::cell::native::ReportSealed();
  using belljar::cell::native::Step;
  return PyBool_FromLong(belljar::cell::native::Enabled(order.off, Step::kReseed) ? 1 : 0);
}

PyObject* Converse(PyObject*, PyObject* args) {
  int fd = -1;
  PyObject* hello = nullptr;
  Py_ssize_t max = 0;
  PyObject* rehearse = nullptr;
  if (PyArg_ParseTuple(args, "iSnO", &fd, &hello, &max, &rehearse) == 0) return nullptr;
  belljar::cell::guest::OpenControl(fd);
  belljar::cell::guest::SendControl(FrameType::kHello, PyBytes_AsString(hello),
                                    static_cast<std::size_t>(PyBytes_Size(hello)),
                                    Patience::kOneSecond);
  // Not in deterministic runs: NobodyAsks() waits, which would advance the virtual clock.
  if (rehearse != Py_None && belljar::cell::guest::NobodyAsks()) {
    PyObject* const rehearsed = PyObject_CallFunctionObjArgs(rehearse, nullptr);
    if (rehearsed == nullptr) return nullptr;
    Py_DECREF(rehearsed);
  }
  const auto asked = belljar::cell::guest::ReadAskedHeader(static_cast<std::size_t>(max));
  PyObject* const payload = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(asked.size));
  if (payload == nullptr) return nullptr;
  belljar::cell::guest::ReadAsked(PyBytes_AsString(payload), asked.size);
  return Py_BuildValue("iN", static_cast<int>(asked.type), payload);
}

// Makes one read. Signal handlers run when it is interrupted, as in os.read().
PyObject* Read(PyObject*, PyObject* args) {
  Py_ssize_t most = 0;
  if (PyArg_ParseTuple(args, "n", &most) == 0) return nullptr;
  char* const buffer = static_cast<char*>(::malloc(static_cast<std::size_t>(most)));
  if (buffer == nullptr) return PyErr_NoMemory();
  PyObject* bytes = nullptr;
  for (;;) {
    PyThreadState* const thread = PyEval_SaveThread();
    const ssize_t n = belljar::cell::guest::ReadControl(buffer, static_cast<std::size_t>(most));
    const bool interrupted = n < 0 && errno == EINTR;
    PyEval_RestoreThread(thread);
    if (interrupted && PyErr_CheckSignals() == 0) continue;
    if (!interrupted) bytes = PyBytes_FromStringAndSize(buffer, n > 0 ? n : 0);
    break;
  }
  ::free(buffer);
  return bytes;
}

PyObject* Save(PyObject*, PyObject* args) {
  unsigned long long room = 0;
  unsigned long long base = 0;
  if (PyArg_ParseTuple(args, "KK", &room, &base) == 0) return nullptr;
  const int fd = belljar::cell::guest::TakeReceived().file;
  static char why[512];
  const Saved saved = belljar::cell::guest::SaveProcess({fd, room, base}, why, sizeof(why));
  if (saved == Saved::kRestored || saved == Saved::kBranched) {
    belljar::cell::guest::ResumeControl();
  } else {
    ::close(fd);
  }
  if (saved == Saved::kRefused) return PyUnicode_DecodeFSDefault(why);
  return PyLong_FromLong(static_cast<long>(saved));
}

PyObject* Restore(PyObject*, PyObject* args) {
  int branch = 0;
  if (PyArg_ParseTuple(args, "i", &branch) == 0) return nullptr;
  using belljar::cell::guest::As;
  const belljar::cell::guest::Received from = belljar::cell::guest::TakeReceived();
  return PyUnicode_FromString(belljar::cell::guest::RestoreProcess(
      from.file, from.base, branch != 0 ? As::kBranch : As::kItself));
}

PyObject* Send(PyObject*, PyObject* args) {
  unsigned char type = 0;
  PyObject* payload = nullptr;
  if (PyArg_ParseTuple(args, "bS", &type, &payload) == 0) return nullptr;
  belljar::cell::guest::SendControl(FrameType{type}, PyBytes_AsString(payload),
                                    static_cast<std::size_t>(PyBytes_Size(payload)),
                                    Patience::kOneSecond);
  Py_RETURN_NONE;
}

// Python's signal handlers run only after the whole frame has been sent.
PyObject* SendWhole(PyObject*, PyObject* args) {
  unsigned char type = 0;
  PyObject* payload = nullptr;
  if (PyArg_ParseTuple(args, "bS", &type, &payload) == 0) return nullptr;
  const char* const bytes = PyBytes_AsString(payload);
  const auto size = static_cast<std::size_t>(PyBytes_Size(payload));
  PyThreadState* const thread = PyEval_SaveThread();
  belljar::cell::guest::SendControl(FrameType{type}, bytes, size, Patience::kEndless);
  PyEval_RestoreThread(thread);
  Py_RETURN_NONE;
}

extern "C" int PySys_AddAuditHook(int (*)(const char*, PyObject*, void*), void*);

PyObject* CountOpens(PyObject*, PyObject* args) {
  unsigned long long quota = 0;
  if (PyArg_ParseTuple(args, "K", &quota) == 0) return nullptr;
  const bool counting = opens_quota != ~0ULL;
  opens_quota = opens_counted + quota;
  if (!counting && PySys_AddAuditHook(CountOpen, nullptr) < 0) return nullptr;
  Py_RETURN_NONE;
}

PyObject* Opens(PyObject*, PyObject*) { return PyLong_FromUnsignedLongLong(opens_counted); }

PyObject* Flush(PyObject*, PyObject*) {
  ::fflush(nullptr);
  Py_RETURN_NONE;
}

PyObject* Compile(PyObject*, PyObject* args) {
  const char *source = nullptr, *name = nullptr;
  if (PyArg_ParseTuple(args, "ys", &source, &name) == 0) return nullptr;
  return Py_CompileString(source, name, Py_file_input);
}

PyMethodDef methods[] = {
    {"zygote", Zygote, METH_VARARGS, "Serve orders; returns in a sealed guest."},
    {"converse", Converse, METH_VARARGS, "Say HELLO and return what is asked for."},
    {"read", Read, METH_VARARGS, "What has come, at most so many bytes."},
    {"save", Save, METH_VARARGS, "Save this process."},
    {"restore", Restore, METH_VARARGS, "Become the process that was saved."},
    {"send", Send, METH_VARARGS, "Send a frame."},
    {"send_whole", SendWhole, METH_VARARGS, "Send a frame, however long it takes."},
    {"count_opens", CountOpens, METH_VARARGS, "Count file operations up to a quota."},
    {"opens", Opens, METH_NOARGS, "File operations counted so far."},
    {"flush", Flush, METH_NOARGS, "Write out what C's stdio holds."},
    {"compile", Compile, METH_VARARGS, "The code of a program."},
    {"guard", belljar::cell::guest::Guard, METH_VARARGS, "Refuse events of some kinds."},
    {"refusals", belljar::cell::guest::Refusals, METH_NOARGS, "How many were refused so far."},
    {"door", belljar::cell::guest::Door, METH_VARARGS, "A function in front of a builtin."},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_belljar", nullptr, -1, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__belljar() { return PyModule_Create(&definition); }
