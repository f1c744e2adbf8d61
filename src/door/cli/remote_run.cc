#include "door/cli/remote_run.h"

#include <fmt/format.h>
#include <poll.h>

#include <array>
#include <thread>

#include "door/api/answers.h"
#include "door/cli/cancellation.h"
#include "door/cli/ending.h"
#include "door/cli/output_pump.h"
#include "door/cli/session_request.h"
#include "foundation/base/random_id.h"
#include "foundation/base/sys.h"
#include "foundation/base/text.h"
#include "request/request_json.h"
#include "run/workspace.h"

namespace belljar::door::cli {
namespace {

using std::chrono::steady_clock;

constexpr std::string_view kStream = "application/x-ndjson; bytes=base64";
constexpr std::chrono::minutes kDaemonsOwnTime{2};  // besides the run's time: queueing, images
constexpr std::chrono::hours kLongestQueue{25};     // waiting for other runs in the same session
constexpr std::chrono::seconds kHistoryTime{3};  // a cancelled run is killed within half a second
constexpr std::chrono::milliseconds kHistoryPause{20};

// An upper bound for the answer's size: a byte of output may take six bytes in JSON, and base64 of
// fetched files adds a third.
std::size_t MostBytes(const request::Request& request) {
  constexpr std::size_t kRest = 256 << 20;  // what a session displays, names of files, layers
  const std::size_t fetched = request.fetch.empty() ? 0 : 2 * run::kMaxFetchBytesTotal;
  return kRest + 7 * request.limits.output_bytes + fetched;
}

Error CutShort(const Error& why) {
  return Error(why.kind(),
               why.message() + "; how far the program got is not known, and it is not run again");
}

class RemoteRun {
 public:
  RemoteRun(DaemonLink daemon, const RunFlags& flags, request::Request request)
      : daemon_(std::move(daemon)),
        flags_(flags),
        request_(std::move(request)),
        reader_(MostBytes(request_)) {}

  Result<int> Run();

 private:
  enum class Heard { kAll, kCallerWantsTheEnd };

  http::client::Ask AskFor() const;
  Result<Heard> Follow(http::client::Connection& connection, int cancel);
  Result<> HearAll();
  Result<> HearLine(const std::string& line);
  void HearOutput(const json::object& event, std::string_view name, int fd);
  std::optional<json::object> FromHistory();
  void ShowRest(const run::RunResult& result);
  Result<int> Conclude();

