// A cell's listeners, and where they are as a guest reaches them. Plain: also for what runs between
// clone and exec.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace belljar::cell {

// A way out of a cell: a listener inside it, made before the guest is there, whose connections the
// supervisor has. A cell without listeners has no such listener, and nothing behind it.
enum class CellListener {
  kEgress,  // TCP on 127.0.0.1, kEgressPort, in the cell's own network namespace
  kTools,   // a stream Unix socket at kToolsSocket
};
constexpr std::size_t kListenerCount = 2;

inline constexpr std::uint16_t kEgressPort = 3128;  // on 127.0.0.1
inline constexpr char kToolsPlace[] = "/run/belljar";
inline constexpr char kToolsSocket[] = "/run/belljar/tools.sock";

// The image's /node_modules is a link to kToolsPlace: there `import 'belljar'` of JavaScript finds
// the same file that NODE_PATH leads require() to.
inline bool PlaceModule() {
  return ::mkdir("/run/belljar/belljar", 0755) == 0 &&
         ::symlink("/.belljar/lib/belljar.js", "/run/belljar/belljar/index.js") == 0;
}

}  // namespace belljar::cell
