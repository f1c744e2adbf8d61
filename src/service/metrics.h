// Metrics: counters for /metrics, by prometheus-cpp. No ids, callers or sessions as labels: their
// number has no bound.
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
  // A value that is asked for at each scrape.
  void Watch(const std::string& name, const std::string& help, std::function<double()> value);

  // The text that Prometheus reads.
  std::string Text();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace belljar::service
