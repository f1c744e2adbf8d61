// Rules about what is beyond this machine: clouds, clusters, registries of packages.
#include <fmt/format.h>

#include "analysis/shell_judge.h"

namespace belljar::analysis::shell {
namespace {

// What each tool calls the changing of what others use.
struct OutwardTool {
  std::string_view names;
  std::string_view verbs;
  std::size_t words;  // among so many of the first
};
constexpr OutwardTool kOutwardTools[] = {
    {"kubectl oc",
     "delete apply create replace patch edit scale drain cordon taint rollout exec cp run set "
     "expose annotate label autoscale debug",
     1},
    {"terraform tofu pulumi cdk serverless", "apply destroy up import taint deploy remove", 1},
    {"docker podman nerdctl", "push prune", 2},
    {"gh glab", "delete merge", 2},
    {"twine", "upload", 1},
    {"heroku flyctl fly vercel netlify eksctl doctl linode-cli",
     "deploy destroy delete remove rm create scale config:set apps:destroy pg:reset launch", 2},
    {"ansible ansible-playbook", "", 0},
    {"npm pnpm yarn cnpm", "publish unpublish deprecate", 1},
    {"cargo poetry uv hatch flit", "publish yank", 1},
    {"gem", "push yank", 1},
    {"aws gcloud az gsutil s3cmd rclone b2 mc",
     "rm rb delete remove terminate-instances stop-instances purge deletefile del destroy", 3},
};

bool DeletesByName(std::string_view verb) {
  return verb.starts_with("delete-") || verb.starts_with("terminate-") || verb.starts_with("put-");
}

// A container that is given the machine.
bool HoldsHost(const Call& call, const Arguments& arguments) {
  if (!IsListed("docker podman nerdctl", call.name)) return false;
  if (arguments.Has("--privileged --cap-add --device") || arguments.Has("--pid")) return true;
  for (const Option& option : arguments.options()) {
    const bool mounts = option.name == "-v" || option.name == "--volume";
    if (!mounts) continue;
    const std::string from = option.value.Lead();
    if (from.starts_with("/:") || from.starts_with("/etc") || from.starts_with("/var/run/docker")) {
      return true;
    }
  }
  return false;
}

// The command as far as it says what it does: "aws s3 rm".
std::string Said(const Call& call) {
  constexpr std::size_t kWords = 3;
  std::string said(call.name);
  const auto words = call.arguments();
  for (std::size_t i = 0; i < words.size() && i < kWords; ++i) said += " " + words[i].Lead();
  return said;
}

}  // namespace

// The first words, up to where a container's own command begins.
void CheckChangesOutside(Context& context, const Call& call, const Arguments& arguments) {
  if (arguments.Has("--help -h --dry-run --version --check")) return;
  for (const OutwardTool& tool : kOutwardTools) {
    if (!IsListed(tool.names, call.name)) continue;
    bool changes = tool.verbs.empty();
    for (std::size_t i = 0; i < tool.words; ++i) {
      const std::string verb = arguments.Operand(i);
      changes = changes || (!verb.empty() && (IsListed(tool.verbs, verb) ||
                                              (call.name == "aws" && DeletesByName(verb))));
    }
    const bool asks =
        arguments.Operand(0) == "rollout" && IsListed("status history", arguments.Operand(1));
    if (!changes || asks) continue;
    context.Find("sh-outward", call.place, call.name,
                 fmt::format("\"{}\" changes something beyond this machine.", Said(call)));
  }
}

void CheckContainer(Context& context, const Call& call, const Arguments& arguments) {
  if (!HoldsHost(call, arguments)) return;
  context.Find("sh-system-write", call.place, call.name,
               fmt::format("\"{}\" gives a container the machine.", call.name));
}

Level CheckOutward(Context& context, const Call& call, const Arguments& arguments) {
  CheckChangesOutside(context, call, arguments);
  return Level::kRunsCode;
}

}  // namespace belljar::analysis::shell
