// A cell's listeners and their addresses inside the cell. No dependencies: the code between clone
// and exec includes this header too.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace belljar::cell {

// A way out of a cell: a listening socket inside it, created before the guest starts, whose
// connections the supervisor accepts. A listener that the spec does not name does not exist in the
// cell.
enum class CellListener {
  kEgress,  // TCP on 127.0.0.1, kEgressPort, in the cell's own network namespace
  kTools,   // a stream Unix socket at kToolsSocket
};
constexpr std::size_t kListenerCount = 2;

inline constexpr std::uint16_t kEgressPort = 3128;  // on 127.0.0.1
inline constexpr char kToolsPlace[] = "/run/belljar";
inline constexpr char kToolsSocket[] = "/run/belljar/tools.sock";

// The image's /node_modules is a symbolic link to kToolsPlace, so `import 'belljar'` in JavaScript
// finds the same file that require() finds by NODE_PATH.
inline bool PlaceModule() {
  return ::mkdir("/run/belljar/belljar", 0755) == 0 &&
         ::symlink("/.belljar/lib/belljar.js", "/run/belljar/belljar/index.js") == 0;
}

}  // namespace belljar::cell
