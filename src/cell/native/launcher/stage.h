// The stage: the root directory of an image, built once by the agent. Every zygote and every cell
// of the image starts from it.
#pragma once

#include "cell/native/launcher/orders.h"

namespace belljar::cell::native {

// The guests' own files, embedded in this program.
inline constexpr const char* kGuestFileNames[] = {
    "guest.py",           "control.py",     "displays.py",   "ending.py", "frames.py",
    "guard.py",           "guard_rules.py", "notebook.py",   "rich.py",   "session.py",
    "showing.py",         "statements.py",  "guest.js",      "frames.js", "session.js",
    "session_display.js", "lib/belljar.py", "lib/belljar.js"};
inline constexpr int kGuestFileCount = 18;

// Files written to /.belljar: these, then kGuestFileNames. The supervisor sends their descriptors
// in this order. guest.pyc may be empty and is then not written.
inline constexpr const char* kOtherFileNames[] = {"guest.pyc", "_belljar.abi3.so",
                                                  "libbelljar-deterministic.so",
                                                  "bin/belljar-tools", "libnss_belljar.so.2"};
inline constexpr int kOtherFileCount = 5;
inline constexpr int kRuntimeFileCount = kOtherFileCount + kGuestFileCount;

constexpr const char* RuntimeFileName(int i) {
  return i < kOtherFileCount ? kOtherFileNames[i] : kGuestFileNames[i - kOtherFileCount];
}

// Moves the calling process into the image's root. On failure it reports on `report_fd` and exits.
void BuildStage(const StageOrder& order, const int (&runtime_files)[kRuntimeFileCount],
                int report_fd);

}  // namespace belljar::cell::native
