// The Python guest's end of the control stream, without Python: each object that interpreter code
// touches after a fork is a page to be copied, and this is the part that every run goes through.
//
// The same rules as class Control in guest.py, which serves where this module cannot be loaded.
#pragma once

#include <cstddef>
#include <cstdint>

namespace belljar::isolate {

// Takes `fd` as the control stream of this process; its children lose it at their fork.
void OpenControl(int fd);

// Whether no RUN has come for a few milliseconds: this cell waits in a pool, and has time.
bool NobodyAsks();

// Reads the header of the one RUN frame: the size of its payload. Ends the process when the
// supervisor closes instead, or sends anything else.
std::size_t ReadRunHeader(std::size_t max);
void ReadRun(char* payload, std::size_t size);

// Sends a frame, unless this is another process or the program has put something else at the
// descriptor's number. Gives up after a second: a supervisor that does not read must not keep a
// finished program alive.
void SendControl(std::uint8_t type, const char* payload, std::size_t size);

}  // namespace belljar::isolate
