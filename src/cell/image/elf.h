// What an ELF file says about the libraries it needs.
//
// Read by hand instead of asking the dynamic loader to list them: the loader maps the file it is
// asked about, and a crafted one (an extension module of somebody's virtualenv) can run code in it
// that way. This reader looks at the program headers and the dynamic table, checks every offset
// and count, and runs nothing. 64-bit little-endian files only; others have no libraries to us.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace belljar::cell::image {

struct ElfFile {
  std::uint16_t machine = 0;         // EM_X86_64, EM_AARCH64, ...
  std::string interpreter;           // PT_INTERP: the loader of a program, "" for a library
  std::vector<std::string> needed;   // DT_NEEDED, in order
  std::vector<std::string> rpath;    // DT_RPATH, split at ':'
  std::vector<std::string> runpath;  // DT_RUNPATH, split at ':'
};

// Fills all of `to` from `offset`, or says that it could not.
using ReadAt = std::function<bool(std::uint64_t offset, void* to, std::size_t size)>;

// Nothing when the bytes are no such file, or a damaged one.
std::optional<ElfFile> ParseElf(const ReadAt& read_at);
std::optional<ElfFile> ReadElf(const std::string& host_path);

}  // namespace belljar::cell::image
