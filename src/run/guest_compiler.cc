#include "engine/guest_compiler.h"

#include "isolate/native/compiled_guest.h"
#include "isolate/native/embedded.h"

namespace belljar::engine {

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
  if (!found || !isolate::ReadCompiledGuest(*found).empty()) return;
  Run run;
  run.kind = RunKind::kInternal;
  run.request.image = image;
  run.request.code = std::string(isolate::CompileProgram());
  run.request.fetch = {std::string(isolate::kCompiledGuest)};
  const auto made = go_(run);
  if (!made || made->outcome != result::Outcome::kOk) return;
  const auto bytes = made->files.fetched.find(std::string(isolate::kCompiledGuest));
  if (bytes == made->files.fetched.end()) return;
  static_cast<void>(isolate::KeepCompiledGuest(*found, bytes->second));
}

}  // namespace belljar::engine
