// redact-databases DIR: writes the databases that embedded.cc embeds. Used only by the build.
//
// If this Vectorscan cannot compile for a platform, that platform's file is empty, and is ignored
// when loading.
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "judgement/redaction/compiled.h"

namespace {

using namespace belljar;
using namespace belljar::judgement::redaction;

Result<std::string> Serialized(const SequenceTable& table, unsigned long long features) {
  hs_platform_info_t platform{};
  platform.tune = HS_TUNE_FAMILY_GENERIC;
  platform.cpu_features = features;
  const auto database = BJ_TRY(CompileDatabase(table, &platform));
  char* bytes = nullptr;
  std::size_t size = 0;
  if (::hs_serialize_database(database.get(), &bytes, &size) != HS_SUCCESS) {
    return Error(Kind::kInternal, "hs_serialize_database failed");
  }
  std::string text(bytes, size);
  std::free(bytes);
  return text;
}

Result<> WriteDatabases(const std::string& dir) {
  const auto table = BJ_TRY(BuildSequences());
  int level = 0;
  for (const unsigned long long features : EmbeddedCpuFeatures()) {
    const auto text = Serialized(table, features);
    if (!text) std::fprintf(stderr, "level %d: %s\n", level, text.error().message().c_str());
    std::ofstream file(dir + "/" + std::to_string(level++), std::ios::binary);
    file << (text ? *text : std::string());
    if (!file.flush()) return Error(Kind::kUnavailable, "cannot write to " + dir);
  }
  return {};
}

}  // namespace

// This program itself has no embedded databases.
std::span<const std::string_view> belljar::judgement::redaction::EmbeddedDatabases() { return {}; }

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto written = WriteDatabases(argv[1]);
  if (!written) std::fprintf(stderr, "redact-databases: %s\n", written.error().message().c_str());
  return written ? 0 : 1;
}
