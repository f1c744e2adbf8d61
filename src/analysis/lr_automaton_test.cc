#include "analysis/lr_automaton.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "analysis/javascript_grammar.h"
#include "analysis/python_tree.h"
#include "analysis/shell_context.h"

namespace belljar::analysis {
namespace {

std::vector<const Grammar*> AllGrammars() {
  return {&python::PythonGrammar(), &shell::ShellGrammar(),
          &javascript::GrammarOf(Language::kJavaScript),
          &javascript::GrammarOf(Language::kTypeScript)};
}

// Each state that can be come to, by characters below 128 and some others.
std::set<TSStateId> StatesFrom(const LrAutomaton& automaton, std::set<TSStateId> begin) {
  std::vector<TSStateId> open(begin.begin(), begin.end());
  while (!open.empty()) {
    const TSStateId state = open.back();
    open.pop_back();
    for (std::int32_t character = LrAutomaton::kEndOfText; character < 0x300; ++character) {
      const TSStateId next = automaton.Ask(state, character).next;
      if (next != LrAutomaton::kNowhere && begin.insert(next).second) open.push_back(next);
    }
  }
  return begin;
}

std::set<TSStateId> Beginnings(const TSLanguage& language) {
  std::set<TSStateId> states;
  for (std::uint32_t state = 0; state < language.state_count; ++state) {
    const std::uint16_t begin = language.lex_modes[state].lex_state;
    if (begin != static_cast<std::uint16_t>(-1)) states.insert(begin);
  }
  return states;
}

// The table keeps one symbol for a state.
TEST(LrAutomaton, AcceptsTheSameInAStateWhateverFollows) {
  for (const Grammar* grammar : AllGrammars()) {
    const TSLanguage& language = *grammar->language();
    const LrAutomaton words(language.lex_fn);
    const std::set<TSStateId> states = StatesFrom(words, Beginnings(language));
    EXPECT_GT(states.size(), 50U);
    for (const TSStateId state : states) {
      const TSSymbol accepted = words.Ask(state, LrAutomaton::kEndOfText).accepted;
      EXPECT_LT(state, 0x3FFE);
      for (std::int32_t character = 0; character < 0x300; ++character) {
        ASSERT_EQ(words.Ask(state, character).accepted, accepted) << state << " " << character;
      }
    }
  }
}

struct FoundToken {
  bool any;
  std::uint32_t start, end;
  TSSymbol symbol;
  bool operator==(const FoundToken&) const = default;
};

FoundToken TokenIn(LrAutomaton& automaton, std::string_view text, TSStateId state) {
  LrSource source{};
  source.text = text.data();
  source.size = static_cast<std::uint32_t>(text.size());
  const bool any = automaton.Run(source, state);
  return {any, source.start, source.end, source.seen.result_symbol};
}

// What was learnt from one text serves for the next: also when it was learnt in another order.
TEST(LrAutomaton, FindsTheSameWhetherItHasLearntOrNot) {
  const TSLanguage& language = *python::PythonGrammar().language();
  LrAutomaton learnt(language.lex_fn);
  for (const std::string_view text :
       {"", "x", "  name1 = 2", "0x1F", "é = 1", "nameé", "\t\t", "1e5.", "**=", "# comment é\nx",
        "\"", "\x7F", "!=", "1_000j "}) {
    for (const TSStateId state : Beginnings(language)) {
      LrAutomaton fresh(language.lex_fn);
      const FoundToken first = TokenIn(fresh, text, state);
      EXPECT_EQ(TokenIn(fresh, text, state), first) << text << " " << state;
      EXPECT_EQ(TokenIn(learnt, text, state), first) << text << " " << state;
    }
  }
}

TEST(LrAutomaton, FindsNothingInWhatIsNoUtf8) {
  LrAutomaton words(python::PythonGrammar().language()->lex_fn);
  EXPECT_FALSE(TokenIn(words, "\xFF", 0).any);
  EXPECT_FALSE(TokenIn(words, "a\xC3", 0).any);
}

}  // namespace
}  // namespace belljar::analysis
