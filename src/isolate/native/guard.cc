#include "isolate/native/guard.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

extern "C" int PySys_AddAuditHook(int (*)(const char*, PyObject*, void*), void*);

namespace belljar::isolate {
namespace {

// The order is guard.py's.
enum Kind : unsigned {
  kDynamicCode,
  kCodeObject,
  kDeserialisation,
  kProcess,
  kNetwork,
  kNative,
  kIntrospection,
  kFiles,
};

unsigned refused = 0;  // bits by Kind
unsigned long long refusals = 0;
PyObject* refusal = nullptr;   // of guard.py
PyObject* builtins = nullptr;  // of user code
PyObject* writable = nullptr;  // tuples of folders, as bytes
PyObject* readable = nullptr;

// A reference that is given back.
class Held {
 public:
  explicit Held(PyObject* object) : object_(object) {}
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() { Py_XDECREF(object_); }
  PyObject* get() const { return object_; }
  PyObject* take() {
    PyObject* const taken = object_;
    object_ = nullptr;
    return taken;
  }

 private:
  PyObject* object_;
};

// Questions are asked while an event is raised: what goes wrong in one must not show.
PyObject* AttributeOf(PyObject* object, const char* name) {
  PyObject* const value = PyObject_GetAttrString(object, name);
  if (value == nullptr) PyErr_Clear();
  return value;
}

PyObject* CurrentFrame() {
  auto* const frame = reinterpret_cast<PyObject*>(PyEval_GetFrame());
  Py_XINCREF(frame);
  return frame;
}

bool IsUsers(PyObject* frame) {
  const Held names(AttributeOf(frame, "f_builtins"));
  return names.get() == builtins;
}

bool IsImporter(PyObject* frame) {
  constexpr char kImporter[] = "<frozen importlib";
  const Held code(AttributeOf(frame, "f_code"));
  if (code.get() == nullptr) return false;
  const Held file(AttributeOf(code.get(), "co_filename"));
  if (file.get() == nullptr) return false;
  const Held bytes(PyUnicode_AsUTF8String(file.get()));
  if (bytes.get() == nullptr) {
    PyErr_Clear();
    return false;
  }
  return ::strncmp(PyBytes_AsString(bytes.get()), kImporter, sizeof(kImporter) - 1) == 0;
}

// The function that raised the event was called by user code itself.
bool UserCalled() {
  const Held frame(CurrentFrame());
  return frame.get() != nullptr && IsUsers(frame.get());
}

// A library is being loaded, and what happens is part of its start.
bool WhileLoading() {
  PyObject* frame = CurrentFrame();
  bool loading = false;
  while (frame != nullptr && frame != Py_None && !loading && !IsUsers(frame)) {
    loading = IsImporter(frame);
    PyObject* const back = AttributeOf(frame, "f_back");
    Py_DECREF(frame);
    frame = back;
  }
  Py_XDECREF(frame);
  return loading;
}

bool LiesBelow(const char* path, PyObject* folders) {
  for (Py_ssize_t i = 0; i < PyTuple_Size(folders); ++i) {
    PyObject* const folder = PyTuple_GetItem(folders, i);
    const auto size = static_cast<std::size_t>(PyBytes_Size(folder));
    if (::strncmp(path, PyBytes_AsString(folder), size) == 0 &&
        (path[size] == '/' || path[size] == '\0')) {
      return true;
    }
  }
  return false;
}

// "/a/../b": as the kernel would go, were there no links.
void Shorten(char* path) {
  char* end = path;
  for (const char* at = path; *at != '\0';) {
    while (*at == '/') ++at;
    const std::size_t size = ::strcspn(at, "/");
    if (size == 2 && at[0] == '.' && at[1] == '.') {
      while (end > path && *--end != '/') {
      }
    } else if (size > 0 && !(size == 1 && at[0] == '.')) {
      *end++ = '/';
      ::memmove(end, at, size);
      end += size;
    }
    at += size;
  }
  if (end == path) *end++ = '/';
  *end = '\0';
}

// The place that `name` leads to; false if there can be none.
bool Resolve(const char* name, char (&path)[PATH_MAX]) {
  if (::realpath(name, path) != nullptr) return true;
  char whole[2 * PATH_MAX];
  whole[0] = '\0';
  if (name[0] != '/' && ::getcwd(whole, PATH_MAX) == nullptr) return false;
  const std::size_t start = ::strlen(whole);
  if (::strlen(name) + 2 > PATH_MAX) return false;
  whole[start] = '/';
  ::strcpy(whole + start + 1, name);
  Shorten(whole);
  if (::strlen(whole) >= PATH_MAX) return false;
  ::strcpy(path, whole);
  return true;
}

bool IsDevice(const char* path) {
  static constexpr const char* kDevices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random",
                                             "/dev/urandom"};
  for (const char* const device : kDevices) {
    if (::strcmp(path, device) == 0) return true;
  }
  return ::strncmp(path, "/dev/fd", 7) == 0 || ::strncmp(path, "/dev/std", 8) == 0 ||
         ::strncmp(path, "pipe:", 5) == 0;
}

enum class Use { kReads, kWrites };

// What a name in an event leads to may be used. Numbers are of files that are open already.
bool MayUse(PyObject* name, Use use) {
  if (name == nullptr || name == Py_None || PyLong_Check(name)) return true;
  PyObject* bytes = nullptr;
  if (PyUnicode_FSConverter(name, &bytes) == 0) {
    PyErr_Clear();
    return true;  // the call itself will say what is wrong with it
  }
  const Held held(bytes);
  char path[PATH_MAX];
  const char* const text = PyBytes_AsString(bytes);
  if (IsDevice(text)) return true;
  if (!Resolve(text, path)) return true;
  if (LiesBelow(path, writable) || IsDevice(path)) return true;
  if (use == Use::kReads && LiesBelow(path, readable)) return true;
  return WhileLoading();
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

bool MayOpen(PyObject* args) {
  const long flags = NumberOf(Argument(args, 2));
  const bool reads = (flags & (O_ACCMODE | O_CREAT | O_TRUNC)) == O_RDONLY;
  return MayUse(Argument(args, 0), reads ? Use::kReads : Use::kWrites);
}

bool MayConnectDatabase(PyObject* args) {
  PyObject* const name = Argument(args, 0);
  if (name != nullptr && PyUnicode_Check(name)) {
    if (PyUnicode_CompareWithASCIIString(name, ":memory:") == 0) return true;
    if (PyUnicode_GetLength(name) == 0) return true;
  }
  return MayUse(name, Use::kWrites);
}

bool MayLoad(PyObject* args) {
  PyObject* const file = Argument(args, 1);  // only of machine code
  if (file == nullptr || !PyUnicode_Check(file)) return true;
  const Held bytes(PyUnicode_AsUTF8String(file));
  if (bytes.get() == nullptr) {
    PyErr_Clear();
    return false;
  }
  return !LiesBelow(PyBytes_AsString(bytes.get()), writable);
}

// Pairs of these are how event loops wake themselves, and lead nowhere.
bool IsLocalSocket(PyObject* args) { return NumberOf(Argument(args, 1)) == AF_UNIX; }

bool ByLibrary(PyObject*) { return !UserCalled(); }
bool ByLoader(PyObject*) { return WhileLoading(); }
bool Never(PyObject*) { return false; }
bool Always(PyObject*) { return true; }
bool MayRead(PyObject* args) { return MayUse(Argument(args, 0), Use::kReads); }
bool MayChange(PyObject* args) { return MayUse(Argument(args, 0), Use::kWrites); }
bool MayChangeBoth(PyObject* args) {
  return MayChange(args) && MayUse(Argument(args, 1), Use::kWrites);
}
bool MayLink(PyObject* args) { return MayRead(args) && MayUse(Argument(args, 1), Use::kWrites); }

struct Watched {
  const char* event;  // one that ends in "*" stands for all that begin so
  Kind kind;
  bool (*may)(PyObject* args);
};

// The first that fits counts.
constexpr Watched kWatched[] = {
    {"open", kFiles, MayOpen},
    {"exec", kDynamicCode, ByLibrary},
    {"compile", kDynamicCode, ByLibrary},
    {"code.__new__", kCodeObject, ByLibrary},
    {"function.__new__", kCodeObject, ByLibrary},
    {"import", kNative, MayLoad},
    {"ctypes.*", kNative, ByLoader},
    {"cpython.PyInterpreterState_New", kNative, Never},
    {"marshal.load", kDeserialisation, ByLibrary},
    {"marshal.loads", kDeserialisation, ByLibrary},
    {"pickle.find_class", kDeserialisation, ByLoader},
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
    {"sqlite3.connect", kFiles, MayConnectDatabase},
    {"os.listdir", kFiles, MayRead},
    {"os.scandir", kFiles, MayRead},
    {"os.remove", kFiles, MayChange},
    {"os.rename", kFiles, MayChangeBoth},
    {"os.mkdir", kFiles, MayChange},
    {"os.rmdir", kFiles, MayChange},
    {"os.link", kFiles, MayLink},
    {"os.symlink", kFiles, MayLink},
    {"os.truncate", kFiles, MayChange},
    {"os.chmod", kFiles, MayChange},
    {"os.chown", kFiles, MayChange},
    {"os.utime", kFiles, MayChange},
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

// Raises the exception that `error` is, whatever it is.
void Raise(PyObject* error) {
  if (error != nullptr && PyExceptionInstance_Check(error)) {
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error)), error);
  } else if (PyErr_Occurred() == nullptr) {
    PyErr_SetString(PyExc_PermissionError, "refused by the guard");
  }
}

