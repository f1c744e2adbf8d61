// Recorded: a request as the audit log keeps it, and its return for being run again.
//
// The record of a run has digests; what they are digests of lies among the bodies, for as long as
// the retention setting says. Besides code, standard input and result, which everybody who looks
// at the log may want, these are:
//   "inputs"  everything else that was asked, as a request, with limits written out
//   "files"   the files that came along, up to kMaxKeptFileBytes
//   "policy"  name and fingerprint of the policy, and its text where it is a file of the operator's
//   "image"   which build of the image it was
//
// Secrets. What the redactor would take out of output is not kept in the environment either, nor
// is a variable that is named like one (TOKEN, PASSWORD …): its name is kept, and who wants to run
// the request again gives the value. Code, standard input and files are kept as they are.
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

// What a request was judged by and run in.
struct RunTerms {
  const judgement::policy::Policy* policy = nullptr;         // null: it was not judged
  const judgement::redaction::Redactor* redactor = nullptr;  // null: nothing is taken out
  std::string image;                                         // which build of it
};

// Puts the bodies, and the digests into `detail`.
Result<> KeepRequest(record::Log& log, const request::Request& request, const RunTerms& terms,
                     json::object& detail);

struct Recorded {
  std::string run_id;
  std::uint64_t index = 0;
  std::string time;
  request::Request request;  // as it was, without id and correlation id
  std::shared_ptr<const judgement::policy::Policy> policy;
  bool former_policy = false;  // it would be judged by another one today
  std::string image;           // which build it ran in
  json::object result;
};

// Which run, and what its record does not have.
struct Wanted {
  std::string which;                       // its id, or the index of its record
  std::optional<std::string> caller;       // only a run of theirs; nothing: of anybody
  std::map<std::string, std::string> env;  // values of variables that were not kept
};

// Everything that is needed to run it again, or the sentence that says why it cannot be.
Result<Recorded> ReadRecorded(record::Log& log, const Wanted& wanted, const Assessment& today);

}  // namespace belljar::run
