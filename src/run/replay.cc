#include "run/replay.h"

#include <fmt/format.h>

#include <algorithm>

#include "foundation/base/line_diff.h"
#include "run/engine.h"
#include "run/record.h"

namespace belljar::run {
namespace {

const json::value kNothing;

const json::value& Member(const json::value& value, std::string_view key) {
  const json::object* const object = value.if_object();
  const json::value* const member = object == nullptr ? nullptr : object->if_contains(key);
  return member == nullptr ? kNothing : *member;
}

std::string Shown(const json::value& value) {
  if (value.is_null()) return "none";
  if (value.is_string()) return std::string(value.get_string().data(), value.get_string().size());
  return json::serialize(value);
}

// The paths one per line, without those in vaults.
std::string PathLines(const json::value& paths) {
  std::string lines;
  if (!paths.is_array()) return lines;
  for (const json::value& path : paths.get_array()) {
    const std::string text = Shown(path);
    if (!text.starts_with("/vault/")) lines += text + "\n";
  }
  return lines;
}

class Comparison {
 public:
  Comparison(const json::object& recorded, const json::object& replayed)
      : recorded_(recorded), replayed_(replayed) {}

  void Value(const std::string& what, const json::value& was, const json::value& is) {
    if (was != is) found_.push_back({what, Shown(was), Shown(is), ""});
  }
  void Lines(const std::string& what, const std::string& was, const std::string& is) {
    const std::string before = what + ", recorded";
    const std::string after = what + ", replayed";
    std::string diff = UnifiedDiff(was, is, {before, after});
    if (!diff.empty()) found_.push_back({what, "", "", std::move(diff)});
  }

  void All() {
    for (const char* const key : {"outcome", "exit_code", "signal"}) {
      Value(key, Member(recorded_, key), Member(replayed_, key));
    }
    for (const char* const key : {"type", "message"}) {
      Value(fmt::format("error {}", key), Member(Member(recorded_, "error"), key),
            Member(Member(replayed_, "error"), key));
    }
    for (const char* const key : {"stdout", "stderr"}) {
      Lines(key, Shown(Member(recorded_, key)), Shown(Member(replayed_, key)));
      Value(fmt::format("truncated {}", key), Member(Member(recorded_, "truncated"), key),
            Member(Member(replayed_, "truncated"), key));
    }
    Files();
    if (Member(recorded_, "outcome") == json::value("refused")) {
      Value("reason", Member(recorded_, "reason"), Member(replayed_, "reason"));
    }
  }

  std::vector<Difference> Take() { return std::move(found_); }

 private:
  void Files() {
    const json::value& was = Member(recorded_, "files");
    const json::value& is = Member(replayed_, "files");
    for (const char* const key : {"created", "changed", "deleted"}) {
      Lines(fmt::format("files {}", key), PathLines(Member(was, key)), PathLines(Member(is, key)));
    }
    const json::value& fetched = Member(was, "fetched");
    if (!fetched.is_object()) return;
    for (const auto& [path, content] : fetched.get_object()) {
      if (Member(Member(is, "fetched"), path) == content) continue;
      found_.push_back({"content of " + std::string(path), "", "", ""});
    }
  }

  const json::value recorded_;
  const json::value replayed_;
  std::vector<Difference> found_;
};

std::vector<std::string> NotesOf(const Recorded& recorded, const std::string& image_build) {
  std::vector<std::string> notes;
  if (!recorded.request.deterministic) {
    notes.push_back(fmt::format(
        "the first run was not deterministic: times, random numbers and their like may differ; "
        "the replay had the seed {}",
        kReplaySeed));
  }
  if (!recorded.image.empty() && recorded.image != image_build) {
    notes.push_back(fmt::format("the image {} has been built anew since", recorded.request.image));
  }
  if (!recorded.request.vaults.empty()) {
    notes.emplace_back(
        "vaults were shown as they are now, and what was written to them was dropped");
  }
  if (!recorded.request.allow_hosts.empty()) {
    notes.emplace_back("the replay had no network: nobody is called twice");
  }
  if (recorded.former_policy) {
    notes.push_back(fmt::format("judged by {} as it was then", recorded.policy->name));
  }
  if (Member(json::value(recorded.result), "outcome") == json::value("cancelled")) {
    notes.emplace_back("the first run was cancelled, and the replay was not");
  }
  return notes;
}

// The error for a replay that needs approval: replaying must not bypass it.
Error MustAsk(const Recorded& recorded, const RunResult& result) {
  const json::value decision(result.decision);
  const json::value& question = Member(Member(decision, "approval"), "id");
  const std::string name = recorded.run_id;
  if (!question.is_string()) {
    return Error(
        Kind::kDenied,
        fmt::format("run {} ran because a person said yes, and nobody can be asked", name));
  }
  return Error(Kind::kDenied,
               fmt::format("run {} ran because a person said yes: approve the replay, too (belljar "
                           "approvals approve {}), and give the command again",
                           name, Shown(question)));
}

}  // namespace

std::vector<Difference> CompareResults(const json::object& recorded, const json::object& replayed) {
  Comparison comparison(recorded, replayed);
  comparison.All();
  return comparison.Take();
}

Result<Replayed> Engine::Replay(const Recorded& recorded, Requester requester) {
  Run run(recorded.request, std::move(requester));
  const Origin& origin = run.requester.origin;
  if (!run.request.deterministic) run.request.deterministic = kReplaySeed;
  run.request.id = origin.run_id;
  run.request.correlation_id = origin.correlation_id;
  run.kind = RunKind::kReplay;
  run.policy = recorded.policy;
  auto result = BJ_TRY(Go(run));
  if (result.outcome == Outcome::kNeedsApproval || result.outcome == Outcome::kDenied) {
    return MustAsk(recorded, result);
  }
  Replayed replayed;
  replayed.id = origin.run_id;
  replayed.of = recorded.run_id;
  replayed.time = recorded.time;
  replayed.result = ToJson(result);
  replayed.differences = CompareResults(recorded.result, replayed.result);
  replayed.notes = NotesOf(recorded, machinery_.builds.Of(run.as_asked.image));
  const ReplayNote note{recorded.run_id, recorded.index, replayed.differences.empty()};
  BJ_TRY(machinery_.recorder.Replay(run, note, replayed.result, result));
  if (!result.audit.empty()) replayed.result["audit"] = result.audit;
  return replayed;
}

json::object ToJson(const Replayed& replayed) {
  json::array differences;
  for (const Difference& difference : replayed.differences) {
    json::object told = {{"what", difference.what}};
    if (!difference.diff.empty()) told["diff"] = difference.diff;
    if (!difference.recorded.empty() || !difference.replayed.empty()) {
      told["recorded"] = difference.recorded;
      told["replayed"] = difference.replayed;
    }
    differences.push_back(std::move(told));
  }
  json::array notes;
  for (const std::string& note : replayed.notes) notes.emplace_back(note);
  return {{"id", replayed.id},
          {"of", replayed.of},
          {"time", replayed.time},
          {"same", replayed.differences.empty()},
          {"differences", std::move(differences)},
          {"notes", std::move(notes)},
          {"result", replayed.result}};
}

}  // namespace belljar::run
