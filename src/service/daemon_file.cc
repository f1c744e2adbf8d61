#include "service/daemon_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>

#include "foundation/base/sys.h"

namespace belljar::service {
namespace {

constexpr std::string_view kUnixPrefix = "unix:";
constexpr std::size_t kMostBytes = 512;  // a socket's path has at most 107

// Makes the path absolute, because readers have another working directory.
std::string Absolute(const std::string& address) {
  std::error_code failed;
  const auto path = std::filesystem::absolute(address.substr(kUnixPrefix.size()), failed);
  return failed ? std::string() : std::string(kUnixPrefix) + path.string();
}

}  // namespace

std::string DaemonFile(const std::string& state_dir) { return state_dir + "/daemon.lock"; }

Result<> NoteDaemon(const Fd& lock, const std::vector<std::string>& addresses) {
  std::string text;
  for (const std::string& address : addresses) {
    if (!text.empty() || !address.starts_with(kUnixPrefix)) continue;
    text = fmt::format("{} {}\n", ::getpid(), Absolute(address));
  }
  BJ_TRY(Check("ftruncate", "the daemon's lock", [&] { return ::ftruncate(lock.get(), 0); }));
  BJ_TRY(Check("pwrite", "the daemon's lock",
               [&] { return ::pwrite(lock.get(), text.data(), text.size(), 0); }));
  return {};
}

std::optional<DaemonAddress> FindDaemon(const std::string& state_dir) {
  const auto file = Open(DaemonFile(state_dir), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  struct stat status {};
  if (!file || ::fstat(file->get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  // In a directory writable by others, a forged file could redirect our code to another process.
  if (status.st_uid != ::geteuid() && status.st_uid != 0) return std::nullopt;
  const auto text = ReadAll(*file, kMostBytes, "the daemon's lock");
  if (!text || !text->ends_with('\n')) return std::nullopt;
  DaemonAddress found;
  const char* const end = text->data() + text->size() - 1;
  const auto [stop, failed] = std::from_chars(text->data(), end, found.pid);
  if (failed != std::errc() || stop == end || *stop != ' ' || found.pid <= 0) return std::nullopt;
  found.address.assign(stop + 1, end);
  if (!found.address.starts_with(std::string(kUnixPrefix) + "/")) return std::nullopt;
  return found;
}

}  // namespace belljar::service
