// The Python guest's end of the control stream, without Python: each object that interpreter code
// touches after a fork is a page to be copied, and this is the part that every run goes through.
//
// The same rules as class Control in control.py, which serves where this module cannot be loaded.
#pragma once

#include <sys/types.h>

#include <cstddef>

#include "cell/guest/protocol/frames.h"

namespace belljar::cell::guest {

// Takes `fd` as the control stream of this process; its children lose it at their fork.
void OpenControl(int fd);

// The same for a process that has become another: `fd` is what it was, behind it is a new stream.
void ResumeControl();

// read(2), but descriptors that come with the bytes are kept until the next ones do.
ssize_t ReadControl(char* bytes, std::size_t size);

// The descriptors that came last, to be closed by whoever takes them; -1 for none.
struct Received {
  int file = -1;
  int base = -1;
};
Received TakeReceived();

// Whether no RUN has come for a few milliseconds: this cell waits in a pool, and has time.
bool NobodyAsks();

// What the supervisor asks for: RUN, SESSION or RESTORE.
struct AskedHeader {
  FrameType type;
  std::size_t size;  // of the payload
};
// Ends the process when the supervisor closes instead, or sends anything else.
AskedHeader ReadAskedHeader(std::size_t max);
void ReadAsked(char* payload, std::size_t size);

enum class Patience {
  kOneSecond,  // a supervisor that does not read must not keep a finished program alive
  kEndless,    // half a frame would be the end of a session
};

// Sends a frame, unless this is another process or the program has put something else at the
// descriptor's number. Threads take turns.
void SendControl(FrameType type, const char* payload, std::size_t size, Patience patience);

}  // namespace belljar::cell::guest
