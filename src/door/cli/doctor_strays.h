// What ended processes of Belljar have left on this machine, besides what is in Docker.
//
// Control groups of processes that are no more, wherever they are; and of the state directory, if
// no daemon serves it, the socket that a killed one listened on, saved containers that no session
// has any more, and sessions whose putting aside was cut short. Files of ended sessions and paused
// sessions are kept on purpose, and are none of these.
#pragma once

#include <string>
#include <vector>

#include "door/cli/doctor_docker.h"

namespace belljar::door::cli {

struct Stray {
  std::string what;     // in words
  std::string trouble;  // why it could not be removed
};

// With kRemove they are gone afterwards, but for those with trouble.
std::vector<Stray> StraysOnDisk(const std::string& state_dir, Strays what);

}  // namespace belljar::door::cli
