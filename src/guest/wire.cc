#include "guest/wire.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/json.h"
#include "base/text.h"

namespace belljar::guest {
namespace {

Error Violation(std::string message) {
  return Error(Kind::kInvalid, "guest protocol: " + std::move(message));
}

std::size_t MaxPayload(Sender sender) {
  return sender == Sender::kGuest ? kMaxGuestFrameBytes : kMaxRunBytes;
}

bool IsLegalType(Sender sender, std::uint8_t type) {
  if (sender == Sender::kSupervisor) return type == static_cast<std::uint8_t>(FrameType::kRun);
  return type >= static_cast<std::uint8_t>(FrameType::kHello) &&
         type <= static_cast<std::uint8_t>(FrameType::kQuota);
}

// A JSON object that has no key but those in `allowed`.
Result<json::object> ReadObject(std::string_view payload,
                                std::span<const std::string_view> allowed) {
  json::value value = BJ_TRY(ParseJson(payload).While("guest protocol"));
  if (!value.is_object()) return Violation("the payload is not an object");
  for (const auto& member : value.get_object()) {
    const std::string_view key(member.key().data(), member.key().size());
    if (std::ranges::find(allowed, key) == allowed.end()) return Violation("unknown key");
  }
  return std::move(value.get_object());
}

Result<std::string> TakeString(const json::object& object, std::string_view key,
                               std::size_t max_bytes) {
  const json::value* value = object.if_contains(key);
  if (value == nullptr || !value->is_string()) return Violation(fmt::format("{} is no text", key));
  const json::string& text = value->get_string();
  if (text.size() > max_bytes) return Violation(fmt::format("{} is too long", key));
  return std::string(text.data(), text.size());
}

Result<std::uint64_t> TakeCount(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  if (value == nullptr) return Violation(fmt::format("{} is missing", key));
  if (value->is_uint64()) return value->get_uint64();
  if (!value->is_int64() || value->get_int64() < 0) {
    return Violation(fmt::format("{} is not a count", key));
  }
  return static_cast<std::uint64_t>(value->get_int64());
}

Result<> CheckVersion(const json::object& object) {
  const std::uint64_t version = BJ_TRY(TakeCount(object, "v"));
  if (version != kProtocolVersion) return Violation(fmt::format("version {}", version));
  return {};
}

Result<std::string> DecodeHello(std::string_view payload) {
  constexpr std::array<std::string_view, 2> kKeys = {"v", "guest"};
  const json::object object = BJ_TRY(ReadObject(payload, kKeys));
  BJ_TRY(CheckVersion(object));
  return TakeString(object, "guest", kMaxGuestNameBytes);
}

Result<GuestError> DecodeError(std::string_view payload) {
  constexpr std::array<std::string_view, 3> kKeys = {"type", "message", "traceback"};
  const json::object object = BJ_TRY(ReadObject(payload, kKeys));
  GuestError error;
  error.type = BJ_TRY(TakeString(object, "type", kMaxErrorTypeBytes));
  error.message = BJ_TRY(TakeString(object, "message", kMaxErrorMessageBytes));
  error.traceback = BJ_TRY(TakeString(object, "traceback", kMaxErrorTracebackBytes));
  return error;
}

Result<std::uint64_t> DecodeCount(std::string_view payload) {
  constexpr std::array<std::string_view, 1> kKeys = {"file_operations"};
  const json::object object = BJ_TRY(ReadObject(payload, kKeys));
  return TakeCount(object, "file_operations");
}

Result<std::string> DecodeQuota(std::string_view payload) {
  constexpr std::array<std::string_view, 1> kKeys = {"limit"};
  const json::object object = BJ_TRY(ReadObject(payload, kKeys));
  const std::string limit = BJ_TRY(TakeString(object, "limit", 64));
  if (limit != "file_operations") return Violation("unknown limit");
  return limit;
}

json::array ToJson(const std::vector<std::string>& texts) {
  return json::array(texts.begin(), texts.end());
}

Result<std::vector<std::string>> TakeStrings(const json::object& object, std::string_view key) {
  std::vector<std::string> texts;
  const json::value* value = object.if_contains(key);
  if (value == nullptr) return texts;
  if (!value->is_array()) return Violation(fmt::format("{} is not a list", key));
  for (const json::value& item : value->get_array()) {
    if (!item.is_string()) return Violation(fmt::format("{} holds something but text", key));
    texts.emplace_back(item.get_string().data(), item.get_string().size());
  }
  return texts;
}

Result<std::map<std::string, std::string>> TakeEnv(const json::object& object) {
  std::map<std::string, std::string> env;
  const json::value* value = object.if_contains("env");
  if (value == nullptr) return env;
  if (!value->is_object()) return Violation("env is not an object");
  for (const auto& member : value->get_object()) {
    if (!member.value().is_string()) return Violation("env holds something but text");
    const json::string& text = member.value().get_string();
    env.emplace(std::string(member.key().data(), member.key().size()),
                std::string(text.data(), text.size()));
  }
  return env;
}

Result<Language> TakeLanguage(const json::object& object) {
  const std::string name = BJ_TRY(TakeString(object, "lang", 32));
  for (const Language lang : {Language::kPython, Language::kJavaScript, Language::kBash}) {
    if (name == LanguageName(lang)) return lang;
  }
  return Violation("unknown language");
}

}  // namespace

std::string EncodeFrame(FrameType type, std::string_view payload) {
  const auto length = static_cast<std::uint32_t>(payload.size());
  std::string bytes;
  bytes.reserve(kHeaderBytes + payload.size());
  for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>(length >> shift));
  bytes.push_back(static_cast<char>(type));
  bytes.append(payload);
  return bytes;
}

