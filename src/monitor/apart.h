// Apart: keeps a thread off the CPU of a process that it works with in turns.
//
// A session's guest and the thread that serves it wait for each other; on one CPU each finds the
// caches full of what the other has used, and a statement takes half as long again. Yet schedulers,
// those of virtual machines on purpose, may leave both on one CPU beside an idle one. The guest
// goes where it likes, since what it starts would inherit anything else; our thread makes way.
//
// What the thread starts meanwhile would inherit it, too: new threads are given the CPUs that the
// process had when the first Apart was made, and who starts a process calls UseAllCpus() before.
//
// Not thread-safe.
#pragma once

#include <sched.h>
#include <sys/types.h>

namespace belljar::monitor {

class Apart {
 public:
  Apart();

  // From now on it is the calling thread. Its CPUs are changed as soon as it is known where the
  // process runs.
  void Keep(pid_t process);
  // Finds out where the process is now. From any thread; not at each call, since it takes a while.
  void Look();
  // The thread has all its CPUs again, and what was found out is forgotten.
  void LetGo();

 private:
  struct Thread {
    pid_t id = 0;
    int off = -1;  // which CPU
    cpu_set_t before{};
  };

  void Free();

  pid_t process_ = 0;
  int cpu_ = -1;  // where it last was; -1: not known
  unsigned looks_ = 0;
  Thread kept_;
};

// The CPU on which a process last ran; -1: not known.
int LastCpuOf(pid_t process);

}  // namespace belljar::monitor
