#include "door/cli/flags_behind_file.h"

#include <algorithm>

namespace belljar::door::cli {
namespace {

constexpr std::string_view kRestIsTheProgram = "--";

// The number of words at `at` that form a flag of the command with its value; 0: not a flag.
std::size_t WordsOfFlag(const CLI::App& command, const std::vector<std::string>& words,
                        std::size_t at) {
  const std::string& word = words[at];
  if (word.size() < 2 || word[0] != '-' || word == kRestIsTheProgram) return 0;
  const bool is_long = word[1] == '-';
  const std::size_t end = is_long ? std::min(word.find('='), word.size()) : 2;
  const CLI::Option* const option = command.get_option_no_throw(word.substr(0, end));
  if (option == nullptr) return 0;
  const bool value_follows = option->get_items_expected_max() > 0 && end == word.size();
  return value_follows ? 2 : 1;
}

bool IsHelp(const std::string& word) { return word == "--help" || word == "-h"; }

}  // namespace

std::vector<std::string> FlagsFirst(const CLI::App& command, std::vector<std::string> words) {
  std::size_t file = 0;
  while (file < words.size()) {
    // With -c the program is on the command line, and there is no FILE.
    if (words[file].starts_with("-c")) return words;
    const std::size_t flag = WordsOfFlag(command, words, file);
    if (flag == 0) break;
    file += flag;
  }
  if (file >= words.size() || words[file] == kRestIsTheProgram) return words;
  std::size_t behind = file + 1;
  while (behind < words.size() && words[behind].starts_with("--") && !IsHelp(words[behind])) {
    const std::size_t flag = WordsOfFlag(command, words, behind);
    if (flag == 0 || behind + flag > words.size()) break;
    behind += flag;
  }
  const auto at = [&](std::size_t place) {
    return words.begin() + static_cast<std::ptrdiff_t>(place);
  };
  if (behind < words.size() && words[behind] == kRestIsTheProgram) words.erase(at(behind));
  std::rotate(at(file), at(file + 1), at(behind));
  return words;
}

std::vector<std::string> WithEmptyValues(const CLI::App& command, std::vector<std::string> words) {
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t flag = WordsOfFlag(command, words, at);
    if (flag == 0) break;
    at += flag;
    std::string& word = words[at - flag];
    if (!word.starts_with("--") || word.find('=') != word.size() - 1) continue;
    word.pop_back();
    words.insert(words.begin() + static_cast<std::ptrdiff_t>(at++), "");
  }
  return words;
}

}  // namespace belljar::door::cli
