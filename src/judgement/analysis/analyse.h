// The door to the static analysis: source text in, findings out. Pure functions, from any thread.
//
// Each language has an analyser of its own over the same tree (syntax.h). None follows regular
// expressions: a word in a comment, a text or a name of the program's own is not a finding, and a
// forbidden thing that is reached through assignments, calls, containers and text building still
// is. What cannot be read in bounded time is a finding too ("…-unclear"), never a silent pass.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "judgement/analysis/finding.h"

namespace belljar::judgement::analysis {

Analysis AnalysePython(std::string_view source);
Analysis AnalyseJavaScript(std::string_view source, Language language);
Analysis AnalyseShell(std::string_view source);
// A program and its arguments, which no shell reads.
Analysis AnalyseCommand(std::span<const std::string> command);

Analysis Analyse(Language language, std::string_view source);

}  // namespace belljar::judgement::analysis
