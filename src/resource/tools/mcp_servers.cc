#include "resource/tools/mcp_servers.h"

#include <fmt/format.h>

#include <cstdlib>

#include "foundation/base/fingerprint.h"
#include "resource/secret_source.h"

namespace belljar::resource::tools {
namespace {

std::string KeyOf(const std::string& name, const judgement::policy::ToolServer& terms) {
  Fingerprint key;
  key.Add(name);
  key.Add(terms.url);
  for (const std::string& word : terms.command) key.Add(word);
  key.Add("env");
  for (const auto& [variable, value] : terms.env) key.Add(variable + "=" + value);
  key.Add("pass");
  for (const std::string& variable : terms.pass) key.Add(variable);
  key.Add("headers");
  for (const auto& [header, from] : terms.headers) key.Add(header + ":" + from);
  return key.Text();
}

}  // namespace

Result<mcp::ServerSpec> SpecOf(const judgement::policy::ToolServer& terms) {
  mcp::ServerSpec spec;
  spec.url = terms.url;
  spec.command.words = terms.command;
  std::map<std::string, std::string> env = {{"PATH", "/usr/local/bin:/usr/bin:/bin"},
                                            {"LANG", "C.UTF-8"}};
  for (const char* const name : {"PATH", "HOME"}) {
    if (const char* const value = std::getenv(name)) env[name] = value;
  }
  for (const auto& [name, value] : terms.env) env[name] = value;
  for (const std::string& name : terms.pass) env[name] = BJ_TRY(OwnVariable(name));
  for (const auto& [name, value] : env) spec.command.environment.push_back(name + "=" + value);
  for (const auto& [name, from] : terms.headers) {
    const std::string value = BJ_TRY(ReadSecret(from));
    spec.headers.push_back(name + ": " + value);
  }
  return spec;
}

Result<McpServers::ServerPtr> McpServers::For(const std::string& name,
                                              const judgement::policy::ToolServer& terms) {
  const std::string key = KeyOf(name, terms);
  const std::lock_guard lock(mutex_);
  if (const auto known = servers_.find(key); known != servers_.end()) return known->second;
  mcp::ServerSpec spec = BJ_TRY(SpecOf(terms).While(fmt::format("[tools.{}]", name)));
  spec.command.keeper = keeper_;
  // Drops servers of earlier policies that no call uses any more.
  if (servers_.size() >= kMostKept) {
    std::erase_if(servers_, [](const auto& kept) { return kept.second.use_count() == 1; });
  }
  mcp::OnLog log;
  if (on_log_) log = [this, name](std::string_view line) { on_log_(name, line); };
  return servers_[key] = std::make_shared<mcp::Server>(std::move(spec), std::move(log));
}

}  // namespace belljar::resource::tools
