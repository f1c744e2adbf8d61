#include "cell/image/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "foundation/base/sys.h"

namespace belljar::cell::image {
namespace {

constexpr std::size_t kMaxHeaders = 128;
constexpr std::size_t kMaxDynamic = 4096;
constexpr std::size_t kMaxNeeded = 1024;
constexpr std::size_t kMaxString = 4096;

class ElfReader {
 public:
  explicit ElfReader(const ReadAt& read_at) : read_at_(read_at) {}

  std::optional<ElfFile> Read() {
    Elf64_Ehdr header{};
    if (!read_at_(0, &header, sizeof(header)) || !Supported(header)) return std::nullopt;
    headers_.resize(header.e_phnum);
    if (!read_at_(header.e_phoff, headers_.data(), headers_.size() * sizeof(Elf64_Phdr))) {
      return std::nullopt;
    }
    ElfFile file;
    file.machine = header.e_machine;
    for (const Elf64_Phdr& part : headers_) {
      if (part.p_type == PT_INTERP) file.interpreter = ReadString(part.p_offset);
      if (part.p_type == PT_DYNAMIC && !ReadDynamic(part, file)) return std::nullopt;
    }
    return file;
  }

 private:
  static bool Supported(const Elf64_Ehdr& header) {
    return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
           header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB &&
           (header.e_type == ET_EXEC || header.e_type == ET_DYN) &&
           header.e_phentsize == sizeof(Elf64_Phdr) && header.e_phnum <= kMaxHeaders;
  }

  bool ReadDynamic(const Elf64_Phdr& part, ElfFile& file) {
    const std::size_t count = std::min(part.p_filesz / sizeof(Elf64_Dyn), kMaxDynamic);
    std::vector<Elf64_Dyn> table(count);
    if (!read_at_(part.p_offset, table.data(), count * sizeof(Elf64_Dyn))) return false;
    const auto end = std::find_if(table.begin(), table.end(),
                                  [](const Elf64_Dyn& item) { return item.d_tag == DT_NULL; });
    table.erase(end, table.end());
    const std::optional<std::uint64_t> strings = StringTable(table);
    if (!strings) return true;  // a static program: it needs nothing
    for (const Elf64_Dyn& item : table) {
      if (item.d_tag != DT_NEEDED && item.d_tag != DT_RPATH && item.d_tag != DT_RUNPATH) continue;
      const std::string text = ReadString(*strings + item.d_un.d_val);
      if (item.d_tag == DT_RPATH) file.rpath = Split(text);
      if (item.d_tag == DT_RUNPATH) file.runpath = Split(text);
      if (item.d_tag == DT_NEEDED && !text.empty() && file.needed.size() < kMaxNeeded) {
        file.needed.push_back(text);
      }
    }
    return true;
  }

  // DT_STRTAB is an address; the segment that is loaded there gives its offset in the file.
  std::optional<std::uint64_t> StringTable(const std::vector<Elf64_Dyn>& table) const {
    for (const Elf64_Dyn& item : table) {
      if (item.d_tag != DT_STRTAB) continue;
      for (const Elf64_Phdr& part : headers_) {
        // wraps around for a smaller address, and is then too large
        const std::uint64_t into = item.d_un.d_ptr - part.p_vaddr;
        if (part.p_type == PT_LOAD && into < part.p_filesz) return part.p_offset + into;
      }
    }
    return std::nullopt;
  }

  std::string ReadString(std::uint64_t offset) const {
    std::string text;
    std::array<char, 64> chunk{};
    while (text.size() < kMaxString) {
      std::size_t got = chunk.size();
      while (got > 0 && !read_at_(offset + text.size(), chunk.data(), got)) got /= 2;
      if (got == 0) return "";
      const auto end = std::find(chunk.begin(), chunk.begin() + got, '\0');
      text.append(chunk.begin(), end);
      if (end != chunk.begin() + got) return text;
    }
    return "";
  }

  static std::vector<std::string> Split(const std::string& text) {
    std::vector<std::string> parts;
    for (std::size_t start = 0; start < text.size();) {
      const std::size_t colon = std::min(text.find(':', start), text.size());
      if (colon > start) parts.push_back(text.substr(start, colon - start));
      start = colon + 1;
    }
    return parts;
  }

  const ReadAt& read_at_;
  std::vector<Elf64_Phdr> headers_;
};

}  // namespace

std::optional<ElfFile> ParseElf(const ReadAt& read_at) { return ElfReader(read_at).Read(); }

std::optional<ElfFile> ReadElf(const std::string& host_path) {
  const auto fd = Open(host_path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!fd) return std::nullopt;
  return ParseElf([&](std::uint64_t offset, void* to, std::size_t size) {
    const ssize_t n = ::pread(fd->get(), to, size, static_cast<off_t>(offset));
    return n >= 0 && static_cast<std::size_t>(n) == size;
  });
}

}  // namespace belljar::cell::image
