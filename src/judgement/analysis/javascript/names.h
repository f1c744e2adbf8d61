// Names of things outside the text: globals ("eval", "process.binding") and modules, which are
// written "node:fs" whether or not the text says so, with their members ("node:fs.readFile").
// Unknown things that lead somewhere have names too: "?constructor", "?prototype".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace belljar::judgement::analysis::javascript {

// The one name for things that have several: "window.eval" is "eval", and "node:process" is
// "process".
std::string CanonicalName(std::string name);
// `member` of `base`, before it is made canonical.
std::string RawMember(std::string_view base, std::string_view member);
// "node:fs" for "fs", "node:fs" and "fs/".
std::string ModuleName(std::string_view specifier);
// A name without the "node:".
std::string_view Shown(std::string_view name);

struct Danger {
  std::string_view rule;
  std::string subject;
};
// What it is about a module, when it is loaded.
std::optional<Danger> DangerOfModule(std::string_view module);
// What it is about a global or a member, by its raw name.
std::optional<Danger> DangerOfName(std::string_view name);

// Those whose members others rely on: "JSON", "Array", "Array.prototype".
bool IsShared(std::string_view name);
// True for the prototypes of Node's own classes: "node:events.EventEmitter.prototype".
bool IsLibraryPrototype(std::string_view name);
bool IsGlobalObject(std::string_view name);
// What Node offers under that name without being asked: to assign to it makes no new variable.
bool IsKnownGlobal(std::string_view name);
// Objects from which everything can be reached, if only one may choose the member.
bool IsGate(std::string_view name);
bool IsFileModule(std::string_view name);
// A variable that names credentials of the machine; one that changes how programs start.
bool IsSecretVariable(std::string_view name);
bool IsSteeringVariable(std::string_view name);

}  // namespace belljar::judgement::analysis::javascript
