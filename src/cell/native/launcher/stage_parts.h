// Steps that native cells and containers have in common while they are built. True: done; false:
// errno says why not. None of them allocates.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace belljar::cell::native {

// A new user namespace in which the caller is root and nobody else exists.
bool EnterMappedUser(std::uint32_t outer_uid, std::uint32_t outer_gid);

// A new file at `path` with the content of `source`. What is empty is not there at all.
bool CopyInto(int source, const char* path);

bool MakeOwnedDir(int parent, const char* name, std::uint32_t uid, mode_t mode);

// Says on `socket` that all is ready, and hands over descriptors.
bool ReportReady(int socket, const int* fds, std::size_t count);

// True when the supervisor has spoken, false when it has gone.
bool AwaitByte(int socket);

}  // namespace belljar::cell::native
