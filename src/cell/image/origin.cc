#include "cell/image/origin.h"

#include <sys/stat.h>

#include <array>

#include "cell/image/host_files.h"
#include "cell/image/python_files.h"
#include "foundation/base/fingerprint.h"

namespace belljar::cell::image {
namespace {

// Raise it when a change other than to the lists below alters the content of an image.
constexpr std::string_view kRevision = "3";

constexpr std::array<std::string_view, 3> kInterpreters = {"python3", "bash", "node"};
// The C library's directory also holds most other libraries. The package database changes with
// every package that is installed, so it stands for all other files.
constexpr std::array<std::string_view, 5> kWitnesses = {
    "/lib/x86_64-linux-gnu/libc.so.6", "/lib/aarch64-linux-gnu/libc.so.6", "/lib64/libc.so.6",
    "/lib/libc.so.6", "/var/lib/dpkg/status"};

void AddFile(const Root& host, const std::string& path, Fingerprint& print) {
  const auto file = host.FindFile(path);
  struct stat info {};
  const bool there = file && ::lstat(host.Host(file->path).c_str(), &info) == 0;
  print.Add(there ? std::string_view(file->path) : "");
  print.Add(static_cast<std::uint64_t>(info.st_size));
  print.Add(static_cast<std::uint64_t>(info.st_mtim.tv_sec));
  print.Add(static_cast<std::uint64_t>(info.st_mtim.tv_nsec));
}

}  // namespace

std::vector<std::string_view> DefaultRecipe() {
  std::vector<std::string_view> recipe = HostFilesRecipe();
  const std::vector<std::string_view> python = PythonRecipe();
  recipe.insert(recipe.end(), python.begin(), python.end());
  recipe.push_back(kRevision);
  return recipe;
}

std::string OriginOf(const Root& host, std::span<const std::string_view> recipe) {
  Fingerprint print;
  for (const std::string_view item : recipe) print.Add(item);
  // In every directory, not only the first: the first match may turn out to be a shim.
  for (const std::string_view dir : kProgramDirs) {
    for (const std::string_view name : kInterpreters) {
      AddFile(host, std::string(dir) + std::string(name), print);
    }
  }
  for (const std::string_view path : kWitnesses) AddFile(host, std::string(path), print);
  return print.Text();
}

std::string HostOrigin() { return OriginOf(Root("/"), DefaultRecipe()); }

}  // namespace belljar::cell::image