Result<std::vector<Frame>> FrameReader::Feed(std::string_view bytes) {
  std::vector<Frame> frames;
  Append(bytes);
  while (true) {
    std::optional<Frame> frame = BJ_TRY(Next());
    if (!frame) return frames;
    frames.push_back(std::move(*frame));
  }
}

void FrameReader::Append(std::string_view bytes) {
  if (violation_) return;
  buffer_.erase(0, taken_);
  taken_ = 0;
  buffer_.append(bytes);
}

// The payload length that the header at the front of the buffer announces.
Result<std::uint32_t> FrameReader::CheckHeader() const {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(buffer_[taken_ + i]); };
  std::uint32_t length = 0;
  for (std::size_t i = 0; i < 4; ++i) length |= std::uint32_t{byte(i)} << (8 * i);
  if (length > MaxPayload(sender_)) return Violation(fmt::format("a frame of {} bytes", length));
  if (!IsLegalType(sender_, byte(4))) return Violation(fmt::format("frame type {:#04x}", byte(4)));
  if (sender_ == Sender::kGuest && frames_ == kMaxGuestFrames) return Violation("too many frames");
  return length;
}

Error FrameReader::Fail(Error error) {
  violation_ = error;
  buffer_ = {};
  taken_ = 0;
  return error;
}

Result<std::optional<Frame>> FrameReader::Next() {
  if (violation_) return *violation_;
  if (buffer_.size() - taken_ < kHeaderBytes) return std::optional<Frame>();
  const Result<std::uint32_t> length = CheckHeader();
  if (!length) return Fail(length.error());
  const std::size_t whole = kHeaderBytes + *length;
  if (buffer_.size() - taken_ < whole) return std::optional<Frame>();
  Frame frame{static_cast<FrameType>(buffer_[taken_ + 4]),
              buffer_.substr(taken_ + kHeaderBytes, *length)};
  taken_ += whole;
  ++frames_;
  return std::optional<Frame>(std::move(frame));
}

Result<> GuestDialogue::Feed(std::string_view bytes) {
  if (violation_) return *violation_;
  reader_.Append(bytes);
  Result<> drained = Drain();
  if (!drained) violation_ = drained.error();
  return drained;
}

// Frame by frame, so that the first violation in the stream is the one reported, however the
// bytes were grouped.
Result<> GuestDialogue::Drain() {
  while (true) {
    const std::optional<Frame> frame = BJ_TRY(reader_.Next());
    if (!frame) return {};
    BJ_TRY(Accept(*frame));
  }
}

Result<> GuestDialogue::Accept(const Frame& frame) {
  if (!ready_ && frame.type != FrameType::kHello) return Violation("spoke before HELLO");
  const auto once = [](bool seen) { return seen ? Result<>(Violation("said twice")) : Result<>(); };
  // An exception's text is whatever the program put there: ill-formed bytes are shown, not fatal.
  const std::string payload = ToValidUtf8(frame.payload).text;
  switch (frame.type) {
    case FrameType::kHello:
      BJ_TRY(once(ready_));
      report_.guest = BJ_TRY(DecodeHello(payload));
      ready_ = true;
      return {};
    case FrameType::kError:
      BJ_TRY(once(report_.error.has_value()));
      report_.error = BJ_TRY(DecodeError(payload));
      return {};
    case FrameType::kCount:
      BJ_TRY(once(report_.file_operations.has_value()));
      report_.file_operations = BJ_TRY(DecodeCount(payload));
      return {};
    case FrameType::kQuota:
      BJ_TRY(once(report_.quota.has_value()));
      report_.quota = BJ_TRY(DecodeQuota(payload));
      return {};
    case FrameType::kRun:
      break;
  }
  return Violation("a frame only the supervisor may send");
}

std::string_view LanguageName(Language language) {
  switch (language) {
    case Language::kPython:
      return "python";
    case Language::kJavaScript:
      return "javascript";
    case Language::kBash:
      return "bash";
  }
  return "python";
}

std::string EncodeRun(const RunMessage& message) {
  json::object object;
  object["v"] = kProtocolVersion;
  object["lang"] = LanguageName(message.lang);
  if (message.code) {
    object["code"] = *message.code;
  } else {
    object["command"] = ToJson(message.command);
  }
  object["name"] = message.name;
  object["args"] = ToJson(message.args);
  json::object& env = object["env"].emplace_object();
  for (const auto& [key, value] : message.env) env[key] = value;
  object["file_operations"] = message.file_operations;
  return EncodeFrame(FrameType::kRun, json::serialize(object));
}

Result<RunMessage> DecodeRun(std::string_view payload) {
  constexpr std::array<std::string_view, 8> kKeys = {"v",    "lang", "code", "command",
                                                     "name", "args", "env",  "file_operations"};
  const json::object object = BJ_TRY(ReadObject(payload, kKeys));
  BJ_TRY(CheckVersion(object));
  RunMessage message;
  message.lang = BJ_TRY(TakeLanguage(object));
  if (object.contains("code") == object.contains("command")) {
    return Violation("exactly one of code and command");
  }
  if (object.contains("code")) message.code = BJ_TRY(TakeString(object, "code", kMaxRunBytes));
  message.command = BJ_TRY(TakeStrings(object, "command"));
  if (!message.code && message.command.empty()) return Violation("an empty command");
  message.name = BJ_TRY(TakeString(object, "name", 4096));
  message.args = BJ_TRY(TakeStrings(object, "args"));
  message.env = BJ_TRY(TakeEnv(object));
  message.file_operations = BJ_TRY(TakeCount(object, "file_operations"));
  return message;
}

}  // namespace belljar::guest
