// Recorded: stores a request in the audit log, and reads it back so that the run can be repeated.
//
// The record of a run has digests; the hashed contents ("bodies") lie in the log's body store, for
// as long as the retention setting says. Besides code, standard input and result, which are useful
// to every reader of the log, the bodies are:
//   "inputs"  everything else that was asked, as a request, with limits written out
//   "files"   the files that came with the request, up to kMaxKeptFileBytes
//   "policy"  name and fingerprint of the policy, and its text where it is a file of the operator's
//   "image"   the build of the image
//
// Secrets: environment values that the redactor would remove from output are not kept, nor are
// variables with a name like a secret's (TOKEN, PASSWORD …). Only their names are kept, and the
// caller of a replay supplies the values. Code, standard input and files are kept as they are.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "foundation/base/json.h"
#include "foundation/base/result.h"
#include "judgement/policy/policy.h"
#include "judgement/redaction/redactor.h"
#include "record/log.h"
#include "request/request.h"
#include "run/assessment.h"

namespace belljar::run {

constexpr std::size_t kMaxKeptFileBytes = 16 << 20;

// The policy, redactor and image build of a run.
struct RunTerms {
  const judgement::policy::Policy* policy = nullptr;         // null: not judged
  const judgement::redaction::Redactor* redactor = nullptr;  // null: no redaction
  std::string image;                                         // build of the image
};

// Stores the bodies, and puts their digests into `detail`.
Result<> KeepRequest(record::Log& log, const request::Request& request, const RunTerms& terms,
                     json::object& detail);

struct Recorded {
  std::string run_id;
  std::uint64_t index = 0;
  std::string time;
  request::Request request;  // as it was sent, without id and correlation id
  std::shared_ptr<const judgement::policy::Policy> policy;
  bool former_policy = false;  // its level has a different policy today
  std::string image;           // build of the image it ran in
  json::object result;
};

// The run to read, and values that its record lacks.
struct Wanted {
  std::string which;                       // its id, or the index of its record
  std::optional<std::string> caller;       // only this caller's runs; unset: any caller's
  std::map<std::string, std::string> env;  // values of variables that were not kept
};

// Everything needed to run it again; the error says why it cannot be.
Result<Recorded> ReadRecorded(record::Log& log, const Wanted& wanted, const Assessment& today);

}  // namespace belljar::run
