// Steps of building that native cells and containers share. True: done; false: errno says why not.
// None of them allocates.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace belljar::cell::native {

// Enters a new user namespace in which the caller is root and no other id is mapped.
bool EnterMappedUser(std::uint32_t outer_uid, std::uint32_t outer_gid);

// Copies `source` to a new file at `path`. An empty source makes no file.
bool CopyInto(int source, const char* path);

bool MakeOwnedDir(int parent, const char* name, std::uint32_t uid, mode_t mode);

// Tells the supervisor on `socket` that all is ready, and passes descriptors to it.
bool ReportReady(int socket, const int* fds, std::size_t count);

// Waits for a byte. True: the supervisor has sent one; false: it has closed the socket.
bool AwaitByte(int socket);

}  // namespace belljar::cell::native
