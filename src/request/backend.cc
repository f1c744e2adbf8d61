#include "request/backend.h"

#include <array>
#include <utility>

#include "foundation/base/quote.h"

namespace belljar::request {
namespace {

constexpr std::array kNames = {std::pair{BackendKind::kNative, "native"},
                               std::pair{BackendKind::kGvisor, "gvisor"},
                               std::pair{BackendKind::kDocker, "docker"}};

}  // namespace

std::string_view BackendName(BackendKind backend) {
  for (const auto& [kind, name] : kNames) {
    if (kind == backend) return name;
  }
  return "native";
}

Result<BackendKind> ParseBackend(std::string_view name) {
  for (const auto& [kind, known] : kNames) {
    if (name == known) return kind;
  }
  return Error(Kind::kInvalid,
               "the backend " + Quote(name) + " is not known; there are native, gvisor and docker");
}

}  // namespace belljar::request
