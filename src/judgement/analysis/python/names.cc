#include "judgement/analysis/python/names.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "judgement/analysis/name_memory.h"
#include "judgement/analysis/name_set.h"
#include "judgement/analysis/python/eval.h"

namespace belljar::judgement::analysis::python {
namespace {

// Modules that are reachable as attributes of modules that import them: random._os is os.
const NameSet& Reachable() {
  static const NameSet modules = {
      "os",       "sys",     "subprocess",      "socket", "ctypes", "importlib",
      "builtins", "pickle",  "marshal",         "shutil", "signal", "posix",
      "pty",      "inspect", "multiprocessing", "imp",    "runpy",  "ssl",
  };
  return modules;
}

struct Spelling {
  std::string_view from, to;
};

// Aliases of modules and their canonical names.
constexpr std::array<Spelling, 15> kSpellings = {{
    {"posix", "os"},
    {"nt", "os"},
    {"posixpath", "os.path"},
    {"ntpath", "os.path"},
    {"_io", "io"},
    {"_pickle", "pickle"},
    {"cPickle", "pickle"},
    {"_socket", "socket"},
    {"_ssl", "ssl"},
    {"_signal", "signal"},
    {"_ctypes", "ctypes"},
    {"_posixsubprocess", "subprocess"},
    {"_multiprocessing", "multiprocessing"},
    {"_imp", "imp"},
    {"__builtin__", "builtins"},
}};
// Kept apart, because most names begin with this prefix.
constexpr Spelling kSpellingOfBuiltins = {"builtins.__builtins__", "builtins"};

constexpr std::array<bool, 256> kBeginsSpelling = [] {
  std::array<bool, 256> begins{};
  for (const Spelling& spelling : kSpellings) {
    begins[static_cast<unsigned char>(spelling.from.front())] = true;
  }
  return begins;
}();

struct Entry {
  // "a.*" matches everything below a; "a" matches itself and everything below it.
  std::string_view name;
  std::string_view rule;
};

constexpr Entry kEntries[] = {
    {"builtins.eval", "py-eval"},
    {"builtins.exec", "py-eval"},
    {"builtins.compile", "py-eval"},
    {"builtins.execfile", "py-eval"},
    {"builtins.breakpoint", "py-introspection"},
    {"code.*", "py-eval"},
    {"codeop.*", "py-eval"},
    {"runpy.*", "py-eval"},
    {"builtins.get_ipython", "py-eval"},
    {"builtins.__loader__", "py-introspection"},
    {"builtins.__spec__", "py-introspection"},
    {"numpy.f2py", "py-native"},
    {"numpy.distutils", "py-native"},
    {"logging.config.listen", "py-network"},
    {"asyncio.loop.subprocess_exec", "py-process"},
    {"asyncio.loop.subprocess_shell", "py-process"},
    {"asyncio.loop.create_connection", "py-network"},
    {"asyncio.loop.create_server", "py-network"},
    {"asyncio.loop.create_datagram_endpoint", "py-network"},
    {"asyncio.loop.create_unix_connection", "py-network"},
    {"asyncio.loop.create_unix_server", "py-network"},
    {"pdb.*", "py-introspection"},
    {"importlib.*", "py-dynamic-import"},
    {"imp.*", "py-dynamic-import"},
    {"zipimport.*", "py-dynamic-import"},
    {"pkgutil.get_loader", "py-dynamic-import"},
    {"pkgutil.resolve_name", "py-dynamic-import"},
    {"pydoc.locate", "py-dynamic-import"},
    {"pickle.load", "py-deserialise"},
    {"pickle.loads", "py-deserialise"},
    {"pickle.Unpickler", "py-deserialise"},
    {"marshal.load", "py-deserialise"},
    {"marshal.loads", "py-deserialise"},
    {"shelve.open", "py-deserialise"},
    {"shelve.DbfilenameShelf", "py-deserialise"},
    {"yaml.unsafe_load", "py-deserialise"},
    {"yaml.unsafe_load_all", "py-deserialise"},
    {"yaml.full_load", "py-deserialise"},
    {"yaml.UnsafeLoader", "py-deserialise"},
    {"yaml.FullLoader", "py-deserialise"},
    {"yaml.Loader", "py-deserialise"},
    {"dill.load", "py-deserialise"},
    {"dill.loads", "py-deserialise"},
    {"cloudpickle.load", "py-deserialise"},
    {"cloudpickle.loads", "py-deserialise"},
    {"joblib.load", "py-deserialise"},
    {"jsonpickle.decode", "py-deserialise"},
    {"jsonpickle.loads", "py-deserialise"},
    {"pandas.read_pickle", "py-deserialise"},
    {"torch.hub.load", "py-network"},
    {"flask.Flask.run", "py-network"},
    {"sklearn.externals.joblib.load", "py-deserialise"},
    {"nltk.download", "py-network"},
    {"torch.load", "py-deserialise"},
    {"multiprocessing.reduction", "py-deserialise"},
    {"os.system", "py-process"},
    {"os.popen", "py-process"},
    {"os.fork", "py-process"},
    {"os.forkpty", "py-process"},
    {"os.posix_spawn", "py-process"},
    {"os.posix_spawnp", "py-process"},
    {"os.startfile", "py-process"},
    {"os.kill", "py-process"},
    {"os.killpg", "py-process"},
    {"subprocess.*", "py-process"},
    {"multiprocessing.*", "py-process"},
    {"concurrent.futures.ProcessPoolExecutor", "py-process"},
    {"concurrent.futures.process", "py-process"},
    {"asyncio.create_subprocess_exec", "py-process"},
    {"asyncio.create_subprocess_shell", "py-process"},
    {"asyncio.subprocess", "py-process"},
    {"pty.*", "py-process"},
    {"commands.*", "py-process"},
    {"popen2.*", "py-process"},
    {"pexpect.*", "py-process"},
    {"sh.*", "py-process"},
    {"psutil.*", "py-process"},
    {"signal.pthread_kill", "py-process"},
    {"resource.setrlimit", "py-process"},
    {"resource.prlimit", "py-process"},
    {"pydoc.pipepager", "py-process"},
    {"pydoc.tempfilepager", "py-process"},
    {"socket.*", "py-network"},
    {"socketserver.*", "py-network"},
    {"ssl.*", "py-network"},
    {"http.client", "py-network"},
    {"http.server", "py-network"},
    {"wsgiref.simple_server", "py-network"},
    {"urllib.request", "py-network"},
    {"urllib.urlopen", "py-network"},
    {"urllib2.*", "py-network"},
    {"urllib3.*", "py-network"},
    {"requests.*", "py-network"},
    {"httpx.*", "py-network"},
    {"aiohttp.*", "py-network"},
    {"ftplib.*", "py-network"},
    {"smtplib.*", "py-network"},
    {"smtpd.*", "py-network"},
    {"telnetlib.*", "py-network"},
    {"poplib.*", "py-network"},
    {"imaplib.*", "py-network"},
    {"nntplib.*", "py-network"},
    {"xmlrpc.*", "py-network"},
    {"paramiko.*", "py-network"},
    {"websocket.*", "py-network"},
    {"websockets.*", "py-network"},
    {"asyncore.*", "py-network"},
    {"asynchat.*", "py-network"},
    {"webbrowser.*", "py-network"},
    {"asyncio.open_connection", "py-network"},
    {"asyncio.start_server", "py-network"},
    {"asyncio.open_unix_connection", "py-network"},
    {"asyncio.start_unix_server", "py-network"},
    {"logging.handlers.SocketHandler", "py-network"},
    {"logging.handlers.HTTPHandler", "py-network"},
    {"logging.handlers.SMTPHandler", "py-network"},
    {"logging.handlers.SysLogHandler", "py-network"},
    {"logging.handlers.DatagramHandler", "py-network"},
    {"ctypes.*", "py-native"},
    {"cffi.*", "py-native"},
    {"mmap.mmap", "py-native"},
    {"_testcapi.*", "py-native"},
    {"_testinternalcapi.*", "py-native"},
    {"faulthandler._sigsegv", "py-native"},
    {"numpy.ctypeslib", "py-native"},
    {"distutils.ccompiler", "py-native"},
    {"sys._getframe", "py-introspection"},
    {"sys._current_frames", "py-introspection"},
    {"sys.settrace", "py-introspection"},
    {"sys.setprofile", "py-introspection"},
    {"threading.settrace", "py-introspection"},
    {"inspect.currentframe", "py-introspection"},
    {"inspect.stack", "py-introspection"},
    {"inspect.trace", "py-introspection"},
    {"gc.get_objects", "py-introspection"},
    {"gc.get_referrers", "py-introspection"},
    {"gc.get_referents", "py-introspection"},
    {"sys.modules", "py-introspection"},
    {"sys.meta_path", "py-tampering"},
    {"sys.path_hooks", "py-tampering"},
    {"sys.path_importer_cache", "py-tampering"},
    {"sys.addaudithook", "py-tampering"},
    {"sys.displayhook", "py-tampering"},
    {"types.CodeType", "py-code-object"},
    {"types.FunctionType", "py-code-object"},
    {"types.LambdaType", "py-code-object"},
    {"bytecode.*", "py-code-object"},
    {"shutil.rmtree", "py-file-outside"},
};

// True for the os.exec and os.spawn families.
bool StartsProgram(std::string_view name) {
  return name.starts_with("os.exec") || name.starts_with("os.spawn");
}

const std::unordered_map<std::string_view, const Rule*>& Exact() {
  static const auto table = [] {
    std::unordered_map<std::string_view, const Rule*> rules;
    for (const Entry& entry : kEntries) {
      std::string_view name = entry.name;
      if (name.ends_with(".*")) name.remove_suffix(2);
      rules.emplace(name, &RuleNamed(entry.rule));
    }
    return rules;
  }();
  return table;
}

// Modules for which only members are reported ("a.*"): the import itself is recorded elsewhere.
const NameSet& MembersOnly() {
  static const auto table = [] {
    std::vector<std::string_view> names;
    for (const Entry& entry : kEntries) {
      if (entry.name.ends_with(".*")) names.push_back(entry.name.substr(0, entry.name.size() - 2));
    }
    return NameSet(names.begin(), names.end());
  }();
  return table;
}

const Rule* FindRuleOfName(std::string_view name) {
  if (IsHarmlessOfImportlib(name)) return nullptr;
  if (StartsProgram(name)) return &RuleNamed("py-process");
  for (std::string_view prefix = name; !prefix.empty();) {
    const auto found = Exact().find(prefix);
    if (found != Exact().end() &&
        (prefix.size() < name.size() || !MembersOnly().contains(prefix))) {
      return found->second;
    }
    const std::size_t dot = prefix.rfind('.');
    if (dot == std::string_view::npos) break;
    prefix = prefix.substr(0, dot);
  }
  return nullptr;
}

}  // namespace

std::string Canonical(std::string name) {
  const auto respelled = [&name](const Spelling& spelling) {
    const std::size_t length = spelling.from.size();
    if (!name.starts_with(spelling.from)) return false;
    if (name.size() > length && name[length] != '.') return false;
    name.replace(0, length, spelling.to);
    return true;
  };
  const auto first = static_cast<unsigned char>(name.empty() ? ' ' : name.front());
  if (kBeginsSpelling[first]) {
    static_cast<void>(std::ranges::any_of(kSpellings, respelled));
  } else {
    respelled(kSpellingOfBuiltins);
  }
  const std::string_view view = name;
  if (view.starts_with("builtins.")) return name;
  if (view == "io.open" || view == "io.FileIO") return "builtins.open";
  if (view == "enum.bltns") return "builtins";
  const std::size_t dot = view.rfind('.');
  if (dot == std::string_view::npos) return name;
  std::string_view last = view.substr(dot + 1);
  while (last.starts_with('_') && last.size() > 1) last.remove_prefix(1);
  // socket.socket is the class, not the module.
  if (!Reachable().contains(last) || view.substr(0, dot) == last) return name;
  return std::string(last);
}

// Parts of importlib whose functions import nothing. Entry points are not among them, since they
// load modules.
bool IsHarmlessOfImportlib(std::string_view name) {
  static const NameSet names = {"importlib.metadata",
                                "importlib.metadata.version",
                                "importlib.metadata.metadata",
                                "importlib.metadata.requires",
                                "importlib.metadata.files",
                                "importlib.metadata.distributions",
                                "importlib.metadata.packages_distributions",
                                "importlib.metadata.PackageNotFoundError",
                                "importlib.resources",
                                "importlib.resources.files",
                                "importlib.resources.as_file",
                                "importlib.resources.read_text",
                                "importlib.resources.read_binary",
                                "importlib.resources.open_text",
                                "importlib.resources.open_binary",
                                "importlib.resources.is_resource",
                                "importlib.resources.contents",
                                "importlib.resources.path"};
  return names.contains(name);
}

bool IsCodeType(std::string_view name) {
  return name == "types.CodeType" || name == "types.FunctionType" || name == "types.LambdaType";
}

const Rule* RuleOfName(std::string_view name) {
  thread_local NameMemory<const Rule*> remembered;
  return remembered.Get(name, FindRuleOfName);
}

bool IsWellKnownModule(std::string_view name) { return Reachable().contains(name); }

const Rule* RuleOfAttribute(std::string_view attribute) {
  static const NameSet walks = {
      "__subclasses__", "__globals__",   "__mro__",      "mro",          "__bases__",
      "__base__",       "__closure__",   "__builtins__", "__loader__",   "gi_frame",
      "gi_code",        "gi_yieldfrom",  "cr_frame",     "cr_code",      "ag_frame",
      "ag_code",        "f_back",        "f_globals",    "f_locals",     "f_builtins",
      "f_code",         "tb_frame",      "tb_next",      "func_globals", "func_code",
      "__self__",       "__reduce_ex__", "__defaults__",
  };
  static const NameSet codes = {"__code__", "co_code", "co_consts", "co_names"};
  if (walks.contains(attribute)) return &RuleNamed("py-introspection");
  if (codes.contains(attribute)) return &RuleNamed("py-code-object");
  return nullptr;
}

bool IsDangerousMember(std::string_view attribute) {
  static const NameSet names = {"system",
                                "popen",
                                "Popen",
                                "check_output",
                                "check_call",
                                "getoutput",
                                "getstatusoutput",
                                "execv",
                                "execve",
                                "execvp",
                                "execvpe",
                                "execl",
                                "execlp",
                                "execle",
                                "spawnl",
                                "spawnv",
                                "spawnvp",
                                "spawnlp",
                                "posix_spawn",
                                "posix_spawnp",
                                "forkpty",
                                "CDLL",
                                "startfile",
                                "create_subprocess_exec",
                                "create_subprocess_shell"};
  return names.contains(attribute);
}

bool IsFacade(std::string_view module) { return module == "os" || module == "sys"; }

}  // namespace belljar::judgement::analysis::python
