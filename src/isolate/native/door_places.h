// Where a cell's doors are, as a guest reaches them. Plain: also for what runs between clone and
// exec.
#pragma once

#include <cstdint>

namespace belljar::isolate {

inline constexpr std::uint16_t kEgressPort = 3128;  // on 127.0.0.1
inline constexpr char kToolsSocket[] = "/run/belljar/tools.sock";

}  // namespace belljar::isolate
