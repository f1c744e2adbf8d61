#include "judgement/policy/policy_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace belljar::judgement::policy {
namespace {

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') out += '\\';
    if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\u{:04x}", byte);
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string SizeText(std::uint64_t bytes) {
  if (bytes % request::kMiB == 0) return fmt::format("{}M", bytes / request::kMiB);
  return bytes % 1024 == 0 ? fmt::format("{}K", bytes / 1024) : fmt::format("{}", bytes);
}

std::string TimeText(std::chrono::milliseconds time) {
  const auto count = time.count();
  return count % 1000 == 0 ? fmt::format("{}s", count / 1000) : fmt::format("{}ms", count);
}

// Writes TOML tables. Empty texts, lists and tables are left out.
class Writer {
 public:
  void Table(std::string_view title) { text += fmt::format("\n[{}]\n", title); }
  void Row(std::string_view title) { text += fmt::format("\n[[{}]]\n", title); }
  void Text(std::string_view key, std::string_view value) {
    if (!value.empty()) Put(key, Quoted(value));
  }
  void Flag(std::string_view key, bool value) { Put(key, value ? "true" : "false"); }
  void Count(std::string_view key, std::uint64_t value) { Put(key, fmt::format("{}", value)); }
  void Texts(std::string_view key, const std::vector<std::string>& values) {
    if (!values.empty()) AllTexts(key, values);
  }
  void AllTexts(std::string_view key, const std::vector<std::string>& values) {
    std::string list;
    for (const std::string& value : values) list += (list.empty() ? "" : ", ") + Quoted(value);
    Put(key, "[" + list + "]");
  }
  void Pairs(std::string_view key, const std::map<std::string, std::string>& pairs) {
    if (pairs.empty()) return;
    std::string inside;
    for (const auto& [name, value] : pairs) {
      inside += fmt::format("{}{} = {}", inside.empty() ? "" : ", ", Quoted(name), Quoted(value));
    }
    Put(key, "{ " + inside + " }");
  }
  void Put(std::string_view key, std::string_view value) {
    text += fmt::format("{} = {}\n", key, value);
  }

