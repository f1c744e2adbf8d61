#include "door/api/running.h"

#include <fmt/format.h>

#include <charconv>

#include "door/api/answers.h"
#include "door/api/session_wish.h"
#include "foundation/base/random_id.h"
#include "foundation/base/sys.h"
#include "foundation/base/text.h"
#include "foundation/http/server/media.h"
#include "service/log_lines.h"

namespace belljar::door::api {
namespace {

// "Prefer: wait=SECONDS" (RFC 7240): how long to wait for an approval.
std::chrono::milliseconds WaitWanted(const http::server::Request& request) {
  constexpr std::string_view kWait = "wait=";
  constexpr int kMostSeconds = 3600;
  const auto prefer = request.headers.Find("prefer");
  if (!prefer || !prefer->starts_with(kWait)) return {};
  int seconds = 0;
  const char* const end = prefer->data() + prefer->size();
  const auto read = std::from_chars(prefer->data() + kWait.size(), end, seconds);
  if (read.ec != std::errc() || read.ptr != end || seconds < 0) return {};
  return std::chrono::seconds(std::min(seconds, kMostSeconds));
}

bool WantsBytes(const http::server::Request& request) {
  const auto accept = request.headers.Find("accept");
  return accept && accept->find("bytes=base64") != std::string_view::npos;
}

std::string_view StreamName(run::Stream stream) {
  return stream == run::Stream::kStdout ? "stdout" : "stderr";
}

// The number of bytes at the end of `bytes` that may be an incomplete UTF-8 character.
std::size_t UnfinishedTail(std::string_view bytes) {
  const std::size_t most = std::min<std::size_t>(bytes.size(), 3);
  for (std::size_t back = 1; back <= most; ++back) {
    const auto byte = static_cast<unsigned char>(bytes[bytes.size() - back]);
    if (byte >= 0xC0) {
      const std::size_t needs = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
      return needs > back ? back : 0;
    }
    if (byte < 0x80) return 0;
  }
  return 0;
}

// A run's id is used as a path segment.
Result<> CheckRunId(const std::string& id) {
  if (id.find('/') == std::string::npos && id != "." && id != "..") return {};
  return Error(Kind::kInvalid,
               fmt::format("\"id\" cannot be \"{}\": a run is found under its id as a part of a "
                           "path, which has no \"/\", and is not \".\" or \"..\"",
                           id));
}

// Explains a missing session: one from a previous daemon is known only to the register.
Error WhyGone(service::Service& service, const std::string& caller, const std::string& handle,
              const Error& otherwise) {
  const auto kept = service.archive.Show(caller, handle);
  if (!kept) return otherwise;
  return Error(Kind::kNotFound, fmt::format("session \"{}\" has ended: {}", handle,
                                            kept->at("reason").as_string().c_str()));
}

}  // namespace

Running::Running(service::Service& service, http::server::Exchange exchange,
                 request::Request request)
    : service_(service),
      exchange_(std::move(exchange)),
      run_(std::move(request), {}),
      streams_(http::server::StreamWanted(exchange_.request().headers)),
      exactly_(WantsBytes(exchange_.request())) {}

Result<> Running::Begin() {
  request::Request& request = run_.request;
  run::Origin& origin = run_.requester.origin;
  origin.caller = exchange_.principal().name;
  BJ_TRY(CheckRunId(request.id));
  if (request.id.empty()) request.id = BJ_TRY(RandomId("r-"));
  origin.run_id = request.id;
  service::TraceContext marks = service::TraceContextOf(exchange_.request().headers);
  origin.traceparent = std::move(marks.traceparent);
  if (request.correlation_id.empty()) request.correlation_id = std::move(marks.correlation_id);
  origin.correlation_id = request.correlation_id;
  exchange_.Mark(std::string(service::kRunMark), origin.run_id);
  exchange_.Mark(std::string(service::kCorrelationHeader), origin.correlation_id);
  return {};
}

// If the client has disconnected, sending an event cancels the run, so errors are ignored here.
void Running::Stream(run::Stream stream, std::string_view bytes) {
  if (exactly_) {
    StreamExactly(stream, bytes);
  } else {
    StreamText(stream, bytes);
  }
}

void Running::StreamText(run::Stream stream, std::string_view bytes) {
  std::string& held = held_[stream == run::Stream::kStdout ? 0 : 1];
  held += bytes;
  const std::size_t whole = held.size() - UnfinishedTail(held);
  if (whole == 0) return;
  const json::object event = {
      {StreamName(stream), ToValidUtf8(std::string_view(held).substr(0, whole)).text}};
  held.erase(0, whole);
  static_cast<void>(exchange_.Write(json::serialize(event)));
}

void Running::StreamExactly(run::Stream stream, std::string_view bytes) {
  const std::string name(StreamName(stream));
  const json::object event = IsValidUtf8(bytes)
                                 ? json::object{{name, bytes}}
                                 : json::object{{name + "_base64", Base64Encode(bytes)}};
  static_cast<void>(exchange_.Write(json::serialize(event)));
}

// At the end: sends incomplete characters that were held back.
void Running::SendHeld() {
  for (const auto stream : {run::Stream::kStdout, run::Stream::kStderr}) {
    const std::string rest = std::exchange(held_[stream == run::Stream::kStdout ? 0 : 1], {});
    if (rest.empty()) continue;
    const json::object event = {{StreamName(stream), ToValidUtf8(rest).text}};
    static_cast<void>(exchange_.Write(json::serialize(event)));
  }
}

void Running::Ask(const judgement::approval::Question& question) {
  const json::object asked = {{"id", question.id},
                              {"state", judgement::approval::StateName(question.state)}};
  service_.events.Publish(origin().caller, "approval", WithMarks(asked));
  if (streaming_)
    static_cast<void>(exchange_.Write(json::serialize(json::object{{"approval", asked}})));
}

Result<json::value> Running::Go(std::uint64_t memory_bytes, const Start& start) {
  const service::callers::Caller caller = BJ_TRY(service::CallerOf(service_, exchange_.request()));
  auto ticket = BJ_TRY(service_.admission.Admit(caller, memory_bytes));
  run::Requester& requester = run_.requester;
  requester.caller_share = ticket.runs_of_caller();
  const int client_gone = BJ_TRY(exchange_.client_gone());
  requester.cancel = {client_gone, service_.live.cut(), -1};
  requester.answer_within = WaitWanted(exchange_.request());
  requester.observer.on_question = [&](const judgement::approval::Question& question) {
    Ask(question);
  };
  requester.release_slot = [&] { return ticket.StandAside(); };
  if (streams_) {
    BJ_TRY(exchange_.BeginStream(*streams_));
    streaming_ = true;
    requester.observer.on_output = [&](run::Stream stream, std::string_view bytes) {
      Stream(stream, bytes);
    };
  }
  result_ = BJ_TRY(start(run_));
  service_.metrics.CountRun(result_);
  return json::value(AnswerJson(run_, result_));
}

json::object Running::WithMarks(json::object event) const {
  return service::WithTraceContext(std::move(event), origin().correlation_id, origin().traceparent);
}

log::Line Running::LineFor(std::string_view event) const {
  log::Line line;
  line.event = event;
  line.id = origin().run_id;
  line.correlation_id = origin().correlation_id;
  line.traceparent = origin().traceparent;
  line.caller = origin().caller;
  return line;
}

// Logs the run. Its code and output are confidential and appear only at the detail setting
// "verbose".
void Running::Tell(const json::value& told) const {
  if (!service_.journal.Wants(log::Detail::kStandard)) return;
  const json::object& result = told.get_object();
  log::Line line = LineFor("run");
  line.more = {{"outcome", result.at("outcome")},
               {"wall_ms", result.at("usage").at("wall_ms")},
               {"lang", request::LangName(run_.request.lang)}};
  if (const auto* session = result.if_contains("session")) line.more["session"] = session->at("id");
  if (const auto* audit = result.if_contains("audit"); audit != nullptr && audit->is_object()) {
    if (const auto* index = audit->get_object().if_contains("index")) line.more["audit"] = *index;
  }
  if (service_.journal.Wants(log::Detail::kVerbose)) {
    line.more["code"] = std::string_view(run_.request.code).substr(0, log::kMaxBodyBytes + 1);
    line.more["stdout"] = result.at("stdout");
    line.more["stderr"] = result.at("stderr");
  }
  service_.journal.Write(line);
}

void Running::TellFailure(const Error& error) const {
  log::Line line = LineFor("run_failed");
  const bool ours = error.kind() == Kind::kInternal;
  line.level = ours ? log::Level::kError : log::Level::kWarning;
  line.from = ours ? log::Detail::kMinimal : log::Detail::kStandard;
  line.more = {{"kind", KindName(error.kind())}, {"message", error.message()}};
  service_.journal.Write(line);
}

void Running::Conclude(const Result<json::value>& result) {
  if (!streaming_) {
    if (result) return exchange_.Answer(JsonAnswer(*result));
    return exchange_.Answer(result.error());
  }
  SendHeld();
  const json::object last = result ? json::object{{"result", *result}}
                                   : json::object{{"error",
                                                   {{"kind", KindName(result.error().kind())},
                                                    {"message", result.error().message()}}}};
  static_cast<void>(exchange_.Write(json::serialize(last)));
  exchange_.EndStream();
}

void Running::Run(std::uint64_t memory_bytes, const Start& start) {
  const auto begun = Begin();
  if (!begun) return exchange_.Answer(begun.error());
  auto gone = Go(memory_bytes, start);
  if (!gone) gone = ForCaller(gone.error());
  // Answer the caller before notifying event listeners, which nothing waits for.
  Conclude(gone);
  if (!gone) return TellFailure(gone.error());
  Tell(*gone);
  service_.events.Publish(origin().caller, "run",
                          WithMarks({{"id", gone->at("id")}, {"outcome", gone->at("outcome")}}));
}

void RunInSession(service::Service& service, http::server::Exchange exchange,
                  const std::string& handle) {
  const std::string caller = exchange.principal().name;
  const auto shape = service.sessions.Shape(caller, handle);
  if (!shape) return exchange.Answer(WhyGone(service, caller, handle, shape.error()));
  auto request = ParseSessionRun(exchange.request().body, *shape, service.live.limits());
  if (!request) return exchange.Answer(request.error());
  const std::string& named = request->session;
  if (!named.empty() && named != handle &&
      service::IdOfSessionNamed(service, caller, named) !=
          service::IdOfSessionNamed(service, caller, handle)) {
    return exchange.Answer(Error(
        Kind::kInvalid, fmt::format("\"session\" is \"{}\", and the path names another", named)));
  }
  Running running(service, std::move(exchange), *std::move(request));
  running.Run(0, [&](run::Run& run) { return service.sessions.Execute(caller, handle, run); });
}

}  // namespace belljar::door::api
