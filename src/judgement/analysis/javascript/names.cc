#include "judgement/analysis/javascript/names.h"

#include <iterator>
#include <map>
#include <set>
#include <span>

namespace belljar::judgement::analysis::javascript {
namespace {

using std::string_view;
using Names = std::set<string_view>;
using RuleOf = std::map<string_view, string_view>;

constexpr string_view kModule = "node:";

struct Renamed {
  string_view from;
  string_view to;
};
constexpr Renamed kAliases[] = {
    {"global", "globalThis"},
    {"window", "globalThis"},
    {"self", "globalThis"},
    {"frames", "globalThis"},
    {"node:process", "process"},
    {"node:console", "console"},
    {"node:fs.promises", "node:fs/promises"},
    {"node:dns.promises", "node:dns/promises"},
    {"node:path.posix", "node:path"},
    {"node:path/posix", "node:path"},
    {"node:fs-extra", "node:fs"},
    {"node:graceful-fs", "node:fs"},
    {"node:module.Module", "node:module"},
    {"process.mainModule", "module"},
    {"require.main", "module"},
    {"module.parent", "module"},
    {"module.constructor", "node:module"},
    {"module.require", "require"},
    {"import.meta.require", "require"},
    {"node:module.prototype.require", "require"},
    {"node:module._load", "require"},
    {"process.getBuiltinModule", "require"},
    {"node:buffer.Buffer", "Buffer"},
    {"node:buffer.atob", "atob"},
    {"node:url.URL", "URL"},
    {"node:util.TextDecoder", "TextDecoder"},
    {"node:timers.setTimeout", "setTimeout"},
    {"node:timers.setInterval", "setInterval"},
    {"node:timers.setImmediate", "setImmediate"},
};

struct Group {
  string_view rule;
  std::span<const string_view> names;
};

constexpr string_view kProcessModules[] = {"child_process",
                                           "cluster",
                                           "worker_threads",
                                           "execa",
                                           "shelljs",
                                           "cross-spawn",
                                           "node-pty",
                                           "zx",
                                           "spawn-sync",
                                           "sudo-prompt",
                                           "threads",
                                           "piscina",
                                           "pm2"};
constexpr string_view kNetworkModules[] = {"net",
                                           "http",
                                           "https",
                                           "http2",
                                           "tls",
                                           "dgram",
                                           "dns",
                                           "dns/promises",
                                           "undici",
                                           "axios",
                                           "node-fetch",
                                           "got",
                                           "ws",
                                           "request",
                                           "superagent",
                                           "needle",
                                           "socket.io",
                                           "socket.io-client",
                                           "nodemailer",
                                           "ssh2",
                                           "ftp",
                                           "basic-ftp",
                                           "mqtt",
                                           "amqplib",
                                           "redis",
                                           "ioredis",
                                           "mysql",
                                           "mysql2",
                                           "pg",
                                           "mongodb",
                                           "mongoose",
                                           "puppeteer",
                                           "playwright",
                                           "express",
                                           "koa",
                                           "fastify",
                                           "phin",
                                           "bent",
                                           "ky",
                                           "isomorphic-fetch",
                                           "cross-fetch",
                                           "_http_client",
                                           "_http_server",
                                           "_http_agent",
                                           "_tls_wrap",
                                           "_tls_common",
                                           "request-promise",
                                           "quic",
                                           "kafkajs",
                                           "imap",
                                           "simple-git",
                                           "http-proxy",
                                           "websocket",
                                           "faye-websocket",
                                           "node-ssh"};
constexpr string_view kNativeModules[] = {"ffi-napi",
                                          "ffi",
                                          "koffi",
                                          "ref-napi",
                                          "ref",
                                          "bindings",
                                          "node-gyp-build",
                                          "wasi",
                                          "edge-js",
                                          "sbffi",
                                          "ffi-rs",
                                          "node-pre-gyp",
                                          "@mapbox/node-pre-gyp",
                                          "bun:ffi"};
constexpr string_view kCodeModules[] = {"vm",          "vm2",       "isolated-vm",
                                        "safe-eval",   "node-eval", "require-from-string",
                                        "static-eval", "notevil"};
constexpr string_view kEngineModules[] = {"inspector", "inspector/promises", "repl",
                                          "trace_events"};
// Rules by module. Members of a module fall under the same rule.
constexpr Group kModules[] = {{"js-process", kProcessModules},
                              {"js-network", kNetworkModules},
                              {"js-native", kNativeModules},
                              {"js-eval", kCodeModules},
                              {"js-module-internals", kEngineModules}};

constexpr string_view kCodeNames[] = {"eval", "Function", "execScript"};
constexpr string_view kNetworkNames[] = {
    "fetch",       "WebSocket",         "WebSocketStream",      "WebTransport",  "XMLHttpRequest",
    "EventSource", "RTCPeerConnection", "navigator.sendBeacon", "importScripts", "Deno.connect",
    "Deno.listen", "Bun.serve",         "Bun.connect"};
constexpr string_view kProcessNames[] = {"Deno.run", "Deno.Command", "Bun.spawn",   "Bun.spawnSync",
                                         "Bun.$",    "Worker",       "SharedWorker"};
constexpr string_view kNativeNames[] = {"process.dlopen",         "process.binding",
                                        "process._linkedBinding", "process.internalBinding",
                                        "internalBinding",        "Deno.dlopen"};
constexpr string_view kWasmNames[] = {
    "WebAssembly.compile",  "WebAssembly.instantiate",      "WebAssembly.Module",
    "WebAssembly.Instance", "WebAssembly.compileStreaming", "WebAssembly.instantiateStreaming"};
constexpr string_view kControlNames[] = {
    "process.kill",       "process._kill",   "process.abort",      "process.setuid",
    "process.setgid",     "process.seteuid", "process.setegid",    "process.setgroups",
    "process.initgroups", "process.report",  "process.reallyExit", "node:os.setPriority"};
constexpr string_view kEngineNames[] = {"process.mainModule",
                                        "process._debugProcess",
                                        "process._debugEnd",
                                        "process._getActiveHandles",
                                        "process._getActiveRequests",
                                        "process._preload_modules",
                                        "require.cache",
                                        "require.main",
                                        "require.extensions",
                                        "module.constructor",
                                        "module.children",
                                        "module.parent",
                                        "module.paths",
                                        "module._compile",
                                        "node:module.prototype",
                                        "node:module.wrapper",
                                        "node:module.wrap",
                                        "node:module.register",
                                        "node:module.registerHooks",
                                        "node:module.runMain",
                                        "node:module.globalPaths",
                                        "node:async_hooks.createHook",
                                        "node:async_hooks.executionAsyncResource"};
// Rules by raw name, for globals and members.
constexpr Group kDangerousNames[] = {{"js-eval", kCodeNames},
                                     {"js-network", kNetworkNames},
                                     {"js-process", kProcessNames},
                                     {"js-native", kNativeNames},
                                     {"js-wasm", kWasmNames},
                                     {"js-process-control", kControlNames},
                                     {"js-module-internals", kEngineNames}};

constexpr string_view kBuiltins[] = {"Object",
                                     "Array",
                                     "String",
                                     "Number",
                                     "Boolean",
                                     "Symbol",
                                     "BigInt",
                                     "Promise",
                                     "RegExp",
                                     "Date",
                                     "Map",
                                     "Set",
                                     "WeakMap",
                                     "WeakSet",
                                     "Error",
                                     "TypeError",
                                     "RangeError",
                                     "Math",
                                     "JSON",
                                     "Reflect",
                                     "Proxy",
                                     "Function",
                                     "Buffer",
                                     "ArrayBuffer",
                                     "Uint8Array",
                                     "Int8Array",
                                     "Atomics",
                                     "Intl",
                                     "Iterator",
                                     "Float64Array",
                                     "URL",
                                     "TextDecoder",
                                     "parseInt",
                                     "parseFloat",
                                     "isNaN",
                                     "setTimeout",
                                     "setInterval",
                                     "queueMicrotask",
                                     "atob",
                                     "btoa",
                                     "eval",
                                     "fetch",
                                     "require",
                                     "structuredClone",
                                     "decodeURIComponent",
                                     "encodeURIComponent"};

RuleOf RulesOf(std::span<const Group> groups) {
  RuleOf rules;
  for (const auto& [rule, names] : groups) {
    for (const string_view name : names) rules.emplace(name, rule);
  }
  return rules;
}

const RuleOf& ModuleRules() {
  static const RuleOf rules = RulesOf(kModules);
  return rules;
}

const RuleOf& NameRules() {
  static const RuleOf rules = RulesOf(kDangerousNames);
  return rules;
}

const RuleOf& Aliases() {
  static const RuleOf aliases = [] {
    RuleOf made;
    for (const auto& [from, to] : kAliases) made.emplace(from, to);
    return made;
  }();
  return aliases;
}

const Names& BuiltinNames() {
  static const Names names(std::begin(kBuiltins), std::end(kBuiltins));
  return names;
}

bool IsHarmlessOfV8(string_view member) {
  static const Names names = {"serialize", "getHeapStatistics", "getHeapSpaceStatistics",
                              "cachedDataVersionTag", "getHeapCodeStatistics"};
  return names.contains(member);
}

std::optional<Danger> DangerOfModuleMember(string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == string_view::npos) return std::nullopt;
  const string_view module = name.substr(kModule.size(), dot - kModule.size());
  const string_view member = name.substr(dot + 1);
  const auto whole = ModuleRules().find(module);
  if (whole != ModuleRules().end()) return Danger{whole->second, std::string(Shown(name))};
  const bool is_internal = (module == "module" && member.starts_with('_')) ||
                           (module == "v8" && !IsHarmlessOfV8(member)) ||
                           module.starts_with("internal/");
  if (!is_internal) return std::nullopt;
  return Danger{"js-module-internals", std::string(Shown(name))};
}

}  // namespace

