// The table of library names that the rules report, and predicates on names.
#pragma once

#include <string_view>

#include "judgement/analysis/rule.h"

namespace belljar::judgement::analysis::python {

// The rule that reports a reference to this canonical name; null if there is none.
const Rule* RuleOfName(std::string_view name);

// True for importlib.metadata, importlib.resources and other parts of importlib that import
// nothing.
bool IsHarmlessOfImportlib(std::string_view name);
// True for the types of functions and code objects, which programs use in type tests more often
// than they call them.
bool IsCodeType(std::string_view name);

// The rule that reports this attribute on any object; null if there is none.
const Rule* RuleOfAttribute(std::string_view attribute);

// True for attribute names that occur almost only on objects that give access to the system, such
// as os.
bool IsDangerousMember(std::string_view attribute);

// True for modules that an unbound name probably refers to.
bool IsWellKnownModule(std::string_view name);

// True for modules whose members are judged one by one ("os", "sys").
bool IsFacade(std::string_view module);

// tables.cc
// True for standard modules on which other code relies, so that changing them is tampering.
bool IsReliedOn(std::string_view module);
// True for names that stand for a module's dictionary: "builtins", "json.__dict__".
bool IsModuleTable(std::string_view name);
// True for functions that set environment variables.
bool SetsVariables(std::string_view name);

// True for functions whose first argument is a path.
bool TakesPath(std::string_view name);
// True for methods of path objects that use the object itself as a path.
bool IsPathMethod(std::string_view method);

// Whether a call of that function may deserialise objects, or use too much memory or time.
bool MayDeserialise(std::string_view name);
bool MayBeBomb(std::string_view name);
// The same for methods: whether they may use too much, or may change a module's dictionary.
bool MayBeBombMethod(std::string_view method);
bool MayTouchTable(std::string_view method);
// True for functions that import a module or run source text that an argument names or contains.
bool IsDoor(std::string_view name);

// paths.cc
// True for library functions whose names suggest that they open a file or a URL: "cv2.imread",
// "polars.read_csv".
bool SoundsLikeOpening(std::string_view name);
// The class of the object that a function returns, for classes whose methods are judged by name.
// "@object" for objects whose members are all harmless; empty for other functions.
std::string_view ClassMadeBy(std::string_view name);
// The database file that an SQL statement attaches; empty if there is none.
std::string_view AttachedBy(std::string_view sql);

}  // namespace belljar::judgement::analysis::python
