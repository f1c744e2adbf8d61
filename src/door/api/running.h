// Running: one run on its way through the HTTP door.
//
// Admitted, run, recorded, answered: as one JSON object, or, when the caller accepts
// application/x-ndjson or text/event-stream, output piece by piece and the result last. A caller
// that goes away while its run goes on cancels it.
//
// Pieces are text: bytes that are not UTF-8 are replaced, as in the result. Who adds bytes=base64
// to the type gets each piece as it was printed, in base64 where it is not text by itself.
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

  // Everything from admission to the answer. `memory_bytes` is what the run takes from its
  // caller's share: none in a session, which has its own.
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
  run::Run run_;  // kept: nobody waits until it is taken apart
  std::optional<http::server::StreamKind> streams_;
  bool exactly_ = false;  // bytes=base64
  bool streaming_ = false;
  run::RunResult result_;            // likewise
  std::array<std::string, 2> held_;  // of each stream: the start of a character that is not whole
};

// A run in a session of the caller's; the body is the exchange's.
void RunInSession(service::Service& service, http::server::Exchange exchange,
                  const std::string& handle);

}  // namespace belljar::door::api
