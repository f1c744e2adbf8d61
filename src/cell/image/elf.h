// Reads from an ELF file which libraries it needs.
//
// Parsed here instead of asking the dynamic loader (ldd): the loader maps the file, and a crafted
// one, such as an extension module of a user's virtualenv, can run code that way. This parser reads
// the program headers and the dynamic table, checks every offset and count, and runs nothing. Only
// 64-bit little-endian files are supported; others count as having no libraries.
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

// Reads exactly `size` bytes at `offset`; returns false if that is not possible.
using ReadAt = std::function<bool(std::uint64_t offset, void* to, std::size_t size)>;

// nullopt if the bytes are not such a file, or a damaged one.
std::optional<ElfFile> ParseElf(const ReadAt& read_at);
std::optional<ElfFile> ReadElf(const std::string& host_path);

}  // namespace belljar::cell::image
