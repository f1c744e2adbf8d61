#include "resource/secret_source.h"

#include <fmt/format.h>

#include <cstdlib>

#include "foundation/base/sys.h"

namespace belljar::resource {

namespace {
constexpr std::size_t kMaxSecretBytes = 8'192;
}  // namespace

Result<std::string> OwnVariable(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  if (value == nullptr) {
    return Error(Kind::kUnavailable,
                 fmt::format("the variable {} is not set for the daemon", name));
  }
  return std::string(value);
}

Result<std::string> ReadSecret(const std::string& from) {
  std::string value;
  if (from.starts_with("env:")) {
    value = BJ_TRY(OwnVariable(from.substr(4)));
  } else {
    value = BJ_TRY(ReadFile(from.substr(5), kMaxSecretBytes));
  }
  while (!value.empty() && (value.back() == '\n' || value.back() == '\r')) value.pop_back();
  if (value.empty() || value.size() > kMaxSecretBytes ||
      value.find_first_of(std::string("\r\n\0", 3)) != std::string::npos) {
    return Error(Kind::kInvalid, fmt::format("{} holds no value in one line", from));
  }
  return value;
}

}  // namespace belljar::resource