string_view Shown(string_view name) {
  return name.starts_with(kModule) ? name.substr(kModule.size()) : name;
}

std::string ModuleName(string_view specifier) {
  if (specifier.starts_with(kModule)) specifier.remove_prefix(kModule.size());
  while (specifier.size() > 1 && specifier.ends_with('/')) specifier.remove_suffix(1);
  return CanonicalName(std::string(kModule) + std::string(specifier));
}

std::string RawMember(string_view base, string_view member) {
  if (IsGlobalObject(base)) return std::string(member);
  return std::string(base) + "." + std::string(member);
}

std::string CanonicalName(std::string name) {
  if (name.starts_with(kModule) && name.ends_with(".default")) name.resize(name.size() - 8);
  const auto alias = Aliases().find(name);
  if (alias != Aliases().end()) return std::string(alias->second);
  // For modules that are globals too, "node:process" becomes "process" before a member is appended,
  // so names such as "node:process.kill" do not occur.
  return name;
}

std::optional<Danger> DangerOfModule(string_view module) {
  const auto found = ModuleRules().find(module);
  if (found != ModuleRules().end()) return Danger{found->second, std::string(module)};
  if (module.ends_with(".node")) return Danger{"js-native", std::string(module)};
  if (module.starts_with("internal/")) return Danger{"js-module-internals", std::string(module)};
  return std::nullopt;
}

