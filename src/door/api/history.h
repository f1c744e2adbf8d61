// The history of runs, from the audit log's searchable copy and its bodies.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "foundation/base/json.h"
#include "foundation/base/result.h"
#include "record/log.h"

namespace belljar::door::api {

// Returns the id of a session for its name; any other text is returned unchanged.
using IdOfSession = std::function<std::string(const std::string& handle)>;

// Reads the filters of a query: session, run, outcome, event, correlation_id, since, until, before
// (an index, for the next page), limit.
Result<> ApplyFilters(const std::multimap<std::string, std::string>& query,
                      const IdOfSession& id_of, record::Filter& filter);

// {"runs":[…]}, newest first.
Result<json::value> FindRuns(record::Log& log, const std::string& caller,
                             const std::multimap<std::string, std::string>& query,
                             const IdOfSession& id_of);

// The result as it was answered; without its body if the retention has removed that.
Result<json::value> OneRun(record::Log& log, const std::string& caller, const std::string& id);

}  // namespace belljar::door::api
