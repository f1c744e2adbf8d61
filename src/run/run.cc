#include "run/run.h"

#include "run/run_cell.h"
#include "run/tools.h"

namespace belljar::run {

Run::Run() = default;

Run::Run(request::Request asked, Requester by)
    : request(std::move(asked)), requester(std::move(by)) {}

Run::~Run() = default;

void Run::Stop(RunResult with) {
  result = std::move(with);
  stopped_ = true;
}

AskedFor AskedFor::Of(const request::Request& request) {
  return {request.backend, request.image,       request.limits,
          request.vaults,  request.allow_hosts, request.artefacts};
}

request::Request AsAsked(const Run& run) {
  request::Request request = run.request;
  request.backend = run.as_asked.backend;
  request.image = run.as_asked.image;
  request.limits = run.as_asked.limits;
  request.vaults = run.as_asked.vaults;
  request.allow_hosts = run.as_asked.allow_hosts;
  request.artefacts = run.as_asked.artefacts;
  return request;
}

json::object AnswerJson(Run& run, const RunResult& result) {
  if (!run.told) return ToJson(result, &run.memory);
  json::object told = *std::move(run.told);
  run.told.reset();
  if (!result.audit.empty()) told["audit"] = result.audit;
  if (!result.recovery.empty()) told["recovery"] = result.recovery;
  if (!result.session.empty()) told["session"] = result.session;
  return told;
}

}  // namespace belljar::run
