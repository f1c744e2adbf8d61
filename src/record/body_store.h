// BodyStore: content-addressed storage of code, inputs and outputs, each under its SHA-256, for a
// limited time.
//
// The log holds only digests. The bodies behind them are files STATE/bodies/ab/cdef…, removed once
// the retention time since they were last stored has passed. A missing body never invalidates the
// log.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "foundation/base/result.h"
#include "record/files.h"

namespace belljar::record {

constexpr std::size_t kMaxBodyBytes = 256 << 20;

// The digest as "sha256:" and 64 hexadecimal digits.
std::string BodyDigest(std::string_view bytes);
// The path "bodies/ab/cdef…", relative to STATE. Fails if `digest` is malformed.
Result<std::string> BodyPath(std::string_view digest);

// Reads a body and checks it against its digest; nullopt if there is none.
Result<std::optional<std::string>> ReadBody(const std::string& state_dir, std::string_view digest);

// Removes bodies last stored before `before`, and temporary files that a crash left. Returns how
// many.
Result<std::size_t> RemoveOldBodies(const LogFiles& files, const std::string& state_dir,
                                    std::chrono::system_clock::time_point before);

}  // namespace belljar::record