std::optional<Danger> DangerOfName(string_view name) {
  const auto found = NameRules().find(name);
  if (found != NameRules().end()) return Danger{found->second, std::string(Shown(name))};
  if (name.starts_with(kModule)) return DangerOfModuleMember(name);
  return std::nullopt;
}

bool IsShared(string_view name) {
  if (name == "?prototype" || name == "?constructor.prototype") return true;
  constexpr string_view kPrototype = ".prototype";
  if (name.ends_with(kPrototype)) name.remove_suffix(kPrototype.size());
  return BuiltinNames().contains(name);
}

bool IsLibraryPrototype(string_view name) {
  if (!name.ends_with(".prototype")) return false;
  for (const string_view module : {"events", "stream", "http", "https", "net", "url", "util"}) {
    const string_view rest = name.substr(std::min(name.size(), kModule.size()));
    if (rest.starts_with(module) && rest.substr(module.size()).starts_with('.')) return true;
  }
  return false;
}

bool IsGlobalObject(string_view name) { return name == "globalThis"; }

bool IsKnownGlobal(string_view name) {
  static const Names others = {"process", "module",    "exports",   "console",
                               "Buffer",  "undefined", "__dirname", "__filename"};
  const std::string canonical = CanonicalName(std::string(name));
  return others.contains(name) || IsShared(name) || IsGlobalObject(canonical) ||
         IsGate(canonical) || DangerOfName(canonical).has_value();
}

bool IsGate(string_view name) {
  return name == "globalThis" || name == "process" || name == "require" || name == "module" ||
         name == "node:module";
}

bool IsFileModule(string_view name) { return name == "node:fs" || name == "node:fs/promises"; }

}  // namespace belljar::judgement::analysis::javascript