  std::string text;
};

void WriteActions(Writer& out, const Policy& policy) {
  out.Table("classes");
  for (std::size_t i = 0; i < kClassCount; ++i) {
    out.Text(analysis::ClassName(static_cast<analysis::Class>(i)), ActionName(policy.classes[i]));
  }
  out.Table("severities");
  for (std::size_t i = 0; i < policy.severities.size(); ++i) {
    out.Text(analysis::SeverityName(static_cast<analysis::Severity>(i)),
             ActionName(policy.severities[i]));
  }
  if (!policy.rules.empty()) out.Table("rules");
  for (const auto& [rule, action] : policy.rules) out.Text(rule, ActionName(action));
}

void WriteWishes(Writer& out, const Policy& policy) {
  out.Table("ask");
  out.Text("timeout", TimeText(policy.ask.timeout));
  out.Text("memory", SizeText(policy.ask.memory_bytes));
  out.Text("vault-writes", ActionName(policy.ask.vault_writes));
  out.Text("loaders", ActionName(policy.ask.loaders));
  out.Table("approval");
  out.Text("own", policy.approval.own_allowed ? "allow" : "deny");
  out.Text("expires", TimeText(policy.approval.expires));
  out.Table("redact");
  out.Flag("credentials", policy.redact.credentials);
  out.Flag("personal", policy.redact.personal);
  out.Flag("machines", policy.redact.machines);
}

void WriteRecovery(Writer& out, const std::string& title, const RecoveryTerms& terms) {
  if (terms == RecoveryTerms()) return;
  out.Table(title);
  out.AllTexts("on", terms.on);
  out.Flag("fallback", terms.fallback);
  out.Flag("review", terms.review);
  out.Flag("rollback", terms.rollback);
  out.Texts("alert", terms.alert);
}

void WriteNetwork(Writer& out, const NetworkTerms& terms) {
  out.Table("network");
  out.AllTexts("hosts", terms.hosts);
  out.Texts("methods", terms.methods);
  out.Count("max_requests", terms.max_requests);
  out.Text("max_bytes", SizeText(terms.max_bytes));
  out.Count("requests_per_minute", terms.requests_per_minute);
  out.Texts("unsafe_private_addresses", terms.unsafe_private_addresses);
  for (const auto& [name, secret] : terms.secrets) {
    out.Table("secrets." + Quoted(name));
    out.Text("host", secret.host);
    out.Text("header", secret.header);
    out.Text("scheme", secret.scheme == Secret::Scheme::kHttps ? "https" : "http");
    out.Text("from_file", secret.from_file);
    out.Text("from_env", secret.from_env);
  }
}

void WriteServer(Writer& out, const std::string& title, const ToolServer& server) {
  out.Table(title);
  out.Texts("command", server.command);
  out.Text("url", server.url);
  out.Pairs("env", server.env);
  out.Texts("pass", server.pass);
  out.Pairs("headers", server.headers);
  out.Texts("allow", server.allow);
  out.Texts("ask", server.ask);
  out.Count("max_calls", server.max_calls);
  out.Count("calls_per_minute", server.calls_per_minute);
  out.Text("argument_bytes", SizeText(server.argument_bytes));
  out.Text("result_bytes", SizeText(server.result_bytes));
  out.Text("timeout", TimeText(server.timeout));
  for (const ArgumentRule& rule : server.rules) {
    out.Row(title + ".rules");
    out.Text("tool", rule.tool);
    out.Text("argument", rule.argument);
    out.Texts("in", rule.in);
    out.Text("matches", rule.matches);
  }
}

void WriteDatabase(Writer& out, const std::string& title, const DatabaseTerms& terms) {
  out.Table(title);
  out.Text("sqlite", terms.sqlite);
  out.Text("postgres", terms.postgres);
  out.Text("write_postgres", terms.write_postgres);
  out.Text("role", terms.role);
  out.Text("write_role", terms.write_role);
  if (terms.unsafe_superuser) out.Flag("unsafe_superuser", true);
  out.Text("write", terms.write == DatabaseWrites::kAsk ? "ask" : "never");
  out.Count("max_rows", terms.max_rows);
  out.Text("max_bytes", SizeText(terms.max_bytes));
  out.Text("timeout", TimeText(terms.timeout));
  out.Text("hold", TimeText(terms.hold));
  out.Count("max_calls", terms.max_calls);
  out.Count("calls_per_minute", terms.calls_per_minute);
  out.Count("max_connections", terms.max_connections);
}

void WriteLanguage(Writer& out, const std::string& title, const LanguageTerms& terms) {
  out.Table(title);
  out.Text("imports", ImportsName(terms.imports));
  out.AllTexts("forbidden", terms.forbidden);
  out.AllTexts("allowed", terms.allowed);
  if (title == "python") {
    out.AllTexts("members", terms.members);
    out.Flag("guard", terms.guard);
  }
}

void WriteNotes(Writer& out, const std::string& title, const LanguageTerms& terms) {
  bool begun = false;
  for (const auto& [module, risk] : terms.risks) {
    if (std::ranges::find(terms.allowed, module) == terms.allowed.end()) continue;
    if (!std::exchange(begun, true)) out.Table(title);
    out.Put(Quoted(module), fmt::format("{{ files = {}, network = {}, memory = {}, note = {} }}",
                                        risk.files, risk.network, risk.memory, Quoted(risk.note)));
  }
}

}  // namespace

std::string PolicyText(const Policy& policy) {
  Writer out;
  out.Text("description", policy.description);
  out.Text("backend", request::BackendName(policy.backend));
  out.Flag("strict_gvisor", policy.strict_gvisor);
  WriteActions(out, policy);
  WriteWishes(out, policy);
  WriteRecovery(out, "recovery", policy.recovery);
  for (const auto& [caller, terms] : policy.recovery_of) {
    WriteRecovery(out, "callers." + Quoted(caller) + ".recovery", terms);
  }
  if (policy.network != NetworkTerms()) WriteNetwork(out, policy.network);
  if (!policy.artefacts.empty()) out.Table("artefacts");
  out.Texts("allow", policy.artefacts);
  for (const auto& [name, server] : policy.tools) WriteServer(out, "tools." + Quoted(name), server);
  for (const auto& [name, terms] : policy.databases) {
    WriteDatabase(out, "databases." + Quoted(name), terms);
  }
  WriteLanguage(out, "python", policy.python);
  WriteLanguage(out, "javascript", policy.javascript);
  WriteNotes(out, "modules.python", policy.python);
  WriteNotes(out, "modules.javascript", policy.javascript);
  return out.text;
}

}  // namespace belljar::judgement::policy