int OnEvent(const char* event, PyObject* args, void*) {
  if (refused == 0) return 0;
  const Watched* const watched = FindWatched(event);
  if (watched == nullptr || (refused & (1U << watched->kind)) == 0) return 0;
  if (watched->may(args)) return 0;
  ++refusals;
  PyObject* const subject = watched->kind == kFiles ? Argument(args, 0) : Py_None;
  const Held error(PyObject_CallFunction(refusal, "isO", static_cast<int>(watched->kind), event,
                                         subject == nullptr ? Py_None : subject));
  Raise(error.get());
  return -1;
}

struct Behind {
  PyObject* check = nullptr;
  PyObject* real = nullptr;
};
constexpr int kDoors = 5;
Behind behind[kDoors];

// `self` is the number of the door: whoever looks at it learns nothing.
PyObject* Pass(PyObject* self, PyObject* args, PyObject* named) {
  const long door = NumberOf(self);
  if (door < 0 || door >= kDoors) return nullptr;
  const Held said(PyObject_Call(behind[door].check, args, named));
  if (said.get() == nullptr) return nullptr;
  if (PyExceptionInstance_Check(said.get())) {
    ++refusals;
    Raise(said.get());
    return nullptr;
  }
  if (said.get() != Py_None) {
    Py_INCREF(said.get());
    return said.get();
  }
  return PyObject_Call(behind[door].real, args, named);
}

