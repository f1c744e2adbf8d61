#include "engine/run.h"

#include "engine/run_cell.h"
#include "engine/tools.h"

namespace belljar::engine {

Run::Run() = default;

Run::Run(policy::Request asked, Requester by)
    : request(std::move(asked)), requester(std::move(by)) {}

Run::~Run() = default;

void Run::Stop(result::RunResult with) {
  result = std::move(with);
  stopped_ = true;
}

AskedFor AskedFor::Of(const policy::Request& request) {
  return {request.backend, request.image,       request.limits,
          request.vaults,  request.allow_hosts, request.artefacts};
}

policy::Request AsAsked(const Run& run) {
  policy::Request request = run.request;
  request.backend = run.as_asked.backend;
  request.image = run.as_asked.image;
  request.limits = run.as_asked.limits;
  request.vaults = run.as_asked.vaults;
  request.allow_hosts = run.as_asked.allow_hosts;
  request.artefacts = run.as_asked.artefacts;
  return request;
}

json::object AnswerJson(Run& run, const result::RunResult& result) {
  if (!run.told) return ToJson(result, &run.memory);
  json::object told = *std::move(run.told);
  run.told.reset();
  if (!result.audit.empty()) told["audit"] = result.audit;
  if (!result.recovery.empty()) told["recovery"] = result.recovery;
  if (!result.session.empty()) told["session"] = result.session;
  return told;
}

}  // namespace belljar::engine
