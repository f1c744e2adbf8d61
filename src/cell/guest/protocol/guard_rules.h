// The rules that the guard in a Python interpreter can hold.
//
// The table is guard_rules.toml. make_tables.py writes guard_rules.inc from it when Belljar is
// built, and guard_rules.py for guard.py, so that the supervisor, the guest's native module and the
// guest have the same list.
//
// Without the C++ library, because the Python guest's native module includes it too.
#pragma once

namespace belljar::cell::guest {

struct GuardRule {
  const char* id;          // of a rule of the analysis, "py-eval"
  const char* rule_class;  // "dynamic-code"
};

// GuardKind, the number of each rule that the audit hook holds; and kGuardRules, all of them.
#include "cell/guest/protocol/guard_rules.inc"

}  // namespace belljar::cell::guest
