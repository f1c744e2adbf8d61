#include "cmd/jsonl.h"

#include <thread>

#include "cmd/cancellation.h"
#include "cmd/lines.h"

namespace belljar::cmd {
namespace {

void RunLine(engine::Engine& engine, const std::string& line, int cancel, Answers& answers) {
  auto request = policy::ParseRequest(line);
  if (!request) {
    answers.WriteError(policy::SalvageIdJson(line), request.error());
    return;
  }
  engine::RunHooks hooks;
  hooks.cancel.front() = cancel;
  auto result = engine.Run(*request, hooks);
  if (!result) {
    answers.WriteError(policy::IdJson(request->id, request->numeric_id), result.error());
    return;
  }
  answers.Write(ToJson(*result));
}

}  // namespace

int RunLines(const RunFlags& flags, const LinesOptions& options) {
  auto engine = OpenEngine(flags, std::max<std::size_t>(options.pool, 1));
  if (!engine) return Fail(engine.error());
  const std::size_t jobs =
      options.jobs > 0 ? options.jobs : std::max(1U, std::thread::hardware_concurrency());
  // A caller that wants the end gets the answers of what runs (as cancelled), and no cell is left.
  const auto cancel = Cancellation::OnSignals();
  if (!cancel) return Fail(cancel.error());
  AnswerLines(jobs, cancel->fd(), [&](const std::string& line, Answers& answers) {
    RunLine(**engine, line, cancel->fd(), answers);
  });
  return 0;
}

}  // namespace belljar::cmd
