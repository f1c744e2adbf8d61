// The last stage of a request: what is answered has been recorded, and is durable.
#pragma once

#include "audit/log.h"
#include "engine/engine.h"
#include "engine/recorded.h"

namespace belljar::engine {

// Puts code and inputs into the store of bodies, and returns what the record of a run says of its
// request alone. It can be had before there is a result.
Result<json::object> DraftRecord(audit::Log& log, const policy::Request& request,
                                 const RunTerms& terms);
// Whether that takes next to no time, for whoever has something to watch meanwhile.
bool IsCheapToRecord(const policy::Request& request);

// Puts the outputs into the store of bodies, appends the run's record, and notes the position in
// the result. The result of a run that cannot be recorded is not given out.
Result<> RecordRun(audit::Log& log, const Origin& origin, const policy::Request& request,
                   json::object draft, result::RunResult& result);

// The same of one that repeats another: which one, and whether anything differs.
struct ReplayNote {
  std::string of;
  std::uint64_t index = 0;
  bool same = false;
};
Result<> RecordReplay(audit::Log& log, const Origin& origin, const policy::Request& request,
                      json::object draft, const ReplayNote& note, result::RunResult& result);

// One record for each sentence about what a crash had left. Without a log there is none.
Result<> RecordRecovery(audit::Log* log, std::string_view what, const std::string& sentence);

}  // namespace belljar::engine
