// Checks paths and URLs that library functions open.
#include "judgement/analysis/paths.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

#include "judgement/analysis/name_set.h"
#include "judgement/analysis/python/check.h"
#include "judgement/analysis/python/names.h"

namespace belljar::judgement::analysis::python {
namespace {

std::string InLowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  return lower;
}

bool IsAddress(std::string_view text) {
  constexpr std::array<std::string_view, 10> kSchemes = {
      "http://", "https://", "ftp://",  "s3://",  "gs://",
      "ssh://",  "postgres", "mongodb", "mysql:", "mysql+"};
  const auto begins = [&](std::string_view scheme) { return text.starts_with(scheme); };
  return text.find("://") != text.npos && std::ranges::any_of(kSchemes, begins);
}

constexpr std::string_view kTakePaths[] = {
    "builtins.open",     "codecs.open",
    "os.open",           "os.listdir",
    "os.scandir",        "os.walk",
    "os.remove",         "os.unlink",
    "os.rmdir",          "os.removedirs",
    "os.rename",         "os.replace",
    "os.mkdir",          "os.makedirs",
    "os.stat",           "os.lstat",
    "os.chmod",          "os.chown",
    "os.symlink",        "os.link",
    "os.readlink",       "os.access",
    "os.chdir",          "os.chroot",
    "os.truncate",       "os.utime",
    "os.mkfifo",         "os.mknod",
    "os.statvfs",        "os.path.exists",
    "os.path.isfile",    "os.path.isdir",
    "os.path.getsize",   "glob.glob",
    "glob.iglob",        "fileinput.input",
    "linecache.getline", "linecache.getlines",
    "zipfile.ZipFile",   "tarfile.open",
    "gzip.open",         "bz2.open",
    "lzma.open",         "sqlite3.connect",
    "pandas.read_csv",   "pandas.read_table",
    "numpy.loadtxt",     "numpy.fromfile",
    "numpy.genfromtxt",  "pandas.read_json",
    "pandas.read_excel", "pandas.read_parquet",
    "pandas.read_html",  "logging.basicConfig",
    "pathlib.Path",      "pathlib.PosixPath",
    "shutil.copy",       "shutil.copyfile",
    "shutil.copytree",   "shutil.rmtree",
    "shutil.move",       "configparser.read",
    "mmap.mmap",         "dbm.open",
    "shelve.open",       "logging.FileHandler",
    "numpy.memmap",      "numpy.load",
    "numpy.save",        "numpy.savetxt",
    "pandas.read_xml",   "pandas.read_fwf",
};

}  // namespace

bool TakesPath(std::string_view name) {
  static const NameSet names(std::begin(kTakePaths), std::end(kTakePaths));
  return names.contains(name);
}

bool IsPathMethod(std::string_view method) {
  static const NameSet methods = {"open",   "read_text", "read_bytes", "write_text", "write_bytes",
                                  "unlink", "iterdir",   "glob",       "rglob",      "mkdir",
                                  "rename", "touch",     "chmod",      "symlink_to", "rmdir",
                                  "stat",   "exists"};
  return methods.contains(method);
}

bool SoundsLikeOpening(std::string_view name) {
  constexpr std::array<std::string_view, 15> kVerbs = {
      "read",  "load",     "open",     "save", "write",     "imread",        "imwrite",   "parse",
      "fetch", "download", "get_file", "scan", "fileinput", "create_engine", "fileconfig"};
  const std::size_t dot = name.rfind('.');
  if (name.starts_with("builtins.") || dot == std::string_view::npos || name.starts_with("os.")) {
    return false;
  }
  const std::string last = InLowerCase(name.substr(dot + 1));
  const auto begins = [&](std::string_view verb) { return last.starts_with(verb); };
  // For example gzip.GzipFile or logging.handlers.RotatingFileHandler, but not a "profile".
  const bool of_file = (last.ends_with("file") && !last.ends_with("profile")) ||
                       last.ends_with("filehandler") || name.starts_with("mailbox.");
  return of_file || std::ranges::any_of(kVerbs, begins);
}

