#include "service/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <vector>

namespace belljar::service {
namespace {

// Buckets from a tenth of a millisecond to the longest run.
const prometheus::Histogram::BucketBoundaries kSeconds{0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05,
                                                       0.1,    0.5,    1,     5,     30,   60};

}  // namespace

struct Metrics::Parts {
  struct Watched {
    prometheus::Gauge* gauge;
    std::function<double()> value;
  };
  prometheus::Registry registry;
  prometheus::Family<prometheus::Counter>& runs = prometheus::BuildCounter()
                                                      .Name("belljar_runs_total")
                                                      .Help("Runs that were answered.")
                                                      .Register(registry);
  prometheus::Histogram& wall = prometheus::BuildHistogram()
                                    .Name("belljar_run_wall_seconds")
                                    .Help("How long programs ran.")
                                    .Register(registry)
                                    .Add({}, kSeconds);
  std::vector<Watched> watched;  // filled before the first scrape
};

Metrics::Metrics() : parts_(std::make_unique<Parts>()) {}
Metrics::~Metrics() = default;

void Metrics::CountRun(const run::RunResult& result) {
  parts_->runs.Add({{"outcome", std::string(run::OutcomeName(result.outcome))}}).Increment();
  parts_->wall.Observe(result.usage.wall_ms / 1000.0);
}

void Metrics::Watch(const std::string& name, const std::string& help,
                    std::function<double()> value) {
  auto& family = prometheus::BuildGauge().Name(name).Help(help).Register(parts_->registry);
  parts_->watched.push_back({&family.Add({}), std::move(value)});
}

std::string Metrics::Text() {
  for (const Parts::Watched& one : parts_->watched) one.gauge->Set(one.value());
  return prometheus::TextSerializer().Serialize(parts_->registry.Collect());
}

}  // namespace belljar::service
