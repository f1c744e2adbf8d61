// Names of the Python world that matter: what they lead to, and which rule speaks of them.
#pragma once

#include <string_view>

#include "judgement/analysis/rule.h"

namespace belljar::judgement::analysis::python {

// The rule that a reference to that canonical name falls under; null: none.
const Rule* RuleOfName(std::string_view name);

// True for importlib.metadata, importlib.resources and what of them imports nothing.
bool IsHarmlessOfImportlib(std::string_view name);
// True for the types of functions and code, which are asked for more often than called.
bool IsCodeType(std::string_view name);

// The rule for an attribute of that name, of whatever object; null: none.
const Rule* RuleOfAttribute(std::string_view attribute);

// True for names that hardly anything but a door to the system has.
bool IsDangerousMember(std::string_view attribute);

// True for modules that a name which is bound nowhere may well mean.
bool IsWellKnownModule(std::string_view name);

// True for modules whose members are judged one by one ("os", "sys").
bool IsFacade(std::string_view module);

// python_tables.cc
// True for modules of the library whose members others rely on.
bool IsReliedOn(std::string_view module);
// True for the mapping of a module's names: "builtins", "json.__dict__".
bool IsModuleTable(std::string_view name);
// True for what sets variables of the environment.
bool SetsVariables(std::string_view name);

// True for functions whose first argument is a path.
bool TakesPath(std::string_view name);
// The same for methods, of objects that are themselves a path.
bool IsPathMethod(std::string_view method);

// Whether a call of that name may read what makes objects, or ask for too much.
bool MayDeserialise(std::string_view name);
bool MayBeBomb(std::string_view name);
// The same for methods: whether they may ask for too much, or change the table of a module.
bool MayBeBombMethod(std::string_view method);
bool MayTouchTable(std::string_view method);
// True for functions that import a module, or run a text, which an argument names.
bool IsDoor(std::string_view name);

// python_paths.cc
// True for functions of libraries that are named like what opens a file or an address:
// "cv2.imread", "polars.read_csv".
bool SoundsLikeOpening(std::string_view name);
// The class of what a call of that name makes, where its methods are judged by name; "@object" for
// what has any members and leads nowhere; else empty.
std::string_view ClassMadeBy(std::string_view name);
// The file that an SQL text attaches as a database; empty: none.
std::string_view AttachedBy(std::string_view sql);

}  // namespace belljar::judgement::analysis::python
