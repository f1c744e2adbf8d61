// SessionWitness: who is told of sessions, so that they are not forgotten when this process is.
#pragma once

#include <span>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "result/workspace.h"

namespace belljar::engine {

struct SessionInfo;

// What can become of a session besides its end.
enum class Turning {
  kPaused,
  kResumed,
  kDropped,  // removed while it was paused
};

// Called from any thread, without a lock held.
class SessionWitness {
 public:
  virtual ~SessionWitness() = default;

  // Before sessions that came into being together are given out. An error takes all back.
  virtual Result<> Began(std::span<const SessionInfo> infos) = 0;
  // Before it is done. An error prevents it.
  virtual Result<> Turns(const SessionInfo& info, Turning what) = 0;
  // After a run and before its answer, and after a caller has had its hands on the files. `seen`:
  // what is in the workspace, where that has just been looked at; may be null.
  virtual void Used(const std::string& id, const Fd& workspace, const result::Listing* seen) = 0;
  // Once for each session; its processes have been killed, its workspace is still there.
  virtual void Ended(const SessionInfo& info, const Fd& workspace) = 0;
};

}  // namespace belljar::engine
