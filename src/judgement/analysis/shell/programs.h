// The table of known programs and what they do.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <unordered_map>

#include "judgement/analysis/shell/call.h"
#include "judgement/analysis/shell/context.h"

namespace belljar::judgement::analysis::shell {

// The kind of output that a program has.
enum class Prints : std::uint8_t {
  kSomething,  // unknown, and not relevant to any rule
  kAlways,     // unknown, but never empty: mktemp, pwd
  kNothing,
  kInput,     // its input or the given files, unchanged: cat
  kFiltered,  // some of that: grep, sort
  kDownload,
  kDecoded,  // its decoded or decompressed input: gunzip
  kFiles,    // contents of files or databases: pg_dump
  kSocket,
  kHere,       // the current directory
  kPathPart,   // its operand or part of it: dirname, which
  kListing,    // names of its operands or of files in them: ls
  kProcesses,  // process ids of the programs named by its operands: pidof
};

// The operands that name files which the program writes.
enum class WritesTo : std::uint8_t { kNone, kAll, kLast, kAllButFirst };

// Checks a call of the program, and returns the level that the call needs.
using Check = Level (*)(Context& context, const Call& call, const Arguments& arguments);

struct Program {
  std::string_view names;  // separated by spaces
  Level level = Level::kRunsCode;
  Prints prints = Prints::kSomething;
  OptionSpec options = {};
  WritesTo writes_to = WritesTo::kNone;
  Check check = nullptr;
};

// An index from each name to its table row; of two rows with the same name, the first counts.
template <class Row>
std::unordered_map<std::string_view, const Row*> ByName(
    std::initializer_list<std::span<const Row>> tables) {
  std::unordered_map<std::string_view, const Row*> by_name;
  for (const auto table : tables) {
    for (const Row& row : table) {
      for (const std::string_view name : SplitAt(row.names, " ")) by_name.emplace(name, &row);
    }
  }
  return by_name;
}
template <class Row>
const Row* RowNamed(const std::unordered_map<std::string_view, const Row*>& rows,
                    std::string_view name) {
  const auto found = rows.find(name);
  return found == rows.end() ? nullptr : found->second;
}

std::span<const Program> SystemPrograms();
// Null if the program is not in the table.
const Program* FindProgram(std::string_view name);

// A wrapper runs another program, which its operands name.
struct Wrapper {
  std::string_view names;
  OptionSpec options = {};
  int skipped = 0;                     // number of operands before the program: timeout's duration
  std::string_view subcommand = "";    // if not empty, one of these subcommands is required: "run"
  bool is_text = false;                // the operands are shell source text: ssh, watch
  bool changes_user = false;           // sudo and its like
  std::string_view text_options = "";  // options whose value is shell source text: su -c
  Level level = Level::kReads;         // the level that the wrapper itself needs
  bool each_text = false;              // each operand is a separate shell command: hyperfine
  std::string_view user_options = "";  // options without which it does not change the user: setpriv
};
const Wrapper* FindWrapper(std::string_view name);

enum class Code : std::uint8_t { kShell, kPython, kJavaScript, kTcl, kOther };
struct Interpreter {
  std::string_view names;
  Code code = Code::kOther;
  std::string_view text_options = "";  // options whose value is source text: "-c"
  OptionSpec options = {};
  bool text_is_operand = false;  // -c is a flag, and the first operand is the source text: sh
};
const Interpreter* FindInterpreter(std::string_view name);

// True for commands whose arguments contain patterns or programs in another language.
bool HasPatterns(std::string_view name);
// True if any of the tables has a program of that name.
bool IsKnown(std::string_view name);

// The checks of the table, grouped by file. files.cc, rights.cc, sed.cc and programtext.cc:
Level CheckRm(Context& context, const Call& call, const Arguments& arguments);
Level CheckChmod(Context& context, const Call& call, const Arguments& arguments);
Level CheckCapabilities(Context& context, const Call& call, const Arguments& arguments);
Level CheckMode(Context& context, const Call& call, const Arguments& arguments);
Level CheckUmask(Context& context, const Call& call, const Arguments& arguments);
Level CheckAccessList(Context& context, const Call& call, const Arguments& arguments);
Level CheckOwner(Context& context, const Call& call, const Arguments& arguments);
Level CheckTee(Context& context, const Call& call, const Arguments& arguments);
Level CheckDd(Context& context, const Call& call, const Arguments& arguments);
Level CheckTar(Context& context, const Call& call, const Arguments& arguments);
Level CheckUnzip(Context& context, const Call& call, const Arguments& arguments);
Level CheckSed(Context& context, const Call& call, const Arguments& arguments);
Level CheckAwk(Context& context, const Call& call, const Arguments& arguments);
Level CheckSort(Context& context, const Call& call, const Arguments& arguments);
Level CheckCopy(Context& context, const Call& call, const Arguments& arguments);
Level CheckFilter(Context& context, const Call& call, const Arguments& arguments);
Level CheckPackFile(Context& context, const Call& call, const Arguments& arguments);
// network.cc
Level CheckCurl(Context& context, const Call& call, const Arguments& arguments);
Level CheckWget(Context& context, const Call& call, const Arguments& arguments);
Level CheckNetcat(Context& context, const Call& call, const Arguments& arguments);
Level CheckTelnet(Context& context, const Call& call, const Arguments& arguments);
Level CheckOpenssl(Context& context, const Call& call, const Arguments& arguments);
Level CheckSocat(Context& context, const Call& call, const Arguments& arguments);
Level CheckCopyOut(Context& context, const Call& call, const Arguments& arguments);
Level CheckCloudCopy(Context& context, const Call& call, const Arguments& arguments);
Level CheckMail(Context& context, const Call& call, const Arguments& arguments);
Level CheckLookup(Context& context, const Call& call, const Arguments& arguments);
// system.cc and make.cc
Level CheckDisk(Context& context, const Call& call, const Arguments& arguments);
Level CheckMount(Context& context, const Call& call, const Arguments& arguments);
Level CheckService(Context& context, const Call& call, const Arguments& arguments);
Level CheckPower(Context& context, const Call& call, const Arguments& arguments);
Level CheckCron(Context& context, const Call& call, const Arguments& arguments);
Level CheckAt(Context& context, const Call& call, const Arguments& arguments);
Level CheckSshKeys(Context& context, const Call& call, const Arguments& arguments);
Level CheckKill(Context& context, const Call& call, const Arguments& arguments);
Level CheckMake(Context& context, const Call& call, const Arguments& arguments);
Level CheckSystemTool(Context& context, const Call& call, const Arguments& arguments);
Level CheckConfigTool(Context& context, const Call& call, const Arguments& arguments);
// packages.cc and git.cc
Level CheckPackages(Context& context, const Call& call, const Arguments& arguments);
Level CheckPacman(Context& context, const Call& call, const Arguments& arguments);
Level CheckGit(Context& context, const Call& call, const Arguments& arguments);
// database.cc
Level CheckSql(Context& context, const Call& call, const Arguments& arguments);
Level CheckRedis(Context& context, const Call& call, const Arguments& arguments);
Level CheckDatabaseTool(Context& context, const Call& call, const Arguments& arguments);
Level CheckMigration(Context& context, const Call& call, const Arguments& arguments);
// builtins.cc and outward.cc
Level CheckCd(Context& context, const Call& call, const Arguments& arguments);
Level CheckRead(Context& context, const Call& call, const Arguments& arguments);
Level CheckSet(Context& context, const Call& call, const Arguments& arguments);
Level CheckShift(Context& context, const Call& call, const Arguments& arguments);
Level CheckAlias(Context& context, const Call& call, const Arguments& arguments);
Level CheckHash(Context& context, const Call& call, const Arguments& arguments);
Level CheckBind(Context& context, const Call& call, const Arguments& arguments);
Level CheckEnable(Context& context, const Call& call, const Arguments& arguments);
Level CheckTrap(Context& context, const Call& call, const Arguments& arguments);
Level CheckHistory(Context& context, const Call& call, const Arguments& arguments);
Level CheckTest(Context& context, const Call& call, const Arguments& arguments);
Level CheckOutward(Context& context, const Call& call, const Arguments& arguments);

// Report a finding if the path is one that should not be written or removed.
void CheckWritten(Context& context, const Word& file, Place place, std::string_view by);
void CheckRemoved(Context& context, const Word& tree, Place place, std::string_view by);
// CheckSecretRead reports a file with credentials. CheckShown applies it to the operands of
// programs that show or copy file contents.
void CheckSecretRead(Context& context, const Word& file, Place place, std::string_view by);
void CheckShown(Context& context, const Call& call, std::span<const Word> operands);
// As CheckRemoved, for directories that a copy or archive command empties: reports only the root,
// home directories and system directories.
void CheckEmptied(Context& context, const Word& tree, Place place, std::string_view by);
bool IsService(std::string_view name);
void CheckProgramText(Context& context, const Call& call, const Word& text, Code code);
// True if one of the SQL statements writes to the database.
bool WritesSql(std::string_view text);

}  // namespace belljar::judgement::analysis::shell
