#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "door/cli/command.h"

namespace belljar::door::cli {
namespace {

struct ImageArguments {
  std::string name;
  std::string tree;
  std::string venv;
  std::string preimport;
  std::string state;
  bool json = false;
};

Result<cell::image::ImageStore> OpenStore(const ImageArguments& arguments) {
  const std::string state = BJ_TRY(run::StateDirOr(arguments.state));
  return cell::image::ImageStore::Open(state + "/images");
}

std::vector<std::string> SplitNames(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    if (comma > start) names.push_back(text.substr(start, comma - start));
    start = comma + 1;
  }
  return names;
}

json::object Describe(const cell::image::Image& image) {
  json::array preimport;
  for (const std::string& module : image.preimport) preimport.emplace_back(module);
  return {{"name", image.name},         {"source", image.source},  {"python", image.python_version},
          {"node", image.node_version}, {"preimport", preimport},  {"files", image.files},
          {"bytes", image.bytes},       {"created", image.created}};
}

Result<> List(const ImageArguments& arguments) {
  auto store = BJ_TRY(OpenStore(arguments));
  const auto images = BJ_TRY(store.List());
  if (arguments.json) {
    json::array all;
    for (const cell::image::Image& image : images) all.push_back(Describe(image));
    fmt::print("{}\n", json::serialize(all));
    return {};
  }
  fmt::print("{:<20} {:<10} {:<10} {:>8} {:>8}  {:<20} {}\n", "NAME", "PYTHON", "NODE", "FILES",
             "MB", "CREATED", "SOURCE");
  for (const cell::image::Image& image : images) {
    fmt::print("{:<20} {:<10} {:<10} {:>8} {:>8.0f}  {:<20} {}\n", image.name, image.python_version,
               image.node_version, image.files, static_cast<double>(image.bytes) / 1e6,
               image.created, image.source);
  }
  return {};
}

Result<> Build(const ImageArguments& arguments) {
  if (!arguments.tree.empty() && !arguments.venv.empty()) {
    return Error(Kind::kInvalid, "image build: give --from or --venv, not both");
  }
  const bool own = !arguments.tree.empty() || !arguments.venv.empty();
  if (!own && arguments.name != "default") {
    return Error(Kind::kInvalid, fmt::format("image build {}: say what it is made from, with "
                                             "--from DIR or --venv DIR",
                                             arguments.name));
  }
  auto store = BJ_TRY(OpenStore(arguments));
  auto preimport = SplitNames(arguments.preimport);
  auto built = arguments.venv.empty() && arguments.tree.empty()
                   ? store.BuildDefault(std::move(preimport), ProgressLine())
               : arguments.venv.empty() ? store.BuildFromTree(arguments.name, arguments.tree,
                                                              std::move(preimport), ProgressLine())
                                        : store.BuildFromVenv(arguments.name, arguments.venv,
                                                              std::move(preimport), ProgressLine());
  const cell::image::Image image = BJ_TRY(std::move(built));
  fmt::print("{}\n", arguments.json
                         ? json::serialize(Describe(image))
                         : fmt::format("built {}: {} files, {:.0f} MB", image.name, image.files,
                                       static_cast<double>(image.bytes) / 1e6));
  return {};
}

Result<> Remove(const ImageArguments& arguments) {
  auto store = BJ_TRY(OpenStore(arguments));
  return store.Remove(arguments.name);
}

void Bind(CLI::App* command, const std::shared_ptr<ImageArguments>& arguments,
          Result<> (*action)(const ImageArguments&), int& status) {
  command->add_option("--state", arguments->state, "the directory that holds the images");
  command->callback([arguments, action, &status] {
    const auto done = action(*arguments);
    status = done ? 0 : Fail(done.error());
  });
}

}  // namespace

void AddImageCommand(CLI::App& app, int& status) {
  const auto arguments = std::make_shared<ImageArguments>();
  CLI::App* const image = app.add_subcommand("image", "the file trees that cells start from");
  image->require_subcommand(1);
  CLI::App* const list = image->add_subcommand("list", "list images");
  list->add_flag("--json", arguments->json, "print a JSON array");
  Bind(list, arguments, List, status);
  CLI::App* const build = image->add_subcommand("build", "build or rebuild an image");
  build->add_option("NAME", arguments->name, "the image's name")->required();
  build->add_option("--from", arguments->tree, "copy a root tree");
  build->add_option("--venv", arguments->venv, "lay a virtualenv over the default image");
  build->add_option("--preimport", arguments->preimport, "modules to import ahead: numpy,pandas");
  build->add_flag("--json", arguments->json, "print a JSON object");
  Bind(build, arguments, Build, status);
  CLI::App* const rm = image->add_subcommand("rm", "remove an image");
  rm->add_option("NAME", arguments->name, "the image's name")->required();
  Bind(rm, arguments, Remove, status);
}

}  // namespace belljar::door::cli
