#include "broker/sni.h"

#include <cstdint>
#include <optional>

namespace belljar::broker {
namespace {

constexpr std::size_t kRecordHead = 5;
constexpr std::size_t kHandshakeHead = 4;
constexpr std::size_t kMaxRecordBytes = 16 * 1024;
constexpr std::size_t kMaxNameBytes = 255;
constexpr std::uint8_t kHandshake = 22;
constexpr std::uint8_t kClientHello = 1;
constexpr std::size_t kServerName = 0;

// Reads numbers and vectors from the front. After the first failure all further reads return
// nothing.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  std::size_t Number(std::size_t width) {
    const std::string_view digits = Take(width);
    std::size_t number = 0;
    for (const char digit : digits) number = number << 8 | static_cast<std::uint8_t>(digit);
    return number;
  }
  std::string_view Take(std::size_t size) {
    if (size > bytes_.size()) {
      failed_ = true;
      bytes_ = {};
      return {};
    }
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }
  // A TLS vector: a length of `width` bytes, followed by as many bytes.
  std::string_view Vector(std::size_t width) { return Take(Number(width)); }
  bool empty() const { return bytes_.empty(); }
  bool failed() const { return failed_; }

 private:
  std::string_view bytes_;
  bool failed_ = false;
};

Hello NotTls() { return {HelloState::kNotTls, ""}; }

// Concatenates the handshake data of the TLS records; nullopt if the bytes are not TLS records.
std::optional<std::string> JoinRecords(std::string_view bytes) {
  std::string handshake;
  while (!bytes.empty()) {
    if (static_cast<std::uint8_t>(bytes[0]) != kHandshake) return std::nullopt;
    if (bytes.size() > 1 && bytes[1] != 3) return std::nullopt;
    if (bytes.size() < kRecordHead) break;
    Reader length(bytes.substr(3, 2));
    const std::size_t size = length.Number(2);
    if (size == 0 || size > kMaxRecordBytes) return std::nullopt;
    const std::string_view content = bytes.substr(kRecordHead, size);
    handshake += content;
    if (content.size() < size) break;
    bytes.remove_prefix(kRecordHead + size);
  }
  return handshake;
}

bool IsNameByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

// The name in the extension; nullopt unless it holds exactly one valid name.
std::optional<std::string> NameIn(std::string_view extension) {
  Reader all(extension);
  Reader list(all.Vector(2));
  const std::size_t kind = list.Number(1);
  std::string name(list.Vector(2));
  if (all.failed() || list.failed() || !all.empty() || !list.empty() || kind != 0) {
    return std::nullopt;
  }
  if (name.empty() || name.size() > kMaxNameBytes) return std::nullopt;
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (!IsNameByte(c)) return std::nullopt;
  }
  return name;
}

Hello ReadBody(std::string_view body) {
  Reader hello(body);
  hello.Take(2 + 32);  // version, random
  hello.Vector(1);     // session
  hello.Vector(2);     // ciphers
  hello.Vector(1);     // compression
  if (hello.failed()) return NotTls();
  if (hello.empty()) return {HelloState::kComplete, ""};
  Reader extensions(hello.Vector(2));
  if (hello.failed() || !hello.empty()) return NotTls();
  Hello found{HelloState::kComplete, ""};
  while (!extensions.empty()) {
    const std::size_t kind = extensions.Number(2);
    const std::string_view content = extensions.Vector(2);
    if (extensions.failed()) return NotTls();
    if (kind != kServerName) continue;
    const auto name = NameIn(content);
    if (!name || !found.name.empty()) return NotTls();  // two names could be interpreted either way
    found.name = *name;
  }
  return extensions.failed() ? NotTls() : found;
}

}  // namespace

Hello ReadHello(std::string_view bytes) {
  const bool all_there = bytes.size() >= kMaxHelloBytes;
  const auto handshake = JoinRecords(bytes.substr(0, kMaxHelloBytes));
  if (!handshake) return NotTls();
  if (!handshake->empty() && static_cast<std::uint8_t>((*handshake)[0]) != kClientHello) {
    return NotTls();
  }
  const Hello incomplete{all_there ? HelloState::kNotTls : HelloState::kIncomplete, ""};
  if (handshake->size() < kHandshakeHead) return incomplete;
  Reader head(*handshake);
  head.Take(1);
  const std::size_t size = head.Number(3);
  if (size > kMaxHelloBytes) return NotTls();
  if (handshake->size() < kHandshakeHead + size) return incomplete;
  // A client sends nothing else together with its ClientHello.
  if (handshake->size() > kHandshakeHead + size) return NotTls();
  return ReadBody(std::string_view(*handshake).substr(kHandshakeHead));
}

}  // namespace belljar::broker
