// The history of runs, from the audit log's searchable copy and its bodies.
#pragma once

#include <map>
#include <string>

#include "audit/log.h"
#include "base/json.h"
#include "base/result.h"

namespace belljar::server {

// Filters of a query: session, run, outcome, event, correlation_id, since, until, before (an index,
// for the next page), limit.
Result<> ApplyFilters(const std::multimap<std::string, std::string>& query, audit::Filter& filter);

// {"runs":[…]}, newest first.
Result<json::value> FindRuns(audit::Log& log, const std::string& caller,
                             const std::multimap<std::string, std::string>& query);

// The result as it was answered; without its body once the retention has removed that.
Result<json::value> OneRun(audit::Log& log, const std::string& caller, const std::string& id);

}  // namespace belljar::server
