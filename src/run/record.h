// Audit records of runs. A result is returned only after its record is durable.
#pragma once

#include "record/log.h"
#include "run/image_builds.h"
#include "run/recorded.h"
#include "run/run.h"

namespace belljar::run {

// Puts code and inputs into the log's body store, and returns the part of a run's record that
// depends on the request alone, so it can be made before there is a result.
Result<json::object> DraftRecord(record::Log& log, const request::Request& request,
                                 const RunTerms& terms);
// Whether DraftRecord is quick enough to be called on the thread that watches the limits.
bool IsCheapToRecord(const request::Request& request);

// Puts the outputs into the body store, appends the run's record, and notes the record's position
// in the result. A result that cannot be recorded is not returned to the caller. Returns the result
// as it was recorded, allocated in `memory`.
Result<json::object> RecordRun(record::Log& log, const Origin& origin,
                               const request::Request& request, json::object draft,
                               RunResult& result, const json::storage_ptr& memory = {});

// The record of a replay: which run it repeats, and whether the result is the same.
struct ReplayNote {
  std::string of;
  std::uint64_t index = 0;
  bool same = false;
};
// `told`: the replay's result in the form that was compared.
Result<> RecordReplay(record::Log& log, const Origin& origin, const request::Request& request,
                      json::object draft, const ReplayNote& note, const json::object& told,
                      RunResult& result);

// Records one sentence about a leftover of a crash. Does nothing without a log.
Result<> RecordRecovery(record::Log* log, std::string_view what, const std::string& sentence);

// Recorder: writes the audit records of one engine's runs.
//
// Thread-safe. Log and builds must outlive it.
class Recorder {
 public:
  // `log` null: nothing is recorded.
  Recorder(record::Log* log, ImageBuilds& builds) : log_(log), builds_(builds) {}

  // Drafts the request's part of the record while the run is in progress, if that is quick.
  void BuildRecordDuringRun(Run& run);
  // Records the run; its result then holds the position of the record.
  Result<> Record(Run& run);
  // Records the reaction to a failed run.
  Result<> NoteRecovery(const Origin& origin, const json::object& done);
  // `told`: the result in the form that was compared.
  Result<> Replay(const Run& run, const ReplayNote& note, const json::object& told,
                  RunResult& result);

 private:
  Result<json::object> Draft(const Run& run, const request::Request& request);

  record::Log* const log_;
  ImageBuilds& builds_;
};

}  // namespace belljar::run
