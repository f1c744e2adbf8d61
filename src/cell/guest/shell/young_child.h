// Which children of a shell a signal cannot have reached.
//
// Between its fork and its exec a child still has the shell's signal handlers, and a SIGINT that
// comes then is lost; so is one that comes before the fork. The shell sees its child end in another
// way than by SIGINT and goes on. Who interrupts a shell must therefore look again.
#pragma once

#include <sys/types.h>

namespace belljar::cell::guest {

double SecondsSinceBoot();

// Whether `shell` has a child now that was not there, or not yet itself, at `moment`.
bool HasYoungChild(pid_t shell, double moment);

}  // namespace belljar::cell::guest
