// Arbitrary bytes in arbitrary pieces: whatever the cuts, the same comes out as of one piece, and
// no more is held back than was promised.
//
// The input's first byte says how many of the next bytes are lengths of pieces, the second which
// rules are on; the rest is the text.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "judgement/redaction/redactor.h"

namespace {

using namespace belljar::judgement::redaction;

void Require(bool holds) {
  if (!holds) std::abort();
}

const std::shared_ptr<const Redactor>& ForChoice(unsigned choice) {
  static const auto create = [](bool machines) {
    Options options;
    options.machine_addresses = machines;
    auto created = Redactor::Create(options);
    Require(static_cast<bool>(created));
    return *created;
  };
  static const std::shared_ptr<const Redactor> kUsual = create(false);
  static const std::shared_ptr<const Redactor> kMachines = create(true);
  return choice % 2 == 0 ? kUsual : kMachines;
}

struct Outcome {
  std::string text;
  Counts counts;
  bool operator==(const Outcome&) const = default;
};

Outcome InPieces(unsigned choice, std::string_view text, std::string_view lengths) {
  StreamRedactor stream(ForChoice(choice));
  Outcome outcome;
  for (std::size_t turn = 0; !text.empty(); ++turn) {
    const std::size_t wish =
        lengths.empty() ? text.size() : static_cast<unsigned char>(lengths[turn % lengths.size()]);
    const std::size_t size = std::clamp<std::size_t>(wish, 1, text.size());
    outcome.text += stream.Feed(text.substr(0, size));
    Require(stream.held() <= kMaxHeldBytes);
    text.remove_prefix(size);
  }
  outcome.text += stream.Finish();
  outcome.counts = stream.counts();
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data + 2), size - 2);
  const std::size_t split = std::min<std::size_t>(data[0] % 8, input.size());
  const std::string_view lengths = input.substr(0, split);
  const std::string_view text = input.substr(split);

  const Outcome whole = InPieces(data[1], text, "");
  Require(whole == InPieces(data[1], text, lengths));
  Require(whole == InPieces(data[1], text, std::string_view("\1", 1)));
  if (whole.counts.empty()) Require(whole.text == text);
  return 0;
}
