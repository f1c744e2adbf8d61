// Feeds arbitrary lines to the request parser. Whatever is accepted must satisfy the checks that
// front doors make on their own requests, and the id found without parsing must be the id parsed.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "foundation/base/text.h"
#include "request/request.h"

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace belljar;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string salvaged = request::SalvageId(text);
  Require(salvaged.size() <= request::kMaxIdBytes && IsValidUtf8(salvaged));
  const auto request = request::ParseRequest(text);
  if (!request) {
    // Errors are printed and sent as JSON.
    Require(!request.error().message().empty() && IsValidUtf8(request.error().message()));
    return 0;
  }
  Require(static_cast<bool>(request::Validate(*request)));
  Require(salvaged == request->id);
  return 0;
}
