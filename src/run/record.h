// The last stage of a request: what is answered has been recorded, and is durable.
#pragma once

#include "record/log.h"
#include "run/image_builds.h"
#include "run/recorded.h"
#include "run/run.h"

namespace belljar::run {

// Puts code and inputs into the store of bodies, and returns what the record of a run says of its
// request alone. It can be had before there is a result.
Result<json::object> DraftRecord(record::Log& log, const request::Request& request,
                                 const RunTerms& terms);
// Whether that takes next to no time, so that it can be done by a thread that has limits to watch.
bool IsCheapToRecord(const request::Request& request);

// Puts the outputs into the store of bodies, appends the run's record, and notes the position in
// the result. The result of a run that cannot be recorded is not given out. Returns the result as
// it was recorded, in `memory`.
Result<json::object> RecordRun(record::Log& log, const Origin& origin,
                               const request::Request& request, json::object draft,
                               RunResult& result, const json::storage_ptr& memory = {});

// The same of one that repeats another: which one, and whether anything differs.
struct ReplayNote {
  std::string of;
  std::uint64_t index = 0;
  bool same = false;
};
// `told`: its result as it was compared.
Result<> RecordReplay(record::Log& log, const Origin& origin, const request::Request& request,
                      json::object draft, const ReplayNote& note, const json::object& told,
                      RunResult& result);

// One record for each sentence about what a crash had left. Without a log there is none.
Result<> RecordRecovery(record::Log* log, std::string_view what, const std::string& sentence);

// Recorder: the records of one engine's runs.
//
// Thread-safe. Log and builds must outlive it.
class Recorder {
 public:
  // `log` null: nothing is recorded.
  Recorder(record::Log* log, ImageBuilds& builds) : log_(log), builds_(builds) {}

  // What a record says of the request alone is made while the run goes on, if that takes little.
  void BuildRecordDuringRun(Run& run);
  // The run's result says afterwards where its record lies.
  Result<> Record(Run& run);
  // What was done about a run that did not end well.
  Result<> NoteRecovery(const Origin& origin, const json::object& done);
  // `told`: the result as it was compared.
  Result<> Replay(const Run& run, const ReplayNote& note, const json::object& told,
                  RunResult& result);

 private:
  Result<json::object> Draft(const Run& run, const request::Request& request);

  record::Log* const log_;
  ImageBuilds& builds_;
};

}  // namespace belljar::run
