// The best means to count what a cell uses.
#pragma once

#include <memory>

#include "monitor/meter.h"
#include "session/cell_factory.h"

namespace belljar::session {

// The cell must outlive the meter.
Result<std::unique_ptr<monitor::Meter>> MeterFor(const PreparedCell& prepared,
                                                 const monitor::CgroupSupport& support,
                                                 const policy::Limits& limits);

}  // namespace belljar::session
