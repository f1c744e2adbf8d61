// Lists, compares and fetches the files of a run's workspace, from outside, after its processes
// have ended.
//
// Every name, type and size in a workspace was chosen by the guest. So nothing is opened by an
// absolute path: each step goes from a directory descriptor to a name in it, symbolic links are
// never followed, and only regular files with one link are read. Count, depth and bytes are
// bounded.
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
constexpr std::size_t kMaxListedBytes = 1 << 20;  // total length of names
constexpr std::size_t kMaxListedDepth = 64;
constexpr std::uint64_t kMaxFetchBytes = 32 << 20;  // per file
constexpr std::uint64_t kMaxFetchBytesTotal = 64 << 20;

// The metadata of a file; changes are detected from it without reading the file.
struct FileState {
  std::uint64_t size = 0;
  std::int64_t changed_ns = 0;
  std::uint64_t inode = 0;
  bool operator==(const FileState&) const = default;
};

struct Listing {
  std::int64_t begun_ns = 0;               // time at which the listing began
  std::map<std::string, FileState> files;  // regular files and links, by path
  std::uint64_t largest_bytes = 0;
  bool incomplete = false;
};

// Puts a request's files into an empty workspace, owned by `uid`.
Result<> PutFiles(const Fd& workspace, const std::vector<request::InputFile>& files,
                  std::uint32_t uid);

// The st_size of an empty workspace, used later to recognise that it is still empty without reading
// it: on tmpfs a directory's size grows with its entries. nullopt for any other file system. Call
// it before a program runs that may change the workspace.
std::optional<std::uint64_t> SizeWhenEmpty(const Fd& workspace);

Listing List(const Fd& workspace, const std::optional<std::uint64_t>& size_when_empty = {});

FileChanges Compare(const Listing& before, const Listing& after);

// Reads one file, or returns an error that says why it is refused.
Result<std::string> Fetch(const Fd& workspace, const std::string& path, std::uint64_t max_bytes);

// The checks that Fetch makes. Tests can disable one to show what it prevents.
enum class FetchCheck : unsigned { kBeneath = 1, kRegular = 2, kOneLink = 4 };
void LeaveOut(FetchCheck check);

}  // namespace belljar::run