std::string_view ClassMadeBy(std::string_view name) {
  static const std::unordered_map<std::string_view, std::string_view> made = {
      {"zipfile.ZipFile", "zipfile.ZipFile"},
      {"tarfile.open", "tarfile.TarFile"},
      {"tarfile.TarFile", "tarfile.TarFile"},
      {"unittest.mock.Mock", "@object"},
      {"unittest.mock.MagicMock", "@object"},
      {"unittest.mock.AsyncMock", "@object"},
      {"argparse.ArgumentParser", "argparse.ArgumentParser"},
      {"argparse.ArgumentParser.parse_args", "@object"},
      {"platform.uname", "@object"},
      {"flask.Flask", "flask.Flask"},
      {"unittest.TestLoader", "unittest.TestLoader"},
      {"cProfile.Profile", "cProfile.Profile"},
      {"profile.Profile", "profile.Profile"},
      {"trace.Trace", "trace.Trace"},
  };
  const auto found = made.find(name);
  return found == made.end() ? std::string_view() : found->second;
}

std::string_view AttachedBy(std::string_view sql) {
  const std::string lower = InLowerCase(sql);
  const std::size_t attach = lower.find("attach");
  if (attach == std::string::npos) return "";
  const std::size_t quote = sql.find_first_of("'\"", attach);
  if (quote == std::string_view::npos) return "";
  const std::size_t end = sql.find(sql[quote], quote + 1);
  return end == std::string_view::npos ? "" : sql.substr(quote + 1, end - quote - 1);
}

void Checks::PathIn(NodeId call, NodeId argument) { PathOf(call, evaluator_.Eval(argument)); }

// Checks one path or a list of paths: fileinput.input(["a", "b"]).
void Checks::PathOf(NodeId call, ValuePtr path) {
  if (path == nullptr) return;
  const auto look = [&](const std::string& text) {
    if (!IsOutside(text, kUnknownPart)) return;
    report_.Add("py-file-outside", syntax_.PlaceOf(call), ShownPath(text, kUnknownPart));
  };
  for (const std::string& text : path->texts) look(text);
  for (const ValuePtr item : path->items) {
    if (const std::string* text = OnlyText(item)) look(*text);
  }
}

// Checks a call of a library function whose name sounds like opening a file or a URL.
void Checks::Opened(NodeId call, std::string_view name) {
  PathIn(call, evaluator_.ArgumentNode(call, 0, "path"));
  for (const ValuePtr argument : evaluator_.ArgumentsOf(call).positional) {
    if (argument == nullptr || std::ranges::none_of(argument->texts, IsAddress)) continue;
    report_.Add("py-network", syntax_.PlaceOf(call), std::string(name));
  }
}

// The SQL statement ATTACH 'file' AS name opens a database file.
void Checks::Attached(NodeId call) {
  const ValuePtr sql = evaluator_.Eval(evaluator_.ArgumentNode(call, 0, "sql"));
  if (sql == nullptr) return;
  for (const std::string& text : sql->texts) {
    const std::string_view path = AttachedBy(text);
    if (!IsOutside(path, kUnknownPart)) continue;
    report_.Add("py-file-outside", syntax_.PlaceOf(call), ShownPath(path, kUnknownPart));
  }
}

void Checks::Paths(NodeId call, std::string_view name) {
  const Arguments arguments = evaluator_.ArgumentsOf(call);
  for (const std::string_view named : {"file", "filename", "path", "database"}) {
    PathIn(call, evaluator_.ArgumentNode(call, 99, named));
  }
  for (std::size_t i = 0; i < arguments.positional.size() && i < 2; ++i) {
    const ValuePtr path = arguments.positional[i];
    // For most functions, the second argument is not a path but, for example, a mode or a number.
    const bool second = name == "os.rename" || name == "os.replace" || name == "os.symlink" ||
                        name == "os.link" || name.starts_with("shutil.");
    if (path == nullptr || (i == 1 && !second)) continue;
    PathOf(call, path);
    for (const std::string& text : path->texts) {
      if (IsAddress(text)) report_.Add("py-network", syntax_.PlaceOf(call), std::string(name));
    }
  }
}

}  // namespace belljar::judgement::analysis::python
