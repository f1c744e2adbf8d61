#include "cell/guest/python/guard.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "cell/guest/protocol/guard_rules.h"
#include "cell/guest/python/guard_paths.h"
#include "cell/guest/python/guard_proxy.h"
#include "cell/listener_places.h"

extern "C" int PySys_AddAuditHook(int (*)(const char*, PyObject*, void*), void*);

namespace belljar::cell::guest {
namespace {

using enum GuardKind;

unsigned refused = 0;              // bits by GuardKind
PyObject* refusal = nullptr;       // of guard.py
PyObject* check_import = nullptr;  // of guard.py
PyObject* own = nullptr;           // the guest's folder, a tuple of one
PyObject* writable = nullptr;      // tuples of folders, as bytes
PyObject* readable = nullptr;
char place[PATH_MAX];  // the path of the last event; "" for none

// Reads an attribute for a check. Errors are cleared, because a check runs while an event is being
// raised.
PyObject* AttributeOf(PyObject* object, const char* name) {
  PyObject* const value = PyObject_GetAttrString(object, name);
  if (value == nullptr) PyErr_Clear();
  return value;
}

// The owner of code, by the path of its file: user code cannot write to the directories of the
// libraries and of the guest.
enum class Of { kUser, kLibrary, kImporter, kGuest };

Of OwnerOf(PyObject* code) {
  const Held file(AttributeOf(code, "co_filename"));
  if (file.get() == nullptr || !PyUnicode_Check(file.get())) return Of::kUser;
  const Held bytes(PyUnicode_AsUTF8String(file.get()));
  if (bytes.get() == nullptr) {
    PyErr_Clear();
    return Of::kUser;
  }
  const char* const path = PyBytes_AsString(bytes.get());
  if (::strncmp(path, "<frozen importlib", 17) == 0) return Of::kImporter;
  if (::strncmp(path, "<frozen ", 8) == 0) return Of::kLibrary;
  if (::strstr(path, "/../") != nullptr) return Of::kUser;
  if (LiesBelow(path, own)) return Of::kGuest;
  return LiesBelow(path, readable) ? Of::kLibrary : Of::kUser;
}

// Visits the frames from the innermost outwards, as long as `look` returns true.
template <class Look>
void WalkFrames(const Look& look) {
  auto* frame = reinterpret_cast<PyObject*>(PyEval_GetFrame());
  Py_XINCREF(frame);
  while (frame != nullptr && frame != Py_None) {
    const Held code(AttributeOf(frame, "f_code"));
    const bool on = code.get() != nullptr && look(code.get(), OwnerOf(code.get()));
    PyObject* const back = on ? AttributeOf(frame, "f_back") : nullptr;
    Py_DECREF(frame);
    frame = back;
  }
  Py_XDECREF(frame);
}

// The owner of the code that called the function that raised the event.
Of Caller() {
  Of caller = Of::kUser;
  WalkFrames([&](PyObject*, Of of) {
    caller = of;
    return false;
  });
  return caller;
}

bool UserCalled() { return Caller() == Of::kUser; }

bool OnlyGuestIsHere() {
  bool only = true;
  WalkFrames([&](PyObject*, Of of) {
    only = of == Of::kGuest;
    return only;
  });
  return only;
}

bool IsModuleBody(PyObject* code) {
  const Held name(AttributeOf(code, "co_name"));
  return name.get() != nullptr && PyUnicode_Check(name.get()) &&
         PyUnicode_CompareWithASCIIString(name.get(), "<module>") == 0;
}

// Whether a library is being imported, and the event is part of that.
bool WhileLoading() {
  bool loading = false;
  WalkFrames([&](PyObject* code, Of of) {
    loading = of == Of::kLibrary && IsModuleBody(code);
    return !loading && of != Of::kUser && of != Of::kGuest;
  });
  return loading;
}

enum class Use { kReads, kWrites };

bool IsFree(const char* path, Use use) {
  return LiesBelow(path, writable) || IsDevice(path) ||
         (use == Use::kReads && (LiesBelow(path, readable) || LiesBelow(path, own)));
}

// Whether the file that an event names may be used. Numbers are descriptors of files that are open
// already.
bool MayUseFrom(PyObject* name, const char* base, Use use, Last last) {
  if (name == nullptr || PyLong_CheckExact(name) || PyBool_Check(name)) return true;
  // A path-like object may return another path at the next call.
  const bool is_text = PyUnicode_Check(name) || PyBytes_Check(name);
  if (!is_text && name != Py_None && UserCalled()) return false;
  PyObject* bytes = nullptr;
  if (name == Py_None) {
    bytes = PyBytes_FromString(".");
  } else if (PyUnicode_FSConverter(name, &bytes) == 0) {
    PyErr_Clear();
    return is_text;  // a text that is no valid name: the call itself will fail
  }
  const Held held(bytes);
  const char* const text = PyBytes_AsString(bytes);
  if (text == nullptr || IsStream(text) || ::strlen(text) >= PATH_MAX) return true;
  if (!Resolve(text, base, last, place)) {
    ::snprintf(place, sizeof(place), "%s", text);
    return false;
  }
  if (IsFree(place, use)) return true;
  if (use == Use::kReads) return WhileLoading();
  // The importer tries to cache the bytecode it has compiled; the image is read-only anyway.
  return LiesBelow(place, readable) && Caller() == Of::kImporter;
}

bool MayUse(PyObject* name, Use use, Last last = Last::kFollowed) {
  return MayUseFrom(name, nullptr, use, last);
}

PyObject* Argument(PyObject* args, Py_ssize_t i) {
  return i < PyTuple_Size(args) ? PyTuple_GetItem(args, i) : nullptr;
}

long NumberOf(PyObject* object) {
  if (object == nullptr || !PyLong_Check(object)) return -1;
  const long number = PyLong_AsLong(object);
  if (number == -1) PyErr_Clear();
  return number;
}

// Checks a change of a name. Argument `at` of the event is the descriptor of the directory to which
// the name is relative.
bool MayRename(PyObject* args, Py_ssize_t name, Py_ssize_t at) {
  const long fd = NumberOf(Argument(args, at));
  Place folder;
  if (fd < 0) return MayUse(Argument(args, name), Use::kWrites, Last::kItself);
  return FolderOf(fd, folder) &&
         MayUseFrom(Argument(args, name), folder, Use::kWrites, Last::kItself);
}

bool ClimbsUp(PyObject* name) {
  if (name == nullptr || PyLong_CheckExact(name)) return false;
  PyObject* bytes = nullptr;
  if (PyUnicode_FSConverter(name, &bytes) == 0) {
    PyErr_Clear();
    return true;
  }
  const Held held(bytes);
  const char* const text = PyBytes_AsString(bytes);
  return text[0] != '/' && ::strstr(text, "..") != nullptr;
}

bool MayOpen(PyObject* args) {
  const long flags = NumberOf(Argument(args, 2));
  const bool reads = (flags & (O_ACCMODE | O_CREAT | O_TRUNC)) == O_RDONLY;
  // os.open may be relative to another directory, which the event does not tell.
  const bool is_os = Argument(args, 1) == Py_None;
  if (is_os && ClimbsUp(Argument(args, 0)) && UserCalled()) return false;
  return MayUse(Argument(args, 0), reads ? Use::kReads : Use::kWrites);
}

bool MayConnectDatabase(PyObject* args) {
  PyObject* const name = Argument(args, 0);
  if (name == nullptr || !PyUnicode_Check(name)) return MayUse(name, Use::kWrites);
  if (PyUnicode_CompareWithASCIIString(name, ":memory:") == 0) return true;
  if (PyUnicode_GetLength(name) == 0) return true;
  const Held scheme(PyUnicode_FromString("file:"));
  return PyUnicode_Tailmatch(name, scheme.get(), 0, 5, -1) == 0 && MayUse(name, Use::kWrites);
}

// Checks the import of machine code by its file; events without a file name are allowed.
bool MayLoad(PyObject* args) {
  PyObject* const file = Argument(args, 1);
  if (file == nullptr || !PyUnicode_Check(file)) return true;
  const Held bytes(PyUnicode_AsUTF8String(file));
  if (bytes.get() == nullptr) {
    PyErr_Clear();
    return false;
  }
  return Resolve(PyBytes_AsString(bytes.get()), nullptr, Last::kFollowed, place) &&
         (LiesBelow(place, readable) || LiesBelow(place, own));
}

// Event loops use pairs of Unix sockets to wake themselves; a pair leads nowhere.
bool IsLocalSocket(PyObject* args) { return NumberOf(Argument(args, 1)) == AF_UNIX; }

// Connects to the cell's tools listener are allowed: the policy has opened it. In a cell without
// that listener nothing answers there.
bool IsToolsSocket(PyObject* args) {
  PyObject* const address = Argument(args, 1);
  return address != nullptr && PyUnicode_CheckExact(address) &&
         PyUnicode_CompareWithASCIIString(address, kToolsSocket) == 0;
}

bool ByLibrary(PyObject*) { return !UserCalled(); }
bool ByLoader(PyObject*) { return WhileLoading(); }
bool Never(PyObject*) { return false; }
bool Always(PyObject*) { return true; }
bool MayRead(PyObject* args) { return MayUse(Argument(args, 0), Use::kReads); }
bool MayChange(PyObject* args) { return MayUse(Argument(args, 0), Use::kWrites); }
bool MayRemove(PyObject* args) { return MayRename(args, 0, 1); }
bool MayMake(PyObject* args) { return MayRename(args, 0, 2); }
bool MayMove(PyObject* args) { return MayRename(args, 0, 2) && MayRename(args, 1, 3); }
bool MayLink(PyObject* args) {
  return MayUse(Argument(args, 0), Use::kReads) && MayRename(args, 1, 3);
}

// The target of a symbolic link is relative to the directory of the link.
bool MayLinkSoftly(PyObject* args) {
  if (!MayRename(args, 1, 2)) return false;
  char* const slash = ::strrchr(place, '/');
  if (slash == nullptr) return false;
  *slash = '\0';
  Place folder;
  ::snprintf(folder, sizeof(folder), "%s", place[0] == '\0' ? "/" : place);
  return MayUseFrom(Argument(args, 0), folder, Use::kReads, Last::kFollowed);
}

struct Watched {
  const char* event;  // one that ends in "*" stands for all that begin so
  GuardKind kind;
  bool (*may)(PyObject* args);
};

// The first match counts.
constexpr Watched kWatched[] = {
    {"open", kFileOutside, MayOpen},
    {"exec", kEval, ByLibrary},
    {"compile", kEval, ByLibrary},
    {"code.__new__", kCodeObject, ByLibrary},
    {"function.__new__", kCodeObject, ByLibrary},
    {"import", kNative, MayLoad},
    {"ctypes.*", kNative, ByLoader},
    {"sqlite3.enable_load_extension", kNative, Never},
    {"sqlite3.load_extension", kNative, Never},
    {"cpython.PyInterpreterState_New", kNative, Never},
    {"marshal.load", kDeserialise, ByLibrary},
    {"marshal.loads", kDeserialise, ByLibrary},
    {"pickle.find_class", kDeserialise, ByLoader},
    {"os.system", kProcess, Never},
    {"os.exec", kProcess, Never},
    {"os.posix_spawn", kProcess, Never},
    {"os.spawn", kProcess, Never},
    {"os.fork", kProcess, Never},
    {"os.forkpty", kProcess, Never},
    {"os.kill", kProcess, Never},
    {"os.killpg", kProcess, Never},
    {"signal.pthread_kill", kProcess, Never},
    {"subprocess.Popen", kProcess, Never},
    {"pty.spawn", kProcess, Never},
    {"socket.__new__", kNetwork, IsLocalSocket},
    {"socket.connect", kNetwork, IsToolsSocket},
    {"socket.gethostname", kNetwork, Always},
    {"socket.getservby*", kNetwork, Always},
    {"socket.*", kNetwork, Never},
    {"urllib.Request", kNetwork, Never},
    {"http.client.*", kNetwork, Never},
    {"ftplib.*", kNetwork, Never},
    {"smtplib.*", kNetwork, Never},
    {"telnetlib.*", kNetwork, Never},
    {"poplib.*", kNetwork, Never},
    {"imaplib.*", kNetwork, Never},
    {"webbrowser.open", kNetwork, Never},
    {"gc.get_*", kIntrospection, ByLibrary},
    {"sys._getframe", kIntrospection, ByLibrary},
    {"sys._current_*", kIntrospection, ByLibrary},
    {"object.__getattr__", kIntrospection, ByLibrary},
    {"sqlite3.connect", kFileOutside, MayConnectDatabase},
    {"os.listdir", kFileOutside, MayRead},
    {"os.scandir", kFileOutside, MayRead},
    {"os.remove", kFileOutside, MayRemove},
    {"os.rename", kFileOutside, MayMove},
    {"os.mkdir", kFileOutside, MayMake},
    {"os.rmdir", kFileOutside, MayRemove},
    {"os.link", kFileOutside, MayLink},
    {"os.symlink", kFileOutside, MayLinkSoftly},
    {"os.truncate", kFileOutside, MayChange},
    {"os.chmod", kFileOutside, MayChange},
    {"os.chown", kFileOutside, MayChange},
    {"os.utime", kFileOutside, MayChange},
};

const Watched* FindWatched(const char* event) {
  for (const Watched& watched : kWatched) {
    if (watched.event[0] != event[0]) continue;
    const std::size_t size = ::strlen(watched.event) - 1;
    const bool fits = watched.event[size] == '*' ? ::strncmp(event, watched.event, size) == 0
                                                 : ::strcmp(event, watched.event) == 0;
    if (fits) return &watched;
  }
  return nullptr;
}

// Whether user code imports without the door, by the real __import__ of a library's builtins.
bool ImportsPastTheDoor(const char* event, PyObject* args) {
  return ::strcmp(event, "import") == 0 && importing != PyEval_GetFrame() &&
         Argument(args, 1) == Py_None && UserCalled();
}

int CheckImport(PyObject* args) {
  const Held error(PyObject_CallFunctionObjArgs(check_import, Argument(args, 0), nullptr));
  if (error.get() == Py_None) return 0;
  ++refusals;
  Raise(error.get());
  return -1;
}

// Examining frames raises events as well, which must not be examined.
__thread bool looking = false;

int Look(const char* event, PyObject* args) {
  if (ImportsPastTheDoor(event, args)) return CheckImport(args);
  const Watched* const watched = FindWatched(event);
  if (watched == nullptr || (refused & (1U << static_cast<unsigned>(watched->kind))) == 0) return 0;
  place[0] = '\0';
  if (watched->may(args)) return 0;
  ++refusals;
  const Held subject(PyUnicode_DecodeFSDefault(place));
  const Held error(PyObject_CallFunction(refusal, "isO", static_cast<int>(watched->kind), event,
                                         subject.get() == nullptr ? Py_None : subject.get()));
  Raise(error.get());
  return -1;
}

int OnEvent(const char* event, PyObject* args, void*) {
  if (refused == 0 || looking) return 0;
  looking = true;
  const int said = Look(event, args);
  looking = false;
  return said;
}

bool AreBytes(PyObject* folders) {
  for (Py_ssize_t i = 0; i < PyTuple_Size(folders); ++i) {
    if (!PyBytes_Check(PyTuple_GetItem(folders, i))) return false;
  }
  return true;
}

}  // namespace

PyObject* Guard(PyObject*, PyObject* args) {
  unsigned bits = 0;
  PyObject *by, *by_import, *guests, *write, *read;
  if (PyArg_ParseTuple(args, "IOOO!O!O!", &bits, &by, &by_import, &PyTuple_Type, &guests,
                       &PyTuple_Type, &write, &PyTuple_Type, &read) == 0) {
    return nullptr;
  }
  const bool first = refusal == nullptr;
  if (!AreBytes(guests) || !AreBytes(write) || !AreBytes(read) || !(first || OnlyGuestIsHere())) {
    PyErr_SetString(PyExc_PermissionError, "the guard is not for programs to set");
    return nullptr;
  }
  refused = 0;
  Keep(refusal, by);
  Keep(check_import, by_import);
  Keep(own, guests);
  Keep(writable, write);
  Keep(readable, read);
  if (first && PySys_AddAuditHook(OnEvent, nullptr) < 0) return nullptr;
  refusals = 0;
  refused = bits;
  Py_RETURN_NONE;
}

PyObject* Refusals(PyObject*, PyObject*) { return PyLong_FromUnsignedLongLong(refusals); }

}  // namespace belljar::cell::guest
