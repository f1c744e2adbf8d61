// The stages of Judge, each in a file of its own.
#pragma once

#include "judgement/analysis/shell/call.h"
#include "judgement/analysis/shell/context.h"
#include "judgement/analysis/shell/programs.h"

namespace belljar::judgement::analysis::shell {

// Each does nothing and says false unless the call is its business.
bool JudgeWrapper(Context& context, const Call& call, Stream& out);
bool JudgeFind(Context& context, const Call& call, Stream& out);
bool JudgeXargs(Context& context, const Call& call, Stream& out);
bool JudgeParallel(Context& context, const Call& call, Stream& out);
bool JudgeInterpreter(Context& context, const Call& call, Stream& out);
bool JudgeEval(Context& context, const Call& call, Stream& out);
bool JudgeEcho(Context& context, const Call& call, Stream& out);
bool JudgeFile(Context& context, const Call& call, Stream& out);

// What a program of the table prints.
Stream PrintedBy(Context& context, const Program& program, const Call& call,
                 const Arguments& arguments);

// A text is about to be run: where it came from may forbid it.
void CheckRun(Context& context, Place place, std::string_view by, Origins origins);
// What is known of a file, by the word that names it.
const Stream* KnownFile(const Context& context, const Word& file);
// The same file under its other spellings: "./x" is "x".
std::string FileKey(const Context& context, const Word& file);

// Tools that reach beyond this machine, by the word that says what they do there.
void CheckChangesOutside(Context& context, const Call& call, const Arguments& arguments);
// Of a container that is started or entered: whether it is given the machine.
void CheckContainer(Context& context, const Call& call, const Arguments& arguments);

// Commands in a program's options, and in what git is given.
void RunCarried(Context& context, const Call& call);
void RunByGit(Context& context, const Call& call, const Arguments& outer, std::string_view command);

// Program texts of other languages, read for names only.
void CheckReverseProgram(Context& context, const Call& call, std::string_view text);
void CheckShellOut(Context& context, const Call& call, std::string_view text, Code code);
void RunTcl(Context& context, const Call& call, std::string_view text);
void CheckProgramFlow(Context& context, const Call& call, std::string_view text);
Stream OutputOfProgram(std::string_view text);

// A call of the same place and input with other words.
Call WithWords(const Call& call, std::vector<Word> words);

}  // namespace belljar::judgement::analysis::shell
