#include "run/switch_off.h"

namespace belljar::run {

bool CanSwitchOff() { return false; }

Result<SwitchedOff> ParseSwitchOff(std::string_view names) {
  return Error(Kind::kDenied, "this program cannot switch controls off: " + std::string(names));
}

void Lift(const SwitchedOff&, request::Limits&) {}

}  // namespace belljar::run
