// Rules about files: removing trees, loosening permissions, and writing to system locations.
#include <fmt/format.h>

#include <algorithm>

#include "judgement/analysis/shell/judge.h"
#include "judgement/analysis/shell/path.h"

namespace belljar::judgement::analysis::shell {
namespace {

std::string_view RemovedWords(Where where) {
  switch (where) {
    case Where::kRoot:
      return "the whole file system";
    case Where::kHome:
      return "a home directory";
    case Where::kSystemTop:
      return "a directory of the system";
    case Where::kHere:
      return "everything around it";
    case Where::kMaybeRoot:
      return "something at the root, should the variable be empty";
    case Where::kUnset:
      return "whatever a variable that is never set stands for";
    default:
      return "";
  }
}

// True for an octal mode that makes a file world-writable: its last digit contains the bit 2.
bool IsOpenNumber(std::string_view mode) {
  // "+777" and "=777" ignore the umask too.
  if (mode.starts_with('+') || mode.starts_with('=')) mode.remove_prefix(1);
  if (mode.size() < 3 || mode.find_first_not_of("01234567") != std::string_view::npos) return false;
  return ((mode.back() - '0') & 2) != 0;
}

// The same for symbolic modes: "a+rwx", "u=rwx,o+w". Since the umask restricts modes without a
// class, only "+rwx" and "=rwx" of these count.
bool IsOpenClauses(std::string_view mode) {
  for (const std::string_view clause : SplitAt(mode, ",")) {
    const std::size_t op = clause.find_first_of("+=");
    if (op == std::string_view::npos) continue;
    const std::string_view who = clause.substr(0, op);
    const bool others = who.find_first_of("oa") != std::string_view::npos ||
                        (who.empty() && clause.substr(op) == "+rwx") ||
                        (who.empty() && clause.substr(op) == "=rwx");
    if (others && clause.substr(op).find('w') != std::string_view::npos) return true;
  }
  return false;
}

// True for setuid and setgid modes: "4755", "u+s", "g=rxs".
bool SetsId(std::string_view mode) {
  if (mode.empty()) return false;
  if (mode.find_first_not_of("01234567") == std::string_view::npos) {
    mode.remove_prefix(std::min(mode.find_first_not_of('0'), mode.size()));
    return mode.size() == 4 && ((mode[0] - '0') & 6) != 0;
  }
  for (const std::string_view clause : SplitAt(mode, ",")) {
    const std::size_t op = clause.find_first_of("+=");
    if (op == std::string_view::npos) continue;
    if (clause.find('s', op) != std::string_view::npos) return true;
  }
  return false;
}

void CheckModeWord(Context& context, const Call& call, const Word& mode) {
  const std::string text = mode.Constant().value_or("");
  if (SetsId(text)) {
    context.Find("sh-sudo", call.place, text,
                 fmt::format("\"{} {}\" lets whoever starts the file act as its owner or group.",
                             call.name, text));
  }
  if (!IsOpenNumber(text) && !IsOpenClauses(text)) return;
  context.Find("sh-chmod-777", call.place, text,
               fmt::format("\"{} {}\" lets everyone on the machine write there.", call.name, text));
}

}  // namespace

void CheckWritten(Context& context, const Word& file, Place place, std::string_view by) {
  const std::string shown = file.Shown();
  const auto find = [&](std::string_view rule, std::string_view what) {
    context.Find(rule, place, shown, fmt::format("\"{}\" {} \"{}\".", by, what, shown));
  };
  switch (WhereWritten(PathOf(context, file))) {
    case Where::kSystem:
      return find("sh-system-write", "writes to a directory of the system:");
    case Where::kDisk:
      return find("sh-disk", "writes to the device");
    case Where::kStartup:
      return find("sh-system-write", "changes what runs at every login:");
    case Where::kCron:
      return find("sh-cron", "changes the schedule in");
    case Where::kHistory:
      return find("sh-history", "wipes the history in");
    case Where::kSshKeys:
      return find("sh-ssh-key", "changes the keys in");
    default:
      return;
  }
}

void CheckRemoved(Context& context, const Word& tree, Place place, std::string_view by) {
  const Where where = WhereRemoved(PathOf(context, tree));
  const std::string_view what = RemovedWords(where);
  if (what.empty()) return CheckWritten(context, tree, place, by);
  context.Find("sh-rm-root", place, tree.Shown(),
               fmt::format("\"{} {}\" removes {}.", by, tree.Shown(), what));
}

void CheckEmptied(Context& context, const Word& tree, Place place, std::string_view by) {
  const Where where = WhereRemoved(PathOf(context, tree));
  const bool too_much =
      where == Where::kRoot || where == Where::kHome || where == Where::kSystemTop;
  if (too_much) CheckRemoved(context, tree, place, by);
}

Level CheckRm(Context& context, const Call& call, const Arguments& arguments) {
  const bool recursive = arguments.Has("-r -R --recursive") || call.name == "srm";
  const bool forced = arguments.Has("-f --force") || call.name == "shred";
  for (const Word& operand : arguments.operands()) {
    const Where where = WhereRemoved(PathOf(context, operand));
    const bool everything =
        where == Where::kRoot || where == Where::kHome || where == Where::kSystemTop;
    const bool around = where == Where::kHere || where == Where::kUnset;
    // Even without -r, rm removes all files of a directory: rm -f /etc/*, rm -f *.
    const bool flat = operand.HasGlob() && (everything || (around && forced));
    if (recursive || flat || arguments.Has("--no-preserve-root")) {
      CheckRemoved(context, operand, call.place, call.name);
    } else {
      CheckWritten(context, operand, call.place, call.name);
    }
  }
  return Level::kWrites;
}

Level CheckChmod(Context& context, const Call& call, const Arguments& arguments) {
  // "-w" is a mode that removes permissions; it is parsed as an option and needs no check.
  if (!arguments.operands().empty() && !arguments.Has("--reference")) {
    CheckModeWord(context, call, arguments.operands()[0]);
  }
  return Level::kWrites;
}

// Reports capabilities that a file is given: setcap cap_net_raw+ep file
Level CheckCapabilities(Context& context, const Call& call, const Arguments& arguments) {
  if (arguments.Has("-v")) return Level::kReads;
  context.Find("sh-sudo", call.place, call.name,
               "\"setcap\" gives whoever starts the file rights of the system's own.");
  return Level::kWrites;
}

// Copies the known content of the source file to the target.
static void CarryOver(Context& context, const Arguments& arguments) {
  const auto& operands = arguments.operands();
  if (operands.size() != 2) return;
  const Stream* known = KnownFile(context, operands[0]);
  if (known == nullptr) return;
  const Stream copy = *known;
  context.files[FileKey(context, operands[1])] = copy;
}

Level CheckMode(Context& context, const Call& call, const Arguments& arguments) {
  if (call.name == "install") CarryOver(context, arguments);
  if (const Option* mode = arguments.Find("-m --mode")) CheckModeWord(context, call, mode->value);
  if (const Option* target = arguments.Find("-t --target-directory")) {
    CheckWritten(context, target->value, call.place, call.name);
  }
  return Level::kWrites;
}

Level CheckTee(Context& context, const Call& call, const Arguments& arguments) {
  Level level = Level::kReads;
  for (const Word& file : arguments.operands()) {
    const bool nowhere =
        file.StartsWith("/dev/") && WhereWritten(PathOf(context, file)) == Where::kElsewhere;
    if (!nowhere) level = Level::kWrites;
    FeedSink(context, file, call.in);
  }
  return level;
}

Level CheckDd(Context& context, const Call& call, const Arguments& arguments) {
  Level level = Level::kReads;
  for (const Word& operand : arguments.operands()) {
    if (!operand.StartsWith("of=")) continue;
    CheckWritten(context, WithoutLead(operand, 3), call.place, call.name);
    level = Level::kWrites;
  }
  return level;
}

Level CheckSort(Context& context, const Call& call, const Arguments& arguments) {
  const Option* output = arguments.Find("-o --output");
  if (output == nullptr) return Level::kReads;
  CheckWritten(context, output->value, call.place, call.name);
  return Level::kWrites;
}

// Moving a directory away removes it from its place: mv ~ /tmp, mv /* x.
void CheckMovedAway(Context& context, const Call& call, const Arguments& arguments) {
  const auto& operands = arguments.operands();
  const std::size_t last = arguments.Has("-t --target-directory") ? 0 : 1;
  for (std::size_t i = 0; i + last < operands.size(); ++i) {
    const Where where = WhereRemoved(PathOf(context, operands[i]));
    if (where != Where::kRoot && where != Where::kHome) continue;
    context.Find("sh-system-write", call.place, operands[i].Shown(),
                 fmt::format("\"{} {}\" takes {} away.", call.name, operands[i].Shown(),
                             RemovedWords(where)));
  }
}

// Checks cp, mv and similar programs. The known content is copied, and -t gives the target.
Level CheckCopy(Context& context, const Call& call, const Arguments& arguments) {
  if (const Option* target = arguments.Find("-t --target-directory")) {
    CheckWritten(context, target->value, call.place, call.name);
  }
  if (call.name == "mv") CheckMovedAway(context, call, arguments);
  CarryOver(context, arguments);
  const auto& operands = arguments.operands();
  if (operands.size() == 2) {
    const bool links =
        call.name == "ln" && arguments.Has("-s --symbolic") && operands[1].IsConstant();
    if (links && context.links.size() < 100)
      context.links[FileKey(context, operands[1])] = operands[0];
  }
  return Level::kWrites;
}

Level CheckFilter(Context& context, const Call& call, const Arguments& arguments) {
  // These programs write to their second operand: xxd -r file out, uniq in out
  const bool writes =
      (call.name == "xxd" || call.name == "uniq") && arguments.operands().size() == 2;
  if (writes) CheckWritten(context, arguments.operands()[1], call.place, call.name);
  const bool in_place = call.name == "yq" && arguments.Has("-i");
  return writes || in_place ? Level::kWrites : Level::kReads;
}

Level CheckPackFile(Context& context, const Call& call, const Arguments& arguments) {
  const bool to_output = arguments.Has("-c --stdout --to-stdout") || arguments.operands().empty();
  const bool asks = arguments.Has("-l -t --list --test");
  if (to_output && call.name != "split" && call.name != "csplit") return Level::kReads;
  if (asks && call.name != "split") return Level::kReads;
  for (const Word& file : arguments.operands()) CheckWritten(context, file, call.place, call.name);
  return Level::kWrites;
}

Level CheckTar(Context& context, const Call& call, const Arguments& arguments) {
  // The first word of tar may be flags without a dash: tar xzf.
  const auto words = call.arguments();
  const bool bundled = !words.empty() && !words[0].StartsWith("-");
  const std::string flags = bundled ? words[0].Lead() : "";
  const bool lists =
      arguments.Has("-t --list") ||
      (flags.find('t') != std::string::npos && flags.find_first_of("xcru") == std::string::npos);
  if (lists) return Level::kReads;
  if (arguments.Has("--remove-files")) {
    for (const Word& tree : arguments.operands()) {
      CheckEmptied(context, tree, call.place, "tar --remove-files");
    }
  }
  const bool extracts = arguments.Has("-x --extract --get") || flags.find('x') != std::string::npos;
  const Option* directory = arguments.Find("-C --directory");
  if (extracts && directory != nullptr) {
    CheckWritten(context, directory->value, call.place, call.name);
  }
  const Option* file = arguments.Find("-f --file");
  const bool to_output = file != nullptr && file->value.Is("-");
  if (!extracts && file != nullptr && !to_output) {
    CheckWritten(context, file->value, call.place, call.name);
  }
  return Level::kWrites;
}

Level CheckUnzip(Context& context, const Call& call, const Arguments& arguments) {
  const bool lists = (call.name == "unzip" && arguments.Has("-l -t -v -Z -p")) ||
                     (call.name.starts_with("7z") && arguments.Operand(0) == "l") ||
                     (call.name == "ar" && arguments.Operand(0).starts_with("t"));
  if (const Option* directory = arguments.Find("-d")) {
    CheckWritten(context, directory->value, call.place, call.name);
  }
  if (call.name == "zip" && arguments.Has("-m --move")) {
    for (const Word& tree : arguments.operands()) {
      CheckEmptied(context, tree, call.place, "zip --move");
    }
  }
  return lists ? Level::kReads : Level::kWrites;
}

}  // namespace belljar::judgement::analysis::shell
