// The stages of Judge, which are in separate files.
#pragma once

#include "judgement/analysis/shell/call.h"
#include "judgement/analysis/shell/context.h"
#include "judgement/analysis/shell/programs.h"

namespace belljar::judgement::analysis::shell {

// Each stage returns false without any effect if it does not apply to the call.
bool JudgeWrapper(Context& context, const Call& call, Stream& out);
bool JudgeFind(Context& context, const Call& call, Stream& out);
bool JudgeXargs(Context& context, const Call& call, Stream& out);
bool JudgeParallel(Context& context, const Call& call, Stream& out);
bool JudgeInterpreter(Context& context, const Call& call, Stream& out);
bool JudgeEval(Context& context, const Call& call, Stream& out);
bool JudgeEcho(Context& context, const Call& call, Stream& out);
bool JudgeFile(Context& context, const Call& call, Stream& out);

// The output of a program in the table.
Stream PrintedBy(Context& context, const Program& program, const Call& call,
                 const Arguments& arguments);

// Checks the origin of a text that is about to be run, for example that it was not downloaded.
void CheckRun(Context& context, Place place, std::string_view by, Origins origins);
// The known content of a file, by the word that names it; null if unknown.
const Stream* KnownFile(const Context& context, const Word& file);
// A key under which the spellings of a path are equal: "./x" is "x".
std::string FileKey(const Context& context, const Word& file);

// Checks tools that change things beyond this machine, by their subcommand.
void CheckChangesOutside(Context& context, const Call& call, const Arguments& arguments);
// Checks whether a container that is started or entered has access to the host.
void CheckContainer(Context& context, const Call& call, const Arguments& arguments);

// Run commands that are given in a program's options, or to git.
void RunCarried(Context& context, const Call& call);
void RunByGit(Context& context, const Call& call, const Arguments& outer, std::string_view command);

// Programs of other languages in arguments. They are scanned for names only.
void CheckReverseProgram(Context& context, const Call& call, std::string_view text);
void CheckShellOut(Context& context, const Call& call, std::string_view text, Code code);
void RunTcl(Context& context, const Call& call, std::string_view text);
void CheckProgramFlow(Context& context, const Call& call, std::string_view text);
Stream OutputOfProgram(std::string_view text);

// A call at the same place and with the same input, but with other words.
Call WithWords(const Call& call, std::vector<Word> words);

}  // namespace belljar::judgement::analysis::shell
