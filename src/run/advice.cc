#include "run/advice.h"

#include <fmt/format.h>

#include "foundation/base/quote.h"

namespace belljar::run {
namespace {

bool Says(const cell::guest::GuestError& error, std::string_view words) {
  return error.message.find(words) != std::string::npos;
}

// Returns the module x named in an error such as "No module named 'x.y'", "Cannot find module 'x'"
// or "Cannot find package 'x'".
std::string MissingModule(const cell::guest::GuestError& error) {
  const std::size_t open = error.message.find('\'');
  if (open == std::string::npos) return "";
  const std::size_t close = error.message.find('\'', open + 1);
  if (close == std::string::npos) return "";
  return error.message.substr(open + 1, close - open - 1);
}

std::string OfModule(const cell::guest::GuestError& error) {
  const std::string module = MissingModule(error);
  if (module.empty()) return "";
  const std::string_view remedy =
      error.type == "ModuleNotFoundError"
          ? "install it on the host or in a virtualenv, then make an image of that with belljar "
            "image build"
          : "bring it along as a file, or its package as files in node_modules";
  return fmt::format("the image does not have {}: {}", Quote(module), remedy);
}

}  // namespace

std::string AdviceFor(const cell::guest::GuestError& error) {
  if (error.type == "ModuleNotFoundError" || Says(error, "Cannot find module") ||
      Says(error, "Cannot find package")) {
    return OfModule(error);
  }
  if (error.type == "MemoryError") return "ask for more with \"memory\", or work in pieces";
  if (error.type == "RecursionError") return "the function calls itself too deeply: use a loop";
  if (Says(error, "Read-only file system")) {
    return "only the workspace, the working directory, can be written to";
  }
  if (error.type == "PermissionError" || Says(error, "EACCES") || Says(error, "EPERM")) {
    return "the cell does not allow it: files belong in the workspace, and nothing here is "
           "privileged";
  }
  if (Says(error, "Network is unreachable") || Says(error, "ENETUNREACH") ||
      Says(error, "Temporary failure in name resolution") || Says(error, "EAI_AGAIN")) {
    return "a cell has no network: give the data as input or as a file";
  }
  if (Says(error, "No space left on device") || Says(error, "ENOSPC")) {
    return "the workspace is full: ask for more with \"workspace\", or write less";
  }
  if (Says(error, "Too many open files") || Says(error, "EMFILE")) {
    return "close files when they are done with, or ask for more with \"open_files\"";
  }
  return "";
}

}  // namespace belljar::run
