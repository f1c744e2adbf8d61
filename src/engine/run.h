// The middle stages of a request, between placing it and judging it.
#pragma once

#include "engine/engine.h"
#include "guest/wire.h"
#include "monitor/meter.h"
#include "monitor/watch.h"
#include "result/capture.h"

namespace belljar::engine {

// What the supervisor saw of a run. Only `report` is the guest's own word.
struct Observed {
  explicit Observed(const policy::Limits& limits) : capture(limits) {}

  monitor::WatchEnd end;
  monitor::Reading reading;
  result::Capture capture;
  guest::GuestReport report;
};

Result<Observed> Execute(const policy::Request& request, session::PreparedCell& prepared,
                         const monitor::CgroupSupport& support, const RunHooks& hooks);

}  // namespace belljar::engine
