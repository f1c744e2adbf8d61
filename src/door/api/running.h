// Running: one run requested over HTTP.
//
// The run is admitted, run, recorded and answered. The answer is one JSON object or, if the caller
// accepts application/x-ndjson or text/event-stream, a stream of output pieces with the result
// last. If the caller disconnects, its run is cancelled.
//
// Pieces are text: invalid UTF-8 is replaced, as in the result. With the parameter bytes=base64 in
// the media type, each piece is sent exactly as printed, in base64 where it is not valid UTF-8 by
// itself.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>

#include "foundation/http/server/exchange.h"
#include "foundation/log/logger.h"
#include "run/engine.h"
#include "service/service.h"

namespace belljar::door::api {

class Running {
 public:
  using Start = std::function<Result<run::RunResult>(run::Run&)>;

  Running(service::Service& service, http::server::Exchange exchange, request::Request request);

  // Does everything from admission to the answer. `memory_bytes` is charged to the caller's quota:
  // 0 in a session, which is charged itself.
  void Run(std::uint64_t memory_bytes, const Start& start);

 private:
  Result<> Begin();
  void Ask(const judgement::approval::Question& question);
  void Stream(run::Stream stream, std::string_view bytes);
  void StreamText(run::Stream stream, std::string_view bytes);
  void StreamExactly(run::Stream stream, std::string_view bytes);
  void SendHeld();
  Result<json::value> Go(std::uint64_t memory_bytes, const Start& start);
  void Conclude(const Result<json::value>& result);
  json::object WithMarks(json::object event) const;
  log::Line LineFor(std::string_view event) const;
  void Tell(const json::value& told) const;
  void TellFailure(const Error& error) const;
  const run::Origin& origin() const { return run_.requester.origin; }

  service::Service& service_;
  http::server::Exchange exchange_;
  run::Run run_;  // a member, so that it is destroyed only after the answer
  std::optional<http::server::StreamKind> streams_;
  bool exactly_ = false;  // bytes=base64
  bool streaming_ = false;
  run::RunResult result_;            // a member for the same reason
  std::array<std::string, 2> held_;  // for each stream: an incomplete UTF-8 character
};

// Answers a run in a session of the caller's; the request is in the exchange's body.
void RunInSession(service::Service& service, http::server::Exchange exchange,
                  const std::string& handle);

}  // namespace belljar::door::api
