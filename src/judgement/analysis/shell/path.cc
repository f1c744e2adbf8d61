#include "judgement/analysis/shell/path.h"

#include <algorithm>
#include <set>

namespace belljar::judgement::analysis::shell {
namespace {

bool IsSystemName(std::string_view name) {
  static const std::set<std::string_view> kNames = {
      "etc", "usr",  "bin", "sbin", "boot",   "var",     "opt",   "root", "home",
      "sys", "proc", "dev", "run",  "System", "Library", "Users", "snap", "Applications"};
  return kNames.contains(name) || name.starts_with("lib");
}

// Devices that are harmless to write to.
bool IsPlainDevice(std::string_view name) {
  static const std::set<std::string_view> kNames = {"null",   "stdout",  "stderr", "stdin", "fd",
                                                    "tty",    "zero",    "full",   "shm",   "pts",
                                                    "random", "urandom", "tcp",    "udp",   "ptmx"};
  return kNames.contains(name);
}

bool IsDisk(std::string_view name) {
  static const std::string_view kStarts[] = {"sd",  "nvme", "vd",   "hd",  "mmcblk", "loop",
                                             "xvd", "dm",   "md",   "sr",  "mapper", "disk",
                                             "mem", "kmem", "port", "ram", "zd",     "nbd"};
  return std::any_of(std::begin(kStarts), std::end(kStarts),
                     [&](std::string_view start) { return name.starts_with(start); });
}

bool IsAnyPattern(std::string_view pattern) {
  bool wild = false;
  bool in_brackets = false;
  for (const char c : pattern) {
    if (c == '[') in_brackets = true;
    if (!in_brackets && c != '*' && c != '?' && c != '.' && c != '!') return false;
    if (c == ']') in_brackets = false;
    wild |= c == '*' || c == '?' || c == ']';
  }
  return wild;
}

// Splits a word at its slashes.
class Splitter {
 public:
  explicit Splitter(const Word& word) {
    for (const Piece& piece : word.pieces()) Add(piece);
    End();
  }
  std::vector<Component> components;  // without empty ones
  bool starts_with_slash = false;
  bool starts_at_home = false;
  bool ends_in_slash = false;

 private:
  void Add(const Piece& piece) {
    if (piece.kind == Piece::Kind::kHome) {
      starts_at_home |= first_;
      first_ = false;
      return;
    }
    if (piece.kind == Piece::Kind::kUnknown) {
      current_.unknown = true;
      current_.may_be_empty = piece.may_be_empty && (empty_ || current_.may_be_empty);
      current_.unset = piece.unset && piece.may_be_empty;
      first_ = empty_ = ends_in_slash = false;
      return;
    }
    current_.has_glob |= piece.kind == Piece::Kind::kGlob;
    for (const char c : piece.text) AddCharacter(c);
  }

  void AddCharacter(char c) {
    if (c == '/') {
      starts_with_slash |= first_;
      End();
      ends_in_slash = true;
    } else {
      current_.text.push_back(c);
      current_.may_be_empty = false;
      empty_ = ends_in_slash = false;
    }
    first_ = false;
  }

  void End() {
    if (!empty_) {
      current_.is_any = !current_.unknown && IsAnyPattern(current_.text) && current_.has_glob;
      components.push_back(std::move(current_));
    }
    current_ = Component();
    empty_ = true;
  }

