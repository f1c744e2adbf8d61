// The Python guest's end of the control stream, written in C++: each Python object that is touched
// after a fork is a page to be copied, and every run uses this code.
//
// Follows the same rules as class Control in control.py, which is used where this module cannot be
// loaded.
#pragma once

#include <sys/types.h>

#include <cstddef>

#include "cell/guest/protocol/frames.h"

namespace belljar::cell::guest {

// Makes `fd` the control stream of this process; children made by fork() close it.
void OpenControl(int fd);

// The same for a restored process: `fd` has its old number, but leads to a new stream.
void ResumeControl();

// read(2) that also keeps the descriptors passed with the bytes, until the next ones arrive.
ssize_t ReadControl(char* bytes, std::size_t size);

// Returns the descriptors that arrived last, which the caller must close; -1 for none.
struct Received {
  int file = -1;
  int base = -1;
};
Received TakeReceived();

// Whether no RUN has arrived for a few milliseconds: then the cell waits in a pool, and has time.
bool NobodyAsks();

// The header of a request of the supervisor: RUN, SESSION or RESTORE.
struct AskedHeader {
  FrameType type;
  std::size_t size;  // of the payload
};
// Exits if the supervisor closes the stream instead, or sends anything else.
AskedHeader ReadAskedHeader(std::size_t max);
void ReadAsked(char* payload, std::size_t size);

enum class Patience {
  kOneSecond,  // a supervisor that does not read must not keep a finished program alive
  kEndless,    // an incomplete frame would end the session
};

// Sends a frame, unless this is a forked child or the program has replaced the descriptor. Threads
// are serialized.
void SendControl(FrameType type, const char* payload, std::size_t size, Patience patience);

}  // namespace belljar::cell::guest
