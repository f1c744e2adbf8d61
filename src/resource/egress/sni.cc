#include "resource/egress/sni.h"

#include <cstdint>
#include <optional>

#include "foundation/base/bytes.h"

namespace belljar::resource::egress {
namespace {

constexpr std::size_t kRecordHead = 5;
constexpr std::size_t kHandshakeHead = 4;
constexpr std::size_t kMaxRecordBytes = 16 * 1024;
constexpr std::size_t kMaxNameBytes = 255;
constexpr std::uint8_t kHandshake = 22;
constexpr std::uint8_t kClientHello = 1;
constexpr std::size_t kServerName = 0;

Hello NotTls() { return {HelloState::kNotTls, ""}; }

// Concatenates the handshake data of the TLS records; nullopt if the bytes are not TLS records.
std::optional<std::string> JoinRecords(std::string_view bytes) {
  std::string handshake;
  while (!bytes.empty()) {
    if (static_cast<std::uint8_t>(bytes[0]) != kHandshake) return std::nullopt;
    if (bytes.size() > 1 && bytes[1] != 3) return std::nullopt;
    if (bytes.size() < kRecordHead) break;
    const std::size_t size = LoadNumber(ByteOrder::kBig, bytes.substr(3, 2));
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
  BigReader all(extension);
  BigReader list(all.GetText(2));
  const std::size_t kind = list.GetNumber(1);
  std::string name(list.GetText(2));
  if (!all.ok() || !list.ok() || !all.at_end() || !list.at_end() || kind != 0) {
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
  BigReader hello(body);
  hello.GetBytes(2 + 32);  // version, random
  hello.GetText(1);        // session
  hello.GetText(2);        // ciphers
  hello.GetText(1);        // compression
  if (!hello.ok()) return NotTls();
  if (hello.at_end()) return {HelloState::kComplete, ""};
  BigReader extensions(hello.GetText(2));
  if (!hello.ok() || !hello.at_end()) return NotTls();
  Hello found{HelloState::kComplete, ""};
  while (!extensions.at_end()) {
    const std::size_t kind = extensions.GetNumber(2);
    const std::string_view content = extensions.GetText(2);
    if (!extensions.ok()) return NotTls();
    if (kind != kServerName) continue;
    const auto name = NameIn(content);
    if (!name || !found.name.empty()) return NotTls();  // two names could be interpreted either way
    found.name = *name;
  }
  return extensions.ok() ? found : NotTls();
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
  BigReader head(*handshake);
  head.GetBytes(1);
  const std::size_t size = head.GetNumber(3);
  if (size > kMaxHelloBytes) return NotTls();
  if (handshake->size() < kHandshakeHead + size) return incomplete;
  // A client sends nothing else together with its ClientHello.
  if (handshake->size() > kHandshakeHead + size) return NotTls();
  return ReadBody(std::string_view(*handshake).substr(kHandshakeHead));
}

}  // namespace belljar::resource::egress