PyMethodDef DoorNamed(const char* name) {
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(Pass)),
          METH_VARARGS | METH_KEYWORDS, nullptr};
}

PyMethodDef doors[kDoors] = {DoorNamed("__import__"), DoorNamed("eval"), DoorNamed("exec"),
                             DoorNamed("compile"), DoorNamed("breakpoint")};

void Keep(PyObject*& place, PyObject* object) {
  Py_INCREF(object);
  Py_XDECREF(place);
  place = object;
}

}  // namespace

PyObject* Guard(PyObject*, PyObject* args) {
  unsigned bits = 0;
  PyObject *by, *names, *write, *read;
  if (PyArg_ParseTuple(args, "IOOO!O!", &bits, &by, &names, &PyTuple_Type, &write, &PyTuple_Type,
                       &read) == 0) {
    return nullptr;
  }
  const bool first = refusal == nullptr;
  refused = 0;
  Keep(refusal, by);
  Keep(builtins, names);
  Keep(writable, write);
  Keep(readable, read);
  if (first && PySys_AddAuditHook(OnEvent, nullptr) < 0) return nullptr;
  refusals = 0;
  refused = bits;
  Py_RETURN_NONE;
}

PyObject* Refusals(PyObject*, PyObject*) { return PyLong_FromUnsignedLongLong(refusals); }

PyObject* Door(PyObject*, PyObject* args) {
  const char* name = nullptr;
  PyObject *check, *real;
  if (PyArg_ParseTuple(args, "sOO", &name, &check, &real) == 0) return nullptr;
  for (int i = 0; i < kDoors; ++i) {
    if (::strcmp(doors[i].ml_name, name) != 0) continue;
    Keep(behind[i].check, check);
    Keep(behind[i].real, real);
    const Held number(PyLong_FromLong(i));
    if (number.get() == nullptr) return nullptr;
    return PyCFunction_NewEx(&doors[i], number.get(), nullptr);
  }
  return PyErr_Format(PyExc_ValueError, "no door is called %s", name);
}

}  // namespace belljar::isolate
