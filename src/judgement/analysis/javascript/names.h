// Names of things defined outside the program: globals ("eval", "process.binding"), and Node's
// modules with their members. Modules are always written with the prefix ("node:fs.readFile"),
// whether or not the program writes it. Unknown objects that lead to dangerous ones have names too:
// "?constructor", "?prototype".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace belljar::judgement::analysis::javascript {

// Maps the aliases of a name to one canonical name: "window.eval" becomes "eval", and
// "node:process" becomes "process".
std::string CanonicalName(std::string name);
// The name of `member` of `base`, not yet canonical.
std::string RawMember(std::string_view base, std::string_view member);
// The canonical name of a module: "node:fs" for "fs", "node:fs" and "fs/".
std::string ModuleName(std::string_view specifier);
// The name for display, without "node:".
std::string_view Shown(std::string_view name);

struct Danger {
  std::string_view rule;
  std::string subject;
};
// The rule that applies to loading a module, if any.
std::optional<Danger> DangerOfModule(std::string_view module);
// The rule that applies to a global or a member, by its raw name.
std::optional<Danger> DangerOfName(std::string_view name);

// True for objects whose members all code shares, so that changing them is tampering: "JSON",
// "Array", "Array.prototype".
bool IsShared(std::string_view name);
// True for the prototypes of Node's own classes: "node:events.EventEmitter.prototype".
bool IsLibraryPrototype(std::string_view name);
bool IsGlobalObject(std::string_view name);
// True for globals that Node defines: assigning to one does not create a new variable.
bool IsKnownGlobal(std::string_view name);
// True for objects from which any code can be reached by a freely chosen member name.
bool IsGate(std::string_view name);
bool IsFileModule(std::string_view name);
// IsSecretVariable: environment variables that hold credentials. IsSteeringVariable: those that
// change how programs start.
bool IsSecretVariable(std::string_view name);
bool IsSteeringVariable(std::string_view name);

}  // namespace belljar::judgement::analysis::javascript
