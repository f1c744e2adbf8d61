// Rules about things beyond this machine: clouds, clusters, package registries.
#include <fmt/format.h>

#include "judgement/analysis/shell/judge.h"

namespace belljar::judgement::analysis::shell {
namespace {

// The subcommands by which each tool changes remote resources.
struct OutwardTool {
  std::string_view names;
  std::string_view verbs;
  std::size_t words;  // number of leading operands to search for a verb
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

// True if a container is given access to the host.
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

// True for subcommands that stop containers or remove containers, images or volumes; the verb may
// follow a kind: docker volume rm.
bool EndsContainers(const Call& call, const Arguments& arguments) {
  constexpr std::string_view kTools = "docker podman nerdctl docker-compose podman-compose";
  constexpr std::string_view kKinds = "container compose volume network stack service swarm node";
  if (!IsListed(kTools, call.name)) return false;
  const std::string first = arguments.Operand(0);
  const std::string verb = IsListed(kKinds, first) ? arguments.Operand(1) : first;
  return IsListed("stop rm remove kill restart pause unpause start down leave", verb);
}

// True for queries that the local container engine answers.
bool OnlyAsksContainers(const Call& call, const Arguments& arguments) {
  if (!IsListed("docker podman nerdctl", call.name) || arguments.Has("-H --host --context")) {
    return false;
  }
  const std::string first = arguments.Operand(0);
  if (first.empty()) return arguments.Has("--version -v --help");
  if (IsListed("container image volume network context system", first)) {
    return IsListed("ls list inspect logs ps top stats port diff history df", arguments.Operand(1));
  }
  return IsListed("ps images inspect logs info version stats top port diff history", first);
}

// The first words of the command, for messages: "aws s3 rm".
std::string Said(const Call& call) {
  constexpr std::size_t kWords = 3;
  std::string said(call.name);
  const auto words = call.arguments();
  for (std::size_t i = 0; i < words.size() && i < kWords; ++i) said += " " + words[i].Lead();
  return said;
}

}  // namespace

// Only the first operands are searched, because the command for a container may follow.
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
  if (EndsContainers(call, arguments) && !arguments.Has("--help")) {
    context.Find("sh-service", call.place, call.name,
                 fmt::format("\"{}\" stops or removes what runs in containers.", Said(call)));
  }
  if (arguments.Operand(0) == "container") CheckContainer(context, call, arguments);
  return OnlyAsksContainers(call, arguments) ? Level::kReads : Level::kRunsCode;
}

}  // namespace belljar::judgement::analysis::shell