  DaemonLink daemon_;
  const RunFlags& flags_;
  request::Request request_;
  http::client::ResponseReader reader_;
  OutputPump output_;
  std::array<std::size_t, 3> shown_{};  // bytes shown of each stream
  std::optional<json::object> result_;
};

namespace {

// Converts --wait, which has been validated.
std::int64_t WaitSeconds(const RunFlags& flags) {
  if (flags.wait.empty()) return 0;
  const auto wait = request::ParseDuration(flags.wait);
  return wait ? std::chrono::ceil<std::chrono::seconds>(*wait).count() : 0;
}

}  // namespace

http::client::Ask RemoteRun::AskFor() const {
  const bool in_session = !flags_.session.empty();
  http::client::Ask ask;
  ask.method = "POST";
  ask.target = in_session ? SessionPath(flags_.session, "/runs") : "/v1/runs";
  if (!flags_.json) ask.accept = kStream;
  ask.content_type = "application/json";
  if (!flags_.wait.empty()) ask.prefer = "wait=" + std::to_string(WaitSeconds(flags_));
  ask.body = json::serialize(in_session ? RunPart(request_) : request::ToJson(request_));
  if (flags_.skill.empty()) return ask;
  // The daemon has everything but the input.
  json::object body = flags_.skill_body;
  body["id"] = request_.id;
  ask.target = "/v1/skills/" + http::client::EscapeSegment(flags_.skill) + "/runs";
  ask.body = json::serialize(body);
  return ask;
}

void RemoteRun::HearOutput(const json::object& event, std::string_view name, int fd) {
  std::string bytes;
  if (const json::value* const text = event.if_contains(name);
      text != nullptr && text->is_string()) {
    bytes.assign(text->get_string().data(), text->get_string().size());
  } else if (const json::value* const base64 = event.if_contains(std::string(name) + "_base64");
             base64 == nullptr || !base64->is_string() ||
             !Base64Decode(base64->get_string(), bytes)) {
    return;
  }
  shown_[static_cast<std::size_t>(fd)] += bytes.size();
  output_.Push(fd, std::move(bytes));
}

Result<> RemoteRun::HearLine(const std::string& line) {
  // Results of a session may themselves have the full depth, so the limit is doubled.
  auto value = BJ_TRY(ParseJson(line, 2 * kMaxJsonDepth).While("the daemon's answer"));
  if (!value.is_object()) return Error(Kind::kInternal, "the daemon's answer is not an object");
  json::object& event = value.get_object();
  if (event.contains("error") && !event.contains("outcome")) return http::client::ErrorOf(line);
  if (json::value* const result = event.if_contains("result"); result && result->is_object()) {
    result_ = std::move(result->get_object());
  } else if (event.contains("outcome")) {
    result_ = std::move(event);
  } else {
    HearOutput(event, "stdout", 1);
    HearOutput(event, "stderr", 2);
  }
  return {};
}

// Processes the data received so far: lines of a stream, or one complete answer.
Result<> RemoteRun::HearAll() {
  if (!reader_.head_done()) return {};
  const bool streams = reader_.content_type() == "application/x-ndjson";
  if (!streams && !reader_.done()) return {};
  if (reader_.status() / 100 != 2) {
    return http::client::ErrorOf(http::client::Answer{reader_.status(), reader_.TakeBody()});
  }
  if (!streams) return HearLine(reader_.TakeBody());
  std::string line;
  while (!result_ && reader_.TakeLine(line)) BJ_TRY(HearLine(line));
  if (result_ || !reader_.done()) return {};
  return Error(Kind::kUnavailable, "the daemon's answer ended without a result");
}

Result<RemoteRun::Heard> RemoteRun::Follow(http::client::Connection& connection, int cancel) {
  const auto patience =
      (flags_.session.empty() ? request_.limits.wall + kDaemonsOwnTime : kLongestQueue) +
      std::chrono::seconds(WaitSeconds(flags_));
  auto last_heard = steady_clock::now();
  while (!result_) {
    std::array<pollfd, 3> waited{
        {{connection.fd(), POLLIN, 0}, {cancel, POLLIN, 0}, {output_.waits_for(), POLLOUT, 0}}};
    const int ready = ::poll(waited.data(), waited.size(), 1000);
    if (ready < 0 && errno != EINTR) return SysError("poll", "the daemon", errno);
    if (ready < 0) continue;
    if (waited[1].revents != 0) return Heard::kCallerWantsTheEnd;
    if (waited[2].revents != 0) output_.WriteSome();
    if (waited[0].revents != 0) {
      last_heard = steady_clock::now();
      auto received = connection.Receive(reader_);
      BJ_TRY(HearAll());
      if (!received) return CutShort(received.error());
    } else if (steady_clock::now() - last_heard > patience) {
      return Error(Kind::kUnavailable, "the daemon does not answer");
    }
  }
  return Heard::kAll;
}

// Looks up how a run ended that we disconnected from. The record exists as soon as the run has
// ended.
std::optional<json::object> RemoteRun::FromHistory() {
  const http::client::Ask ask{"GET", "/v1/runs/" + http::client::EscapeSegment(request_.id)};
  const auto deadline = steady_clock::now() + kHistoryTime;
  while (steady_clock::now() < deadline) {
    auto run = daemon_.AskJson(ask);
    json::value* const result = run ? run->if_contains("result") : nullptr;
    if (result != nullptr && result->is_object()) return std::move(result->get_object());
    std::this_thread::sleep_for(kHistoryPause);
  }
  return std::nullopt;
}

// Prints the rest of a cancelled run's output, which was not streamed. It cannot be located exactly
// where the history has replaced bytes by U+FFFD.
void RemoteRun::ShowRest(const run::RunResult& result) {
  for (const auto& [fd, captured] :
       {std::pair{1, &result.stdout_captured}, std::pair{2, &result.stderr_captured}}) {
    const std::size_t shown = shown_[static_cast<std::size_t>(fd)];
    const bool exact = captured->bytes.find("\xEF\xBF\xBD") == std::string::npos;
    if (exact && captured->bytes.size() > shown) {
      output_.Push(fd, captured->bytes.substr(shown));
    }
  }
}

Result<int> RemoteRun::Conclude() {
  const run::RunResult result = BJ_TRY(run::ReadResult(*result_));
  const bool in_session = !flags_.session.empty();
  if (flags_.json) {
    PrintObject(*result_);
  } else {
    if (in_session) output_.Push(1, TextOf(result));
    output_.Finish();
  }
  const auto limits = in_session ? std::nullopt : std::optional(request_.limits);
  const int status = ShowEnding(flags_, result, limits);
  BJ_TRY(output_.Written());
  return status;
}

Result<int> RemoteRun::Run() {
  if (!flags_.session.empty()) BJ_TRY(EnsureSession(daemon_, flags_, request_));
  request_.id = BJ_TRY(RandomId("r-"));  // to find the run in the history
  std::optional<Cancellation> cancel(BJ_TRY(Cancellation::OnSignals()));
  std::optional<http::client::Connection> connection(BJ_TRY(daemon_.Connect()));
  BJ_TRY(connection->Send(AskFor()));
  const auto heard = Follow(*connection, cancel->fd());
  connection.reset();  // disconnecting cancels the run if it is still active
  cancel.reset();      // from here a signal may end the process while it writes
  if (!heard) {
    output_.Finish();
    return heard.error();
  }
  if (*heard == Heard::kAll) return Conclude();
  result_ = FromHistory();
  if (!result_) {
    output_.Finish();
    std::fputs("belljar: cancelled: the caller ended it\n", stderr);
    return kCancelledStatus;
  }
  const run::RunResult result = BJ_TRY(run::ReadResult(*result_));
  if (!flags_.json) ShowRest(result);
  return Conclude();
}

}  // namespace

std::string WhyNotThere(const RunFlags& flags, const request::Request& request) {
  if (!flags.allow_unenforced.empty()) {
    return "--allow-unenforced is for whoever starts the daemon to say";
  }
  if (!flags.policy_file.empty()) return "--policy is for whoever starts the daemon to say";
  if (!request.vaults.empty()) return "a vault is opened by whoever asks for it";
  // Only inputs can make the request large; in JSON their size at most doubles, that of code grows
  // sixfold.
  std::size_t most = 6 * request.code.size() + 2 * request.stdin_bytes.size();
  for (const request::InputFile& file : request.files) most += 2 * file.bytes.size();
  if (most < api::kMaxRunBody / 2) return "";
  const std::size_t bytes = json::serialize(request::ToJson(request)).size();
  return bytes > api::kMaxRunBody ? "the request is larger than a daemon takes" : "";
}

Result<int> RunThere(DaemonLink daemon, const RunFlags& flags, request::Request request) {
  return RemoteRun(std::move(daemon), flags, std::move(request)).Run();
}

}  // namespace belljar::door::cli
