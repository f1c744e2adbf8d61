// Finds children of a shell that a signal may have missed.
//
// Between its fork and its exec a child still has the shell's signal handlers, so a SIGINT in that
// interval is lost; so is one that comes before the fork. The shell then sees its child end for
// another reason than SIGINT and continues. Therefore, after interrupting a shell, check again.
#pragma once

#include <sys/types.h>

namespace belljar::cell::guest {

double SecondsSinceBoot();

// Whether `shell` has a child that was forked after `moment`, or had not yet exec'd then.
bool HasYoungChild(pid_t shell, double moment);

}  // namespace belljar::cell::guest
