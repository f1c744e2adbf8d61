#include "run/guest_compiler.h"

#include "cell/native/host/compiled_guest.h"
#include "cell/native/host/embedded.h"

namespace belljar::run {

bool GuestCompiler::IsFirst(const std::string& image) {
  const std::lock_guard lock(mutex_);
  return tried_.insert(image).second;
}

void GuestCompiler::CompileNow(const std::string& image) {
  if (IsFirst(image)) Compile(image);
}

void GuestCompiler::CompileInBackground(const std::string& image) {
  if (!IsFirst(image)) return;
  const std::lock_guard lock(mutex_);
  threads_.emplace_back([this, image] { Compile(image); });
}

void GuestCompiler::Compile(const std::string& image) {
  const auto found = images_.Find(image);
  if (!found || !cell::native::ReadCompiledGuest(*found).empty()) return;
  Run run;
  run.kind = RunKind::kInternal;
  run.request.image = image;
  run.request.code = std::string(cell::native::CompileProgram());
  run.request.fetch = {std::string(cell::native::kCompiledGuest)};
  const auto made = go_(run);
  if (!made || made->outcome != Outcome::kOk) return;
  const auto bytes = made->files.fetched.find(std::string(cell::native::kCompiledGuest));
  if (bytes == made->files.fetched.end()) return;
  static_cast<void>(cell::native::KeepCompiledGuest(*found, bytes->second));
}

}  // namespace belljar::run
