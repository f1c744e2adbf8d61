// Starts the programs that build cells, and exchanges structs with them (orders.h).
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cell/native/host/process.h"
#include "cell/native/launcher/orders.h"
#include "foundation/base/sys.h"

namespace belljar::cell::native {

template <class T>
std::span<const std::byte> BytesOf(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

// A memory file sealed against all changes: not even a cell that finds its own program through
// /proc/self/exe can change it.
Result<Fd> SealedFile(const char* name, std::string_view content);

// Starts an embedded program, with `orders` as its descriptor 3.
Result<Process> SpawnProgram(const char* name, std::string_view content, const Fd& orders);

// Reads a StartReport and the pidfd that is passed with it.
Result<Process> ReceiveProcess(const Fd& socket, std::string_view who);

// Waits until the first process of a cell is ready, and receives `fds` descriptors from it.
Result<Received> AwaitHanded(const Fd& socket, std::size_t fds);

// Puts strings into a fixed buffer, each ended by NUL; an error if they do not fit.
Result<std::uint32_t> PackArgs(const std::vector<std::string>& args, std::span<char> buffer);

// Reads one StepReport from a stream or packet socket before `timeout`.
Result<StepReport> AwaitReport(const Fd& fd, std::chrono::milliseconds timeout,
                               std::string_view who);
Error StepError(const StepReport& report);

}  // namespace belljar::cell::native
