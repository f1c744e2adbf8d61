// The table of programs: what each of them does, as far as it is known.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <unordered_map>

#include "judgement/analysis/shell/call.h"
#include "judgement/analysis/shell/context.h"

namespace belljar::judgement::analysis::shell {

// What a program prints.
enum class Prints : std::uint8_t {
  kSomething,  // unknown, and nobody's business
  kAlways,     // unknown, but never nothing: mktemp, pwd
  kNothing,
  kInput,     // what it reads, or the files it is given, unchanged: cat
  kFiltered,  // some of that: grep, sort
  kDownload,
  kDecoded,  // what it reads, unpacked: gunzip
  kFiles,    // what files or databases hold: pg_dump
  kSocket,
  kHere,       // the current directory
  kPathPart,   // a part of its operand, or its operand: dirname, which
  kListing,    // the names of its operands: ls
  kProcesses,  // numbers of the processes of its operands: pidof
};

// Which operands are files that it writes.
enum class WritesTo : std::uint8_t { kNone, kAll, kLast, kAllButFirst };

// Looks at a call of the program; the level that it needs.
using Check = Level (*)(Context& context, const Call& call, const Arguments& arguments);

struct Program {
  std::string_view names;  // with blanks between them
  Level level = Level::kRunsCode;
  Prints prints = Prints::kSomething;
  OptionSpec options = {};
  WritesTo writes_to = WritesTo::kNone;
  Check check = nullptr;
};

// Rows of a table by each of their names; of two rows with the same name, the first.
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
// Null: not in the table.
const Program* FindProgram(std::string_view name);

// Wrappers run another program, which their operands name.
struct Wrapper {
  std::string_view names;
  OptionSpec options = {};
  int skipped = 0;                     // operands before the program: timeout's seconds
  std::string_view subcommand = "";    // one of these must come first: "run"
  bool is_text = false;                // what follows is read by a shell: ssh, watch
  bool changes_user = false;           // sudo and its like
  std::string_view text_options = "";  // their value is read by a shell: su -c
  Level level = Level::kReads;         // that it needs itself
  bool each_text = false;              // each operand is a text of its own: hyperfine
  std::string_view user_options = "";  // only with one of these is it another user: setpriv
};
const Wrapper* FindWrapper(std::string_view name);

enum class Code : std::uint8_t { kShell, kPython, kJavaScript, kTcl, kOther };
struct Interpreter {
  std::string_view names;
  Code code = Code::kOther;
  std::string_view text_options = "";  // their value is the program: "-c"
  OptionSpec options = {};
  bool text_is_operand = false;  // -c is a flag, and the first operand the program: sh
};
const Interpreter* FindInterpreter(std::string_view name);

// Commands that keep patterns or programs of another language in their arguments.
bool HasPatterns(std::string_view name);
// Whether some program of that name is known at all.
bool IsKnown(std::string_view name);

// The checks of the table, by file: shell_files.cc …
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
// shell_network.cc
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
// shell_system.cc
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
// shell_packages.cc
Level CheckPackages(Context& context, const Call& call, const Arguments& arguments);
Level CheckPacman(Context& context, const Call& call, const Arguments& arguments);
Level CheckGit(Context& context, const Call& call, const Arguments& arguments);
// shell_database.cc
Level CheckSql(Context& context, const Call& call, const Arguments& arguments);
Level CheckRedis(Context& context, const Call& call, const Arguments& arguments);
Level CheckDatabaseTool(Context& context, const Call& call, const Arguments& arguments);
Level CheckMigration(Context& context, const Call& call, const Arguments& arguments);
// shell_builtins.cc
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

// Shared by the checks: a finding unless the file is nothing special.
void CheckWritten(Context& context, const Word& file, Place place, std::string_view by);
void CheckRemoved(Context& context, const Word& tree, Place place, std::string_view by);
// A finding if the file holds credentials; if a program that shows content is given one.
void CheckSecretRead(Context& context, const Word& file, Place place, std::string_view by);
void CheckShown(Context& context, const Call& call, std::span<const Word> operands);
// Of what a copy or an archive leaves empty: only the root, homes and the system's directories.
void CheckEmptied(Context& context, const Word& tree, Place place, std::string_view by);
bool IsService(std::string_view name);
void CheckProgramText(Context& context, const Call& call, const Word& text, Code code);
// A statement among them writes to the database.
bool WritesSql(std::string_view text);

}  // namespace belljar::judgement::analysis::shell
