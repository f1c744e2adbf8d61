// BodyStore: code, inputs and outputs, each under the SHA-256 of its bytes, for a stated time.
//
// The log holds digests; what they are digests of is kept here, in STATE/bodies/ab/cdef…, until
// the retention time has passed since it was last put. That a body is gone never harms the log.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "audit/files.h"
#include "base/result.h"

namespace belljar::audit {

constexpr std::size_t kMaxBodyBytes = 256 << 20;

// "sha256:" and 64 hex digits.
std::string BodyDigest(std::string_view bytes);
// "bodies/ab/cdef…", below STATE. Fails when it is no digest.
Result<std::string> BodyPath(std::string_view digest);

// The body, checked against its digest; nothing when there is none.
Result<std::optional<std::string>> ReadBody(const std::string& state_dir, std::string_view digest);

// Removes bodies put before `before`, and what a crash left unfinished. Returns how many.
Result<std::size_t> RemoveOldBodies(const LogFiles& files, const std::string& state_dir,
                                    std::chrono::system_clock::time_point before);

}  // namespace belljar::audit
