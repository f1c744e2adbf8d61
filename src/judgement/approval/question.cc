#include "judgement/approval/question.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "foundation/base/text.h"
#include "record/entry.h"

namespace belljar::judgement::approval {
namespace {

constexpr std::array<std::pair<State, std::string_view>, 7> kStates = {{
    {State::kWaiting, "waiting"},
    {State::kApproved, "approved"},
    {State::kDenied, "denied"},
    {State::kExpired, "expired"},
    {State::kCancelled, "cancelled"},
    {State::kUsed, "used"},
    {State::kTampered, "tampered"},
}};

constexpr std::array<std::pair<GrantKind, std::string_view>, 3> kGrants = {{
    {GrantKind::kOnce, "once"},
    {GrantKind::kSession, "session"},
    {GrantKind::kDigest, "digest"},
}};

Error Unfit(std::string message) { return Error(Kind::kInvalid, std::move(message)); }

// Makes the text valid UTF-8, and shows NUL, which databases reject, as U+2400.
std::string Storable(std::string_view bytes) {
  std::string text;
  for (const char c : ToValidUtf8(bytes).text) {
    if (c == '\0') {
      text += "\u2400";
    } else {
      text += c;
    }
  }
  return text;
}

// The first `most` bytes, without cutting a character in two.
std::string_view Head(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) --most;
  return text.substr(0, most);
}

// Cuts the text to `most` bytes, including the note that says so.
std::string Fit(std::string_view bytes, std::size_t most) {
  const std::string whole = Storable(bytes.substr(0, most + 4));
  if (bytes.size() <= most && whole.size() <= most) return whole;
  constexpr std::size_t kForTheNote = 48;
  const std::string_view head = Head(whole, most - kForTheNote);
  return fmt::format("{} [cut; the whole has {} bytes]", head, bytes.size());
}

std::vector<std::string> FitRisks(const std::vector<std::string>& risks) {
  std::vector<std::string> fit;
  const bool too_many = risks.size() > kMaxItems;
  const std::size_t shown = too_many ? kMaxItems - 1 : risks.size();
  for (std::size_t i = 0; i < shown; ++i) fit.push_back(Fit(risks[i], kMaxItemBytes));
  if (too_many) fit.push_back(fmt::format("and {} more", risks.size() - shown));
  return fit;
}

Result<std::vector<std::string>> TakeAll(std::string_view what,
                                         const std::vector<std::string>& items) {
  if (items.size() > kMaxItems) {
    return Unfit(fmt::format("{} {} are more than a person can be shown: at most {}", items.size(),
                             what, kMaxItems));
  }
  std::vector<std::string> taken;
  for (const std::string& item : items) {
    taken.push_back(Storable(item));
    if (taken.back().size() <= kMaxItemBytes) continue;
    return Unfit(
        fmt::format("one of the {} has {} bytes, more than a person can be shown: at "
                    "most {}",
                    what, item.size(), kMaxItemBytes));
  }
  return taken;
}

bool IsHexDigest(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Result<> CheckAsked(const NewQuestion& asked) {
  BJ_TRY(CheckName("the caller", asked.caller));
  if (!asked.session.empty()) BJ_TRY(CheckName("the session", asked.session));
  if (!asked.lang.empty()) BJ_TRY(CheckName("the language", asked.lang));
  if (!asked.correlation_id.empty()) BJ_TRY(CheckName("the correlation id", asked.correlation_id));
  if (!IsHexDigest(asked.digest)) {
    return Unfit("the digest of a request must be 64 lower-case hex digits");
  }
  constexpr std::array<std::string_view, 4> kLevels = {"L1", "L2", "L3", "L4"};
  if (std::find(kLevels.begin(), kLevels.end(), asked.level) == kLevels.end()) {
    return Unfit("the level must be L1, L2, L3 or L4");
  }
  if (asked.wait < kShortestWait || asked.wait > kLongestWait) {
    return Unfit("a question must wait for 1 second to 7 days");
  }
  return {};
}

json::array TextArray(const std::vector<std::string>& items) {
  json::array array;
  for (const std::string& item : items) array.emplace_back(item);
  return array;
}

json::value AnswerJson(const Question& question) {
  if (!question.answer) return nullptr;
  const Answer& answer = *question.answer;
  json::object object = {
      {"by", answer.by}, {"at", record::TimeText(answer.at_ms)}, {"note", answer.note}};
  if (!answer.grant) {
    object["digest"] = object["grant"] = object["grant_expires"] = nullptr;
    return object;
  }
  object["digest"] = answer.digest;
  object["grant"] = GrantName(*answer.grant);
  object["grant_expires"] = record::TimeText(answer.grant_expires_ms);
  return object;
}

}  // namespace

std::string_view StateName(State state) {
  return kStates.at(static_cast<std::size_t>(state)).second;
}

std::optional<State> ParseState(std::string_view name) {
  for (const auto& [state, its_name] : kStates) {
    if (its_name == name) return state;
  }
  return std::nullopt;
}

std::string_view GrantName(GrantKind kind) {
  return kGrants.at(static_cast<std::size_t>(kind)).second;
}

Result<GrantKind> ParseGrant(std::string_view name) {
  for (const auto& [kind, its_name] : kGrants) {
    if (its_name == name) return kind;
  }
  return Unfit("a grant is once, session or digest");
}

Result<> CheckName(std::string_view what, std::string_view name) {
  const auto is_control = [](char c) { return (c >= 0 && c < 0x20) || c == 0x7F; };
  if (name.empty() || name.size() > kMaxNameBytes || !IsValidUtf8(name) ||
      std::any_of(name.begin(), name.end(), is_control)) {
    return Unfit(fmt::format("{} must be 1 to {} bytes of text without control characters", what,
                             kMaxNameBytes));
  }
  return {};
}

std::string FitNote(std::string_view note) { return Fit(note, kMaxNoteBytes); }

Result<Question> Prepare(const NewQuestion& asked, std::int64_t now_ms) {
  BJ_TRY(CheckAsked(asked));
  Question question;
  question.touches = BJ_TRY(TakeAll("touches", asked.touches));
  question.wishes = BJ_TRY(TakeAll("wishes", asked.wishes));
  question.risks = FitRisks(asked.risks);
  question.caller = asked.caller;
  question.digest = asked.digest;
  question.session = asked.session;
  question.lang = asked.lang;
  question.subject_kind = asked.subject_kind;
  const std::string_view shown = Head(asked.subject, kMaxSubjectBytes);
  question.subject = Storable(shown);
  question.cut_bytes = static_cast<std::int64_t>(asked.subject.size() - shown.size());
  question.reason = Fit(asked.reason, kMaxReasonBytes);
  question.level = asked.level;
  question.correlation_id = asked.correlation_id;
  question.created_ms = question.changed_ms = now_ms;
  question.expires_ms = now_ms + asked.wait.count();
  return question;
}

bool ShowsTheSame(const Question& a, const Question& b) {
  const auto shown = [](const Question& q) {
    return std::tie(q.caller, q.digest, q.session, q.lang, q.subject_kind, q.subject, q.cut_bytes,
                    q.risks, q.touches, q.wishes, q.level);
  };
  return shown(a) == shown(b);
}

std::string WhyOf(const Question& question) {
  const std::string_view state = StateName(question.state);
  if (question.state == State::kTampered) {
    return "its row in the database is not as Belljar wrote it; it grants nothing";
  }
  if (question.state == State::kWaiting) {
    return fmt::format("waiting for a person until {}", record::TimeText(question.expires_ms));
  }
  if (!question.answer) {
    return fmt::format("nobody answered before {}", record::TimeText(question.expires_ms));
  }
  const Answer& answer = *question.answer;
  const std::string note = answer.note.empty() ? "" : ": " + answer.note;
  if (question.state == State::kExpired) {
    return fmt::format("approved by {} at {}, and the grant ended at {}{}", answer.by,
                       record::TimeText(answer.at_ms), record::TimeText(answer.grant_expires_ms),
                       note);
  }
  if (question.state == State::kUsed) {
    return fmt::format("approved by {} at {}, used at {}{}", answer.by,
                       record::TimeText(answer.at_ms), record::TimeText(question.changed_ms), note);
  }
  return fmt::format("{} by {} at {}{}", state, answer.by, record::TimeText(answer.at_ms), note);
}

json::object ToJson(const Question& question) {
  const bool is_code = question.subject_kind == SubjectKind::kCode;
  return {
      {"id", question.id},
      {"caller", question.caller},
      {"state", StateName(question.state)},
      {"why", WhyOf(question)},
      {"digest", question.digest},
      {"session", question.session},
      {"lang", question.lang},
      {is_code ? "code" : "command", question.subject},
      {"cut_bytes", question.cut_bytes},
      {"reason", question.reason},
      {"risks", TextArray(question.risks)},
      {"touches", TextArray(question.touches)},
      {"level", question.level},
      {"wishes", TextArray(question.wishes)},
      {"correlation_id", question.correlation_id},
      {"created", record::TimeText(question.created_ms)},
      {"expires", record::TimeText(question.expires_ms)},
      {"answer", AnswerJson(question)},
  };
}

}  // namespace belljar::judgement::approval
