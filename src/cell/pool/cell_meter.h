// Chooses the best available way to measure the resource usage of a cell.
#pragma once

#include <memory>

#include "cell/limits/meter.h"
#include "cell/pool/cell_factory.h"

namespace belljar::cell::pool {

// The cell must outlive the meter.
Result<std::unique_ptr<limits::Meter>> MeterFor(const PreparedCell& prepared,
                                                const limits::CgroupSupport& support,
                                                const request::Limits& limits);

}  // namespace belljar::cell::pool