  Component current_;
  bool empty_ = true;
  bool first_ = true;
};

void Tidy(Path& path, std::vector<Component> components) {
  for (Component& component : components) {
    const bool plain = !component.unknown;
    if (plain && component.text == ".") continue;
    if (plain && component.text == "..") {
      if (!path.components.empty()) {
        path.components.pop_back();
      } else if (path.start != Path::Start::kRoot) {
        ++path.up;
      }
      continue;
    }
    path.components.push_back(std::move(component));
  }
}

void StartAt(Path& path, const Word& directory) {
  Splitter split(directory);
  if (split.starts_at_home) path.start = Path::Start::kHome;
  if (split.starts_with_slash) path.start = Path::Start::kRoot;
  Tidy(path, std::move(split.components));
}

bool AllAny(const Path& path, std::size_t from) {
  return std::all_of(path.components.begin() + static_cast<long>(from), path.components.end(),
                     [](const Component& component) { return component.is_any; });
}

std::string_view NameAt(const Path& path, std::size_t number) {
  if (number >= path.components.size() || path.components[number].unknown) return "";
  return path.components[number].text;
}

bool IsTemporary(const Path& path) {
  const std::string_view top = NameAt(path, 0);
  if (top == "tmp") return true;
  return top == "var" && (NameAt(path, 1) == "tmp" || NameAt(path, 1) == "folders");
}

Where WhereUnderRoot(const Path& path) {
  if (path.components.empty() || AllAny(path, 0)) return Where::kRoot;
  const Component& top = path.components[0];
  const bool only = path.components.size() == 1;
  if (top.unknown && top.text.empty()) {
    return only || top.may_be_empty ? Where::kMaybeRoot : Where::kElsewhere;
  }
  if (top.has_glob && only && top.text.size() <= 3) return Where::kRoot;  // "/e*"
  if (IsTemporary(path) || !IsSystemName(top.text)) return Where::kElsewhere;
  if (top.text == "home" || top.text == "Users") {
    if (path.components.size() <= 2 || AllAny(path, 2)) return Where::kHome;
    return path.components[2].may_be_empty ? Where::kHome : Where::kSystem;
  }
  if (AllAny(path, 1)) return Where::kSystemTop;
  if (path.components.size() == 2 && path.components[1].may_be_empty) return Where::kSystemTop;
  if (AllAny(path, path.components.size() - 1)) return Where::kSystemTop;  // "/var/lib/*"
  return WhereWritten(path);
}

// True for names such as "build-$$": no directory in / has such a name, whatever the variable is.
bool IsOwnName(const Component& component) {
  return component.unknown && !component.has_glob && component.text.size() > 2 &&
         component.text.find_first_of("-_") != std::string::npos;
}

bool HasSshKeys(const Path& path) {
  for (std::size_t i = 0; i < path.components.size(); ++i) {
    const std::string_view name = NameAt(path, i);
    if (name == ".ssh") return true;
    if (name == "authorized_keys" && path.start != Path::Start::kHere) return true;
    if (name == "ssh" && i == 1 && path.start == Path::Start::kRoot)
      return NameAt(path, 0) == "etc";
  }
  return false;
}

// True for a home directory's well-known directories as a whole.
bool IsSensitiveHomePath(const Path& path) {
  static const std::set<std::string_view> kNames = {
      "Documents", "Desktop", "Downloads", "Pictures", "Music", "Videos", "Movies",  "Library",
      ".ssh",      ".gnupg",  ".config",   ".local",   ".aws",  ".kube",  ".mozilla"};
  const bool only = path.components.size() == 1 || AllAny(path, 1);
  return only && kNames.contains(NameAt(path, 0));
}

bool IsKeyFile(std::string_view name) { return name.starts_with("id_") && !name.ends_with(".pub"); }

bool IsHistory(const Path& path) {
  if (path.components.empty()) return false;
  const std::string_view name = NameAt(path, path.components.size() - 1);
  return name == ".bash_history" || name == ".zsh_history" || name == ".sh_history" ||
         name == ".ash_history" || name == ".history";
}

// Files that a shell or desktop runs at login.
bool IsStartup(const Path& path) {
  if (path.components.empty() || path.start == Path::Start::kHere) return false;
  const std::size_t last = path.components.size() - 1;
  for (const std::string_view name :
       {".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshrc",
        ".zprofile", ".zshenv", ".xprofile", ".xinitrc", ".xsession"}) {
    if (NameAt(path, last) == name) return true;
  }
  return NameAt(path, 0) == ".config" &&
         (NameAt(path, 1) == "autostart" || NameAt(path, 1) == "systemd");
}

bool IsCron(const Path& path) {
  if (NameAt(path, 0) == "etc") {
    const std::string_view name = NameAt(path, 1);
    return name.starts_with("cron") || name == "anacrontab" || name == "at.allow";
  }
  return NameAt(path, 0) == "var" && NameAt(path, 1) == "spool" &&
         (NameAt(path, 2).starts_with("cron") || NameAt(path, 2) == "at");
}

}  // namespace

Path PathOf(const Context& context, const Word& word) {
  Splitter split(word);
  Path path;
  path.is_empty = word.empty() || word.Is("");
  path.ends_in_slash = split.ends_in_slash;
  if (split.starts_at_home) {
    path.start = Path::Start::kHome;
  } else if (split.starts_with_slash) {
    path.start = Path::Start::kRoot;
  } else if (!path.is_empty && !split.components.empty() && !split.components[0].unknown) {
    const auto link = context.links.find(split.components[0].text);
    const bool linked = link != context.links.end();
    if (linked) split.components.erase(split.components.begin());
    if (linked || context.directory) StartAt(path, linked ? link->second : *context.directory);
  }
  Tidy(path, std::move(split.components));
  // Beyond this number of "..", the path is assumed to reach the root.
  const bool at_root = path.up >= (path.start == Path::Start::kHome ? 2 : 3);
  if (at_root && !path.components.empty()) path.start = Path::Start::kRoot;
  return path;
}

// Files with credentials that give access to other systems.
bool HoldsSecrets(const Path& path) {
  if (path.start == Path::Start::kHere || path.components.empty()) return false;
  if (IsHistory(path)) return true;
  const std::size_t last = path.components.size() - 1;
  const std::string_view name = NameAt(path, last);
  for (const std::string_view known :
       {".netrc", ".git-credentials", ".pgpass", ".my.cnf", ".pypirc", ".vault-token"}) {
    if (name == known) return true;
  }
  const std::string_view folder = last == 0 ? "" : NameAt(path, last - 1);
  if (folder == ".ssh") return IsKeyFile(name) || path.components[last].has_glob;
  if (folder == ".aws" || folder == ".azure" || folder == "gcloud") return true;
  if (folder == ".docker") return name == "config.json";
  if (folder == ".kube") return name == "config";
  if (folder == ".gnupg" || name == ".gnupg" || name == ".ssh" || name == ".aws") return true;
  if (path.start != Path::Start::kRoot) return false;
  if (NameAt(path, 0) == "etc") {
    const std::string_view file = NameAt(path, 1);
    const bool host_key = folder == "ssh" && name.ends_with("_key");
    return host_key || file.starts_with("shadow") || file.starts_with("gshadow") ||
           file.starts_with("sudoers");
  }
  return NameAt(path, 0) == "proc" && (name == "environ" || name == "mem");
}

Where WhereRemoved(const Path& path) {
  if (path.is_empty) return Where::kElsewhere;
  if (path.start == Path::Start::kRoot) return WhereUnderRoot(path);
  if (path.start == Path::Start::kHome) {
    if (path.up > 0 || AllAny(path, 0) || IsSensitiveHomePath(path)) return Where::kHome;
    if (path.components.size() == 1 && path.components[0].may_be_empty) return Where::kHome;
    return WhereWritten(path);
  }
  if (AllAny(path, 0)) return Where::kHere;
  const Component& first = path.components[0];
  // "$X*", where X is never set.
  const bool else_any = first.unset && first.has_glob && IsAnyPattern(first.text);
  if (else_any && path.components.size() == 1) return Where::kUnset;
  if (first.may_be_empty && path.up == 0) {
    const bool own = path.components.size() > 1 && IsOwnName(path.components[1]);
    if (own) return WhereWritten(path);
    if (path.components.size() > 1 || path.ends_in_slash) return Where::kMaybeRoot;
    if (first.unset) return Where::kUnset;
  }
  return WhereWritten(path);
}

Where WhereWritten(const Path& path) {
  if (HasSshKeys(path)) return Where::kSshKeys;
  if (IsHistory(path)) return Where::kHistory;
  if (IsStartup(path)) return Where::kStartup;
  if (path.start != Path::Start::kRoot) return Where::kElsewhere;
  if (path.components.empty()) return Where::kSystem;
  const std::string_view top = NameAt(path, 0);
  if (IsTemporary(path) || !IsSystemName(top)) return Where::kElsewhere;
  if (top == "dev") {
    if (IsPlainDevice(NameAt(path, 1))) return Where::kElsewhere;
    return IsDisk(NameAt(path, 1)) ? Where::kDisk : Where::kSystem;
  }
  return IsCron(path) ? Where::kCron : Where::kSystem;
}

}  // namespace belljar::judgement::analysis::shell
