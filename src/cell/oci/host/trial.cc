#include "cell/oci/host/trial.h"

#include <fmt/format.h>

#include <thread>

#include "foundation/base/json.h"

namespace belljar::cell::oci {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kLook{20};
constexpr std::size_t kMostShown = 300;

// The first line of a runtime's error output.
std::string Shown(const std::string& said) {
  return said.substr(0, std::min(said.find('\n'), kMostShown));
}

class Course {
 public:
  Course(const TrialPlan& plan, const ProbeOps& hands) : plan_(plan), hands_(hands) {}

  Result<> Begin() const {
    const bool created = plan_.begins == TrialPlan::Begins::kCreated;
    if (!created) {
      BJ_TRY(Done("run", hands_.begin({"run", "--bundle", plan_.bundle, "--detach", kName})));
      return Is("running", "run");
    }
    BJ_TRY(Done("create", hands_.begin({"create", "--bundle", plan_.bundle, kName})));
    BJ_TRY(Is("created", "create"));
    BJ_TRY(Done("start", hands_.tell({"start", kName})));
    return Is("running", "start");
  }

  Result<> Exec() const {
    const std::string said = BJ_TRY(Done("exec", hands_.tell({"exec", kName, plan_.program})));
    if (said == plan_.says) return {};
    return Error(Kind::kUnavailable, "its exec says that a program ended well which never spoke");
  }

  Result<> Kill() const {
    BJ_TRY(Done("kill", hands_.tell({"kill", kName, "KILL"})));
    BJ_TRY(Is("stopped", "kill"));
    if (BJ_TRY(hands_.ended(plan_.time))) return {};
    return Error(Kind::kUnavailable,
                 "its state says that a container has stopped which still runs");
  }

  Result<> Delete() const {
    BJ_TRY(Done("delete", hands_.tell({"delete", kName})));
    const auto left = hands_.tell({"state", kName});
    if (!left && left.error().kind() == Kind::kUnavailable) return Done("state", left).error();
    if (!left || StatusFrom(*left).empty()) return {};
    return Error(Kind::kUnavailable,
                 fmt::format("its delete left a container that is {}", StatusFrom(*left)));
  }

 private:
  static constexpr const char* kName = kContainerName;

  Result<std::string> Done(std::string_view command, Result<std::string> told) const {
    if (told) return told;
    if (told.error().kind() != Kind::kUnavailable) {
      return Error(Kind::kUnavailable,
                   fmt::format("its {} failed: {}", command, Shown(told.error().message())));
    }
    return Error(Kind::kUnavailable,
                 fmt::format("its {} did not end within {:g} s", command,
                             std::chrono::duration<double>(plan_.time).count()));
  }

  // Polls, because a change of state may take a moment to show.
  Result<> Is(std::string_view wanted, std::string_view after) const {
    const auto deadline = Clock::now() + plan_.time;
    for (;;) {
      const std::string said = BJ_TRY(Done("state", hands_.tell({"state", kName})));
      const std::string status = StatusFrom(said);
      if (status == wanted) return {};
      if (!status.empty() && Clock::now() < deadline) {
        std::this_thread::sleep_for(kLook);
        continue;
      }
      return Error(Kind::kUnavailable,
                   fmt::format("its state says \"{}\" after {}, and not \"{}\"",
                               status.empty() ? Shown(said) : status, after, wanted));
    }
  }

  const TrialPlan& plan_;
  const ProbeOps& hands_;
};

}  // namespace

Result<> TryInterface(const TrialPlan& plan, const ProbeOps& hands) {
  const Course course(plan, hands);
  BJ_TRY(course.Begin());
  BJ_TRY(course.Exec());
  BJ_TRY(course.Kill());
  return course.Delete();
}

std::string StatusFrom(const std::string& said) {
  const auto state = ParseJson(said);
  if (!state || !state->is_object()) return "";
  const json::value* const status = state->get_object().if_contains("status");
  return status == nullptr || !status->is_string() ? "" : std::string(status->get_string());
}

}  // namespace belljar::cell::oci
