#include "cell/guest/protocol/wire.h"

#include <fmt/format.h>

#include <array>

#include "cell/guest/protocol/fields.h"
#include "foundation/base/json.h"
#include "foundation/base/text.h"

namespace belljar::cell::guest {
namespace {

constexpr std::size_t kMaxPathBytes = 4096;

Result<std::string> DecodeHello(std::string_view payload) {
  constexpr std::array<std::string_view, 2> kKeys = {"v", "guest"};
  const json::object object = BJ_TRY(ReadObject(payload, kKeys));
  BJ_TRY(CheckVersion(object));
  return TakeString(object, "guest", kMaxGuestNameBytes);
}

Result<> DecodeCount(std::string_view payload, GuestReport& report) {
  constexpr std::array<std::string_view, 3> kKeys = {"file_operations", "refusals", "exits"};
  const json::object object = BJ_TRY(ReadObject(payload, kKeys));
  report.file_operations = BJ_TRY(TakeCount(object, "file_operations"));
  report.refusals = BJ_TRY(TakeCountIfAny(object, "refusals"));
  const auto exits = BJ_TRY(TakeCountIfAny(object, "exits"));
  if (exits > 255) return Violation("exits is no exit status");
  if (exits) report.exits = static_cast<int>(*exits);
  return {};
}

json::array ToJson(const std::vector<std::string>& texts) {
  return json::array(texts.begin(), texts.end());
}

json::object ToJson(const std::map<std::string, std::string>& env) {
  json::object object;
  for (const auto& [key, value] : env) object[key] = value;
  return object;
}

// Only guests in Python have a guard, and they parse it themselves, so DecodeRun() does not.
void AddGuard(const std::shared_ptr<const Guard>& guard, json::object& object) {
  if (!guard) return;
  object["guard"] = {{"policy", guard->policy},           {"imports", guard->imports},
                     {"refused", ToJson(guard->refused)}, {"forbidden", guard->forbidden},
                     {"allowed", guard->allowed},         {"members", guard->members}};
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

// Checks the header at the front of the buffer and returns the length of its payload.
Result<std::uint32_t> FrameReader::CheckHeader() const {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(buffer_[taken_ + i]); };
  std::uint32_t length = 0;
  for (std::size_t i = 0; i < 4; ++i) length |= std::uint32_t{byte(i)} << (8 * i);
  const FrameRule* const rule = RuleFor(sender_, byte(4));
  if (rule == nullptr) return Violation(fmt::format("frame type {:#04x}", byte(4)));
  if (length > rule->max_payload) return Violation(fmt::format("a frame of {} bytes", length));
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

// Handles frame by frame, so that the first violation in the stream is reported, independently of
// how the bytes are grouped.
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
  // The text of an exception comes from the program: ill-formed bytes are replaced, not a
  // violation.
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
      return DecodeCount(payload, report_);
    case FrameType::kQuota:
      BJ_TRY(once(report_.quota.has_value()));
      report_.quota = BJ_TRY(DecodeQuota(payload));
      return {};
    default:
      return Violation("a frame that no program may send");
  }
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

std::string EncodeHello(std::string_view guest) {
  return EncodeFrame(FrameType::kHello,
                     json::serialize(json::object{{"v", kProtocolVersion}, {"guest", guest}}));
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
  object["env"] = ToJson(message.env);
  object["file_operations"] = message.file_operations;
  AddGuard(message.guard, object);
  // In hexadecimal, which an interpreter decodes without importing a module.
  if (!message.compiled.empty()) object["compiled"] = Hex(message.compiled);
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
  message.name = BJ_TRY(TakeString(object, "name", kMaxPathBytes));
  message.args = BJ_TRY(TakeStrings(object, "args"));
  message.env = BJ_TRY(TakeEnv(object));
  message.file_operations = BJ_TRY(TakeCount(object, "file_operations"));
  return message;
}

std::string EncodeSession(const SessionMessage& message) {
  json::object object;
  object["v"] = kProtocolVersion;
  object["lang"] = LanguageName(message.lang);
  object["env"] = ToJson(message.env);
  object["workspace"] = message.workspace;
  return EncodeFrame(FrameType::kSession, json::serialize(object));
}

Result<SessionMessage> DecodeSession(std::string_view payload) {
  constexpr std::array<std::string_view, 4> kKeys = {"v", "lang", "env", "workspace"};
  const json::object object = BJ_TRY(ReadObject(payload, kKeys));
  BJ_TRY(CheckVersion(object));
  SessionMessage message;
  message.lang = BJ_TRY(TakeLanguage(object));
  message.env = BJ_TRY(TakeEnv(object));
  message.workspace = BJ_TRY(TakeString(object, "workspace", kMaxPathBytes));
  return message;
}

std::string EncodeCheckpoint(std::uint64_t room, std::uint64_t base) {
  return EncodeFrame(FrameType::kCheckpoint,
                     json::serialize(json::object{{"room", room}, {"base", base}}));
}

std::string EncodeRestore(RestoreAs as) {
  json::object object;
  object["v"] = kProtocolVersion;
  object["lang"] = LanguageName(Language::kPython);
  object["as"] = as == RestoreAs::kBranch ? "branch" : "itself";
  return EncodeFrame(FrameType::kRestore, json::serialize(object));
}

Result<RestoreAs> DecodeRestore(std::string_view payload) {
  constexpr std::array<std::string_view, 3> kKeys = {"v", "lang", "as"};
  const json::object object = BJ_TRY(ReadObject(payload, kKeys));
  BJ_TRY(CheckVersion(object));
  const std::string as = BJ_TRY(TakeString(object, "as", 16));
  if (as == "branch") return RestoreAs::kBranch;
  if (as == "itself") return RestoreAs::kItself;
  return Violation("as is neither itself nor branch");
}

std::string EncodeStatement(const StatementMessage& message) {
  json::object object;
  object["n"] = message.n;
  object["code"] = message.code;
  object["name"] = message.name;
  object["args"] = ToJson(message.args);
  object["stdin"] = message.stdin_text ? json::value(*message.stdin_text) : json::value(nullptr);
  object["file_operations"] = message.file_operations;
  if (message.guard && message.same_guard) {
    object["guard"] = "same";
  } else {
    AddGuard(message.guard, object);
  }
  return EncodeFrame(FrameType::kStatement, json::serialize(object));
}

Result<StatementMessage> DecodeStatement(std::string_view payload) {
  constexpr std::array<std::string_view, 6> kKeys = {"n",    "code",  "name",
                                                     "args", "stdin", "file_operations"};
  const json::object object = BJ_TRY(ReadObject(payload, kKeys));
  StatementMessage message;
  message.n = BJ_TRY(TakeCount(object, "n"));
  message.code = BJ_TRY(TakeString(object, "code", kMaxRunBytes));
  message.name = BJ_TRY(TakeString(object, "name", kMaxPathBytes));
  message.args = BJ_TRY(TakeStrings(object, "args"));
  const json::value* input = object.if_contains("stdin");
  if (input == nullptr) return Violation("stdin is missing");
  if (!input->is_null()) message.stdin_text = BJ_TRY(TakeString(object, "stdin", kMaxRunBytes));
  message.file_operations = BJ_TRY(TakeCount(object, "file_operations"));
  return message;
}

}  // namespace belljar::cell::guest
