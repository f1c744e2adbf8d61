#include "run/snapshot/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "foundation/base/bytes.h"

namespace belljar::run::snapshot {
namespace {

constexpr std::string_view kMagic = "belljar snapshot 1\n";
constexpr std::size_t kMostShown = 200;

void Put(LittleWriter& out, const Entry& entry) {
  out.Put(static_cast<std::uint8_t>(entry.type));
  out.PutText<std::uint32_t>(entry.path);
  out.Put(entry.mode);
  out.Put(entry.modified.seconds);
  out.Put(entry.modified.nanoseconds);
  out.Put(entry.size);
  out.PutBytes(Bytes(entry.digest));
  out.Put(static_cast<std::uint32_t>(entry.extents.size()));
  for (const Extent& extent : entry.extents) {
    out.Put(extent.offset);
    out.Put(extent.bytes);
  }
  out.PutText<std::uint32_t>(entry.target);
  out.Put(static_cast<std::uint32_t>(entry.attributes.size()));
  for (const Attribute& attribute : entry.attributes) {
    out.PutText<std::uint32_t>(attribute.name);
    out.PutText<std::uint32_t>(attribute.value);
  }
}

std::string GetText(LittleReader& in) { return std::string(in.GetText(sizeof(std::uint32_t))); }

Entry GetEntry(LittleReader& in) {
  Entry entry;
  entry.type = static_cast<Type>(in.Get<std::uint8_t>());
  entry.path = GetText(in);
  entry.mode = in.Get<std::uint32_t>();
  entry.modified.seconds = in.Get<std::int64_t>();
  entry.modified.nanoseconds = in.Get<std::uint32_t>();
  entry.size = in.Get<std::uint64_t>();
  const std::string_view digest = in.GetBytes(entry.digest.size());
  if (in.ok()) std::memcpy(entry.digest.data(), digest.data(), digest.size());
  entry.extents.resize(in.GetCount(16));
  for (Extent& extent : entry.extents) {
    extent.offset = in.Get<std::uint64_t>();
    extent.bytes = in.Get<std::uint64_t>();
  }
  entry.target = GetText(in);
  entry.attributes.resize(in.GetCount(8));
  for (Attribute& attribute : entry.attributes) {
    attribute.name = GetText(in);
    attribute.value = GetText(in);
  }
  return entry;
}

bool IsName(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.size() <= 255 &&
         name.find('\0') == std::string_view::npos;
}

bool ExtentsFit(const Entry& entry) {
  std::uint64_t end = 0;
  for (const Extent& extent : entry.extents) {
    if (extent.offset < end || extent.bytes == 0 || extent.offset > entry.size ||
        extent.bytes > entry.size - extent.offset) {
      return false;
    }
    end = extent.offset + extent.bytes;
  }
  return entry.type == Type::kFile || (entry.size == 0 && entry.extents.empty());
}

bool AttributesFit(const Entry& entry) {
  const bool may_have = entry.type == Type::kFile || entry.type == Type::kDirectory;
  return (may_have || entry.attributes.empty()) &&
         std::ranges::all_of(entry.attributes, [](const Attribute& attribute) {
           return attribute.name.starts_with("user.") &&
                  attribute.name.find('\0') == std::string::npos;
         });
}

// Checks the order of the entries and the fields of each.
class Judge {
 public:
  bool Fits(const Entry& entry) {
    if ((entry.mode & ~01777U) != 0 || entry.modified.nanoseconds >= 1'000'000'000) return false;
    if (!ExtentsFit(entry) || !AttributesFit(entry) || !TargetFits(entry)) return false;
    if (known_.empty()) {
      if (!entry.path.empty() || entry.type != Type::kDirectory) return false;
    } else if (!HasItsPlace(entry.path)) {
      return false;
    }
    return known_.emplace(entry.path, entry.type).second;
  }

 private:
  bool HasItsPlace(const std::string& path) const {
    const std::size_t slash = path.rfind('/');
    const bool nested = slash != std::string::npos;
    if (slash == 0) return false;
    const auto parent = known_.find(nested ? path.substr(0, slash) : std::string());
    return IsName(std::string_view(path).substr(nested ? slash + 1 : 0)) &&
           parent != known_.end() && parent->second == Type::kDirectory;
  }
  bool TargetFits(const Entry& entry) const {
    switch (entry.type) {
      case Type::kDirectory:
      case Type::kFile:
        return entry.target.empty();
      case Type::kSymlink:
        return !entry.target.empty() && entry.target.find('\0') == std::string::npos;
      case Type::kLink: {
        const auto first = known_.find(entry.target);
        return first != known_.end() &&
               (first->second == Type::kFile || first->second == Type::kSymlink);
      }
      case Type::kOther:
        break;
    }
    return false;
  }

  std::unordered_map<std::string, Type> known_;
};

Error Damaged() {
  return Error(Kind::kInternal, "the snapshot's manifest is damaged, so it is not used");
}

}  // namespace

std::string Encode(const std::vector<Entry>& entries) {
  std::string bytes(kMagic);
  LittleWriter out(bytes);
  out.Put(static_cast<std::uint32_t>(entries.size()));
  for (const Entry& entry : entries) Put(out, entry);
  return bytes;
}

Result<std::vector<Entry>> Decode(std::string_view bytes, const Bounds& bounds) {
  if (!bytes.starts_with(kMagic)) return Damaged();
  LittleReader in(bytes.substr(kMagic.size()));
  const std::size_t count = in.GetCount(1);
  if (!in.ok() || count == 0 || count > bounds.entries) return Damaged();
  Judge judge;
  std::vector<Entry> entries;
  entries.reserve(std::min(count, bytes.size() / 64));
  for (std::size_t i = 0; i < count; ++i) {
    entries.push_back(GetEntry(in));
    if (!in.ok() || !judge.Fits(entries.back())) return Damaged();
  }
  if (!in.at_end()) return Damaged();
  return entries;
}

std::string Named(std::string_view path) {
  std::string text = path.empty() ? "workspace" : "workspace/";
  for (const char c : path.substr(0, kMostShown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f && c != '\\') {
      text.push_back(c);
    } else {
      text += fmt::format("\\x{:02x}", byte);
    }
  }
  if (path.size() > kMostShown) text += "...";
  return text;
}

}  // namespace belljar::run::snapshot
