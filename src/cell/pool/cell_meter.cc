#include "cell/pool/cell_meter.h"

#include <fcntl.h>

namespace belljar::cell::pool {
namespace {

std::unique_ptr<limits::Meter> MeterOfGroup(const PreparedCell& prepared,
                                            const limits::CgroupSupport& support,
                                            const request::Limits& limits) {
  if (prepared.group && limits::CountsAll(support)) {
    return std::make_unique<limits::CgroupMeter>(*prepared.group);
  }
  limits::SampleMeter samples(Fd(::fcntl(prepared.cell->procfs().get(), F_DUPFD_CLOEXEC, 3)),
                              limits.memory_bytes);
  if (!prepared.group) return std::make_unique<limits::SampleMeter>(std::move(samples));
  return std::make_unique<limits::MixedMeter>(*prepared.group, std::move(samples));
}

}  // namespace

Result<std::unique_ptr<limits::Meter>> MeterFor(const PreparedCell& prepared,
                                                const limits::CgroupSupport& support,
                                                const request::Limits& limits) {
  auto meter = MeterOfGroup(prepared, support, limits);
  const std::uint32_t room = prepared.cell->runtime_processes();
  if (room == 0) return meter;
  const limits::Reading before = BJ_TRY(meter->Read());
  std::unique_ptr<limits::Meter> contained =
      std::make_unique<limits::ContainedMeter>(std::move(meter), before, limits.processes + room);
  return contained;
}

}  // namespace belljar::cell::pool
