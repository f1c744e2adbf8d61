#include "session/cell_meter.h"

#include <fcntl.h>

namespace belljar::session {
namespace {

std::unique_ptr<monitor::Meter> MeterOfGroup(const PreparedCell& prepared,
                                             const monitor::CgroupSupport& support,
                                             const policy::Limits& limits) {
  if (prepared.group && monitor::CountsAll(support)) {
    return std::make_unique<monitor::CgroupMeter>(*prepared.group);
  }
  monitor::SampleMeter samples(Fd(::fcntl(prepared.cell->procfs().get(), F_DUPFD_CLOEXEC, 3)),
                               limits.memory_bytes);
  if (!prepared.group) return std::make_unique<monitor::SampleMeter>(std::move(samples));
  return std::make_unique<monitor::MixedMeter>(*prepared.group, std::move(samples));
}

}  // namespace

Result<std::unique_ptr<monitor::Meter>> MeterFor(const PreparedCell& prepared,
                                                 const monitor::CgroupSupport& support,
                                                 const policy::Limits& limits) {
  auto meter = MeterOfGroup(prepared, support, limits);
  const std::uint32_t room = prepared.cell->runtime_processes();
  if (room == 0) return meter;
  const monitor::Reading before = BJ_TRY(meter->Read());
  std::unique_ptr<monitor::Meter> contained =
      std::make_unique<monitor::ContainedMeter>(std::move(meter), before, limits.processes + room);
  return contained;
}

}  // namespace belljar::session
