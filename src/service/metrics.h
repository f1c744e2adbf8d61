// Metrics: counters for /metrics, by prometheus-cpp. Ids, callers and sessions are not used as
// labels, because their number is unbounded.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "run/run_result.h"

namespace belljar::service {

class Metrics {
 public:
  Metrics();
  ~Metrics();

  void CountRun(const run::RunResult& result);
  // Registers a gauge whose value is read at each scrape.
  void Watch(const std::string& name, const std::string& help, std::function<double()> value);

  // The metrics in Prometheus' text format.
  std::string Text();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace belljar::service
