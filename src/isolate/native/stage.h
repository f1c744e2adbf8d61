// The stage: the image's root, built once by the agent, that every zygote and cell starts from.
#pragma once

#include "isolate/native/orders.h"

namespace belljar::isolate {

// What is written to /.belljar, in the order in which the supervisor sends the descriptors.
// guest.pyc may be empty: then there is none.
inline constexpr const char* kRuntimeFileNames[] = {
    "guest.py", "guest.pyc", "guest.js", "_belljar.abi3.so", "libbelljar-deterministic.so"};
inline constexpr int kRuntimeFileCount = 5;

// Moves the calling process into the image's root. Reports on `report_fd` and ends on failure.
void BuildStage(const StageOrder& order, const int (&runtime_files)[kRuntimeFileCount],
                int report_fd);

}  // namespace belljar::isolate
