#include "cell/limits/kernel_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>

#include "foundation/base/sys.h"

namespace belljar::cell::limits {
namespace {

constexpr std::size_t kPage = 4096;
constexpr int kMostKept = 640;  // descriptors: enough for the counters of some hundred sessions
std::atomic<int> kept_by_all{0};

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

}  // namespace

Result<Fd> OpenAt(const Fd& dir, const std::string& path, int flags) {
  const long fd = BJ_TRY(
      Check("open", path, [&] { return ::openat(dir.get(), path.c_str(), flags | O_CLOEXEC); }));
  return Fd(static_cast<int>(fd));
}

Result<std::string> ReadKernelFile(const Fd& file, std::string_view what) {
  std::array<char, kPage> page;
  const long n =
      BJ_TRY(Check("read", what, [&] { return ::pread(file.get(), page.data(), kPage, 0); }));
  if (static_cast<std::size_t>(n) == kPage) {
    return Error(Kind::kInternal, std::string(what) + " is larger than a page");
  }
  return std::string(page.data(), static_cast<std::size_t>(n));
}

Result<std::string> ReadKernelFile(const Fd& dir, const std::string& path) {
  const Fd file = BJ_TRY(OpenAt(dir, path, O_RDONLY));
  return ReadKernelFile(file, std::string_view(path));
}

Result<std::string> KeptFiles::Read(const Fd& dir, const std::string& path) {
  for (const Kept& kept : kept_) {
    if (kept.dir != dir.get() || kept.path != path) continue;
    return ReadKernelFile(kept.file, std::string_view(path));
  }
  Fd file = BJ_TRY(OpenAt(dir, path, O_RDONLY));
  auto text = ReadKernelFile(file, std::string_view(path));
  if (text && ++kept_by_all <= kMostKept) {
    kept_.push_back({dir.get(), path, std::move(file)});
  } else if (text) {
    --kept_by_all;
  }
  return text;
}

void KeptFiles::Close() {
  kept_by_all -= static_cast<int>(kept_.size());
  kept_.clear();
}

std::optional<std::uint64_t> LeadingNumber(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> NumberOf(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (line.size() > key.size() && line.starts_with(key) && IsBlank(line[key.size()])) {
      return LeadingNumber(line.substr(key.size()));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return std::nullopt;
}

}  // namespace belljar::cell::limits
