#include "cell/guest/protocol/session_dialogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "cell/guest/protocol/fields.h"
#include "foundation/base/text.h"

namespace belljar::cell::guest {
namespace {

// Accepts type/subtype in the characters that registered types consist of; no parameters.
bool IsMimeType(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (text.size() > kMaxMimeBytes || slash == 0 || slash >= text.size() - 1) return false;
  const auto legal = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           std::string_view("+-._").find(c) != std::string_view::npos;
  };
  return std::ranges::all_of(text.substr(0, slash), legal) &&
         std::ranges::all_of(text.substr(slash + 1), legal);
}

bool HoldsJson(std::string_view mime) {
  return mime == "application/json" || mime.ends_with("+json");
}

bool HoldsBase64(std::string_view mime) {
  return (mime.starts_with("image/") && mime != "image/svg+xml") || mime == "application/pdf";
}

Result<> CheckData(std::string_view mime, const json::value& data) {
  if (HoldsJson(mime)) return {};
  if (!data.is_string()) return Violation(fmt::format("the {} of a display is no text", mime));
  if (!HoldsBase64(mime)) return {};
  std::string bytes;
  const std::string_view text(data.get_string().data(), data.get_string().size());
  if (Base64Decode(text, bytes)) return {};
  return Violation(fmt::format("the {} of a display is not base64", mime));
}

Result<> CheckBundle(const json::object& bundle) {
  if (bundle.empty()) return Violation("an empty display");
  if (bundle.size() > kMaxBundleEntries) return Violation("a display in too many forms");
  for (const auto& member : bundle) {
    const std::string_view mime(member.key().data(), member.key().size());
    if (!IsMimeType(mime)) return Violation("a display in a form that is no MIME type");
    BJ_TRY(CheckData(mime, member.value()));
  }
  return {};
}

Result<StatementStatus> TakeStatus(const json::object& object) {
  const std::string text = BJ_TRY(TakeString(object, "status", 16));
  if (text == "ok") return StatementStatus::kOk;
  if (text == "exception") return StatementStatus::kException;
  if (text == "exit") return StatementStatus::kExit;
  return Violation("unknown status");
}

Result<std::optional<int>> TakeExitCode(const json::object& object) {
  const json::value* value = object.if_contains("exit_code");
  if (value != nullptr && value->is_null()) return std::optional<int>();
  const std::uint64_t code = BJ_TRY(TakeCount(object, "exit_code"));
  if (code > 255) return Violation("exit_code is not a status");
  return std::optional<int>(static_cast<int>(code));
}

Result<> CheckNumber(const json::object& object, std::uint64_t n) {
  if (BJ_TRY(TakeCount(object, "n")) != n) return Violation("speaks of another statement");
  return {};
}

}  // namespace

Result<> SessionDialogue::CheckFree() const {
  if (violation_) return *violation_;
  if (!ready_) return Error(Kind::kInternal, "a statement was sent to a session that is not ready");
  if (statement_ || saving_)
    return Error(Kind::kInternal, "a statement was sent while another was running");
  return {};
}

Result<> SessionDialogue::BeginCheckpoint() {
  BJ_TRY(CheckFree());
  saving_ = true;
  return {};
}

Result<> SessionDialogue::Begin(std::uint64_t n) {
  BJ_TRY(CheckFree());
  statement_ = Statement{};
  statement_->n = n;
  return {};
}

Result<std::optional<SessionEvent>> SessionDialogue::Next() {
  if (violation_) return *violation_;
  auto event = TakeNext();
  if (!event) violation_ = event.error();
  return event;
}

Result<std::optional<SessionEvent>> SessionDialogue::TakeNext() {
  const std::optional<Frame> frame = BJ_TRY(reader_.Next());
  if (!frame) return std::optional<SessionEvent>();
  SessionEvent event = BJ_TRY(Accept(*frame));
  return std::optional<SessionEvent>(std::move(event));
}

Result<SessionEvent> SessionDialogue::Accept(const Frame& frame) {
  if (frame.type == FrameType::kReady) return AcceptReady(frame.payload);
  if (saving_) return AcceptSaved(frame);
  if (!statement_) return Violation("spoke while no statement was running");
  switch (frame.type) {
    case FrameType::kError: {
      if (std::exchange(statement_->error_said, true)) return Violation("said twice");
      GuestError error = BJ_TRY(DecodeError(ToValidUtf8(frame.payload).text));
      return SessionEvent(std::move(error));
    }
    case FrameType::kQuota: {
      if (std::exchange(statement_->quota_said, true)) return Violation("said twice");
      std::string limit = BJ_TRY(DecodeQuota(frame.payload));
      return SessionEvent(QuotaReached{std::move(limit)});
    }
    case FrameType::kDisplay:
      return AcceptDisplay(frame);
    case FrameType::kDone:
      return AcceptDone(frame.payload);
    default:
      return Violation("a frame that no session may send");
  }
}

Result<SessionEvent> SessionDialogue::AcceptReady(std::string_view payload) {
  if (ready_) return Violation("said twice");
  BJ_TRY(ReadObject(payload, {}));
  ready_ = true;
  return SessionEvent(SessionReady{});
}

Result<SessionEvent> SessionDialogue::AcceptSaved(const Frame& frame) {
  if (frame.type != FrameType::kSaved) return Violation("spoke of something else than CHECKPOINT");
  constexpr std::array<std::string_view, 2> kKeys = {"refused", "part"};
  const json::object object = BJ_TRY(ReadObject(ToValidUtf8(frame.payload).text, kKeys));
  saving_ = false;
  SessionSaved saved;
  saved.refused = BJ_TRY(TakeString(object, "refused", kMaxRefusalBytes));
  saved.part = BJ_TRY(TakeCount(object, "part")) != 0;
  return SessionEvent(std::move(saved));
}

// The limits are checked first, so that excess displays are not parsed.
Result<SessionEvent> SessionDialogue::AcceptDisplay(const Frame& frame) {
  statement_->display_bytes += frame.payload.size();
  if (++statement_->displays > kMaxDisplays) return Violation("too many displays");
  if (statement_->display_bytes > kMaxDisplayBytes) return Violation("too many bytes of displays");
  constexpr std::array<std::string_view, 3> kKeys = {"n", "bundle", "result"};
  json::object object = BJ_TRY(ReadObject(ToValidUtf8(frame.payload).text, kKeys));
  BJ_TRY(CheckNumber(object, statement_->n));
  const json::value* result = object.if_contains("result");
  if (result == nullptr || !result->is_bool()) return Violation("result is not true or false");
  json::value* bundle = object.if_contains("bundle");
  if (bundle == nullptr || !bundle->is_object()) return Violation("bundle is not an object");
  BJ_TRY(CheckBundle(bundle->get_object()));
  return SessionEvent(Display{std::move(bundle->get_object()), result->get_bool()});
}

Result<SessionEvent> SessionDialogue::AcceptDone(std::string_view payload) {
  constexpr std::array<std::string_view, 5> kKeys = {"n", "status", "exit_code", "file_operations",
                                                     "refusals"};
  const json::object object = BJ_TRY(ReadObject(payload, kKeys));
  BJ_TRY(CheckNumber(object, statement_->n));
  StatementDone done;
  done.n = statement_->n;
  done.status = BJ_TRY(TakeStatus(object));
  done.exit_code = BJ_TRY(TakeExitCode(object));
  done.file_operations = BJ_TRY(TakeCount(object, "file_operations"));
  done.refusals = BJ_TRY(TakeCountIfAny(object, "refusals"));
  statement_.reset();
  return SessionEvent(done);
}

}  // namespace belljar::cell::guest
