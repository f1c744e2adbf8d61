// What a run did to its workspace, read from outside after its processes have ended.
//
// Every name, type and size in there was chosen by the guest. Nothing is opened by path: each
// step goes from a directory descriptor to a name in it, symbolic links are never followed, and
// only regular files with one link are read. Count, depth and bytes are bounded.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"
#include "request/request.h"
#include "run/run_result.h"

namespace belljar::run {

constexpr std::size_t kMaxListedFiles = 10'000;
constexpr std::size_t kMaxListedBytes = 1 << 20;  // of names
constexpr std::size_t kMaxListedDepth = 64;
constexpr std::uint64_t kMaxFetchBytes = 32 << 20;  // each
constexpr std::uint64_t kMaxFetchBytesTotal = 64 << 20;

// What can be told of a file without reading it.
struct FileState {
  std::uint64_t size = 0;
  std::int64_t changed_ns = 0;
  std::uint64_t inode = 0;
  bool operator==(const FileState&) const = default;
};

struct Listing {
  std::int64_t begun_ns = 0;               // when the first name was read
  std::map<std::string, FileState> files;  // regular files and links, by path
  std::uint64_t largest_bytes = 0;
  bool incomplete = false;
};

// Puts a request's files into an empty workspace, owned by `uid`.
Result<> PutFiles(const Fd& workspace, const std::vector<request::InputFile>& files,
                  std::uint32_t uid);

// The size of a workspace that is empty, by which it is known to be so again without reading it: a
// directory of a tmpfs is as large as it has entries. None of any other directory. To be asked
// before a program that may change it meanwhile.
std::optional<std::uint64_t> SizeWhenEmpty(const Fd& workspace);

Listing List(const Fd& workspace, const std::optional<std::uint64_t>& size_when_empty = {});

FileChanges Compare(const Listing& before, const Listing& after);

// Reads one file, or says why it will not.
Result<std::string> Fetch(const Fd& workspace, const std::string& path, std::uint64_t max_bytes);

// What Fetch insists on. Tests can leave one out, to show what it holds.
enum class FetchCheck : unsigned { kBeneath = 1, kRegular = 2, kOneLink = 4 };
void LeaveOut(FetchCheck check);

}  // namespace belljar::run
