// Entry points of the static analysis: source text in, findings out. The functions are pure and may
// be called from any thread.
//
// Each language has its own analyser over the same kind of syntax tree (syntax.h). None of them
// uses regular expressions: a forbidden word in a comment, in a string literal or as one of the
// program's own names is not a finding, while a forbidden function that is reached through
// assignments, calls, containers and string building is one. Code that cannot be judged within the
// bounds on time and size yields a finding too ("…-unclear"); it never passes silently.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "judgement/analysis/finding.h"

namespace belljar::judgement::analysis {

Analysis AnalysePython(std::string_view source);
Analysis AnalyseJavaScript(std::string_view source, Language language);
Analysis AnalyseShell(std::string_view source);
// Analyses a program with its arguments, executed directly without a shell.
Analysis AnalyseCommand(std::span<const std::string> command);

Analysis Analyse(Language language, std::string_view source);

}  // namespace belljar::judgement::analysis
