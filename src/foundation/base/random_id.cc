#include "foundation/base/random_id.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <array>

#include "foundation/base/sys.h"

namespace belljar {

Result<std::string> RandomId(std::string_view prefix) {
  std::array<unsigned char, 12> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return SysError("getrandom", "an id", errno);
  }
  std::string id(prefix);
  for (const unsigned char byte : bytes) id += fmt::format("{:02x}", byte);
  return id;
}

}  // namespace belljar
