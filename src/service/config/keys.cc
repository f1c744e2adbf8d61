// The table of configuration keys.
#include <fmt/format.h>

#include <charconv>
#include <type_traits>

#include "request/limit_fields.h"
#include "request/request.h"
#include "service/config/settings.h"

namespace belljar::service::config {
namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t kMostCount = 1'000'000;

Error Wrong(std::string_view takes) {
  return Error(Kind::kInvalid, fmt::format("takes {}", takes));
}

Result<std::string> OneText(const Given& given, std::string_view takes) {
  if (given.is_list || given.texts.size() != 1) return Wrong(takes);
  return given.texts.front();
}

Result<std::uint64_t> ReadCount(const Given& given) {
  constexpr std::string_view kTakes = "a number from 0 to 1000000";
  const std::string text = BJ_TRY(OneText(given, kTakes));
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, failed] = std::from_chars(text.data(), end, number);
  if (failed != std::errc() || at != end || number > kMostCount) return Wrong(kTakes);
  return number;
}

Result<milliseconds> ReadTime(const Given& given) {
  const std::string text = BJ_TRY(OneText(given, "a time such as \"10s\" or \"24h\""));
  if (text == "0" || text == "0s") return milliseconds(0);
  return request::ParseDuration(text);
}

std::string TimeText(milliseconds time) {
  const auto ms = time.count();
  if (ms % 3'600'000 == 0 && ms > 0) return fmt::format("{}h", ms / 3'600'000);
  if (ms % 1000 == 0) return fmt::format("{}s", ms / 1000);
  return fmt::format("{}ms", ms);
}

std::string SizeText(std::uint64_t bytes) {
  constexpr std::uint64_t kGiB = 1ULL << 30;
  constexpr std::uint64_t kMiB = 1ULL << 20;
  if (bytes % kGiB == 0 && bytes > 0) return fmt::format("{}G", bytes / kGiB);
  if (bytes % kMiB == 0 && bytes > 0) return fmt::format("{}M", bytes / kMiB);
  return fmt::format("{}", bytes);
}

Given One(std::string text) { return {{std::move(text)}, false}; }

template <auto member>
Key Texts(std::string name, Changes changes) {
  return {std::move(name), Takes::kTexts, changes,
          [](Settings& settings, const Given& given) -> Result<> {
            settings.*member = given.texts;
            return {};
          },
          [](const Settings& settings) {
            return Given{settings.*member, true};
          }};
}

template <auto member>
Key Text(std::string name, Changes changes) {
  return {std::move(name), Takes::kText, changes,
          [](Settings& settings, const Given& given) -> Result<> {
            settings.*member = BJ_TRY(OneText(given, "a text in quotes"));
            return {};
          },
          [](const Settings& settings) { return One(settings.*member); }};
}

template <auto member>
Key Count(std::string name, Changes changes) {
  return {std::move(name), Takes::kCount, changes,
          [](Settings& settings, const Given& given) -> Result<> {
            settings.*member = BJ_TRY(ReadCount(given));
            return {};
          },
          [](const Settings& settings) { return One(fmt::format("{}", settings.*member)); }};
}

template <auto member>
Key Time(std::string name, Changes changes) {
  return {std::move(name), Takes::kTime, changes,
          [](Settings& settings, const Given& given) -> Result<> {
            settings.*member = BJ_TRY(ReadTime(given));
            return {};
          },
          [](const Settings& settings) { return One(TimeText(settings.*member)); }};
}

template <auto member>
Key Size(std::string name, Changes changes) {
  return {std::move(name), Takes::kSize, changes,
          [](Settings& settings, const Given& given) -> Result<> {
            const std::string text = BJ_TRY(OneText(given, "a size such as \"512M\""));
            settings.*member = BJ_TRY(request::ParseSize(text));
            return {};
          },
          [](const Settings& settings) { return One(SizeText(settings.*member)); }};
}

template <auto member>
Key Flag(std::string name, Changes changes) {
  return {std::move(name), Takes::kFlag, changes,
          [](Settings& settings, const Given& given) -> Result<> {
            const std::string text = BJ_TRY(OneText(given, "true or false"));
            if (text != "true" && text != "false") return Wrong("true or false");
            settings.*member = text == "true";
            return {};
          },
          [](const Settings& settings) { return One(settings.*member ? "true" : "false"); }};
}

// 0 is refused: every session would end before its first run.
Key SessionTimeout() {
  Key key = Time<&Settings::session_timeout>("session_timeout", Changes::kAtStart);
  key.set = [](Settings& settings, const Given& given) -> Result<> {
    settings.session_timeout = BJ_TRY(ReadTime(given));
    // The same maximum as for a session's own timeout.
    constexpr std::chrono::hours kLongest{24 * 7};
    if (settings.session_timeout > milliseconds(0) && settings.session_timeout <= kLongest)
      return {};
    return Wrong("a time such as \"15m\": more than none, and 7 days at the most");
  };
  return key;
}

// The range of the CPU period that the kernel accepts.
Key CpuPeriod() {
  Key key = Count<&Settings::docker_cpu_period>("docker.cpu_period", Changes::kAtStart);
  key.set = [](Settings& settings, const Given& given) -> Result<> {
    settings.docker_cpu_period = BJ_TRY(ReadCount(given));
    if (settings.docker_cpu_period >= 1'000) return {};
    return Wrong("microseconds from 1000 to 1000000");
  };
  return key;
}

Key DockerNetwork() {
  Key key = Text<&Settings::docker_network>("docker.network", Changes::kAtStart);
  key.set = [](Settings&, const Given& given) -> Result<> {
    constexpr std::string_view kTakes = "\"none\": no cell has a network of the host's";
    if (BJ_TRY(OneText(given, kTakes)) != "none") return Wrong(kTakes);
    return {};
  };
  return key;
}

Key LogDetail() {
  return {"log.detail", Takes::kDetail, Changes::kWhileRunning,
          [](Settings& settings, const Given& given) -> Result<> {
            constexpr std::string_view kTakes = "\"minimal\", \"standard\" or \"verbose\"";
            const auto detail = log::ParseDetail(BJ_TRY(OneText(given, kTakes)));
            if (!detail) return Wrong(kTakes);
            settings.log_detail = *detail;
            return {};
          },
          [](const Settings& settings) {
            return One(std::string(log::DetailName(settings.log_detail)));
          }};
}

Key LogFormat() {
  return {"log.format", Takes::kFormat, Changes::kWhileRunning,
          [](Settings& settings, const Given& given) -> Result<> {
            constexpr std::string_view kTakes = "\"json\", \"text\" or \"auto\"";
            const std::string name = BJ_TRY(OneText(given, kTakes));
            settings.log_format = log::ParseFormat(name);
            if (!settings.log_format && name != "auto") return Wrong(kTakes);
            return {};
          },
          [](const Settings& settings) {
            const auto& format = settings.log_format;
            return One(format ? std::string(log::FormatName(*format)) : "auto");
          }};
}

Takes TakesOf(request::Unit unit) {
  switch (unit) {
    case request::Unit::kDuration:
      return Takes::kTime;
    case request::Unit::kSize:
      return Takes::kSize;
    case request::Unit::kCpus:
      return Takes::kCpus;
    case request::Unit::kCount:
      break;
  }
  return Takes::kCount;
}

Result<std::uint64_t> ReadLimit(request::Unit unit, const Given& given) {
  const std::string text = BJ_TRY(OneText(given, "one value"));
  if (unit == request::Unit::kSize) return request::ParseSize(text);
  if (unit == request::Unit::kCount) return ReadCount(given);
  if (unit == request::Unit::kCpus) return std::uint64_t{BJ_TRY(request::ParseCpus(text))};
  return static_cast<std::uint64_t>(BJ_TRY(request::ParseDuration(text)).count());
}

std::string LimitText(request::Unit unit, std::uint64_t value) {
  if (unit == request::Unit::kSize) return SizeText(value);
  if (unit == request::Unit::kCpus) return fmt::format("{:g}", static_cast<double>(value) / 1000.0);
  if (unit == request::Unit::kDuration) return TimeText(milliseconds(value));
  return fmt::format("{}", value);
}

Key Limit(const request::LimitField& field) {
  return {"limits." + std::string(field.key), TakesOf(field.unit), Changes::kWhileRunning,
          [&field](Settings& settings, const Given& given) -> Result<> {
            const std::uint64_t value = BJ_TRY(ReadLimit(field.unit, given));
            if (value < field.low || value > field.high) {
              return request::OutOfRange(field, request::ShowLimit(field.unit, value));
            }
            field.set(settings.limits, value);
            settings.limits.cpu_time = request::DefaultCpuTime(settings.limits);
            return {};
          },
          [&field](const Settings& settings) {
            return One(LimitText(field.unit, field.get(settings.limits)));
          }};
}

std::vector<Key> MakeKeys() {
  using enum Changes;
  return {
      Texts<&Settings::listen>("listen", kAtStart),
      Text<&Settings::socket_group>("socket_group", kAtStart),
      Text<&Settings::state>("state", kAtStart),
      Text<&Settings::database>("database", kAtStart),
      Count<&Settings::pool>("pool", kAtStart),
      Count<&Settings::jobs>("jobs", kAtStart),
      Time<&Settings::grace>("grace", kWhileRunning),
      SessionTimeout(),
      Texts<&Settings::allow_unenforced>("allow_unenforced", kAtStart),
      Text<&Settings::policy>("policy", kWhileRunning),
      Text<&Settings::level>("level", kWhileRunning),
      Texts<&Settings::levels>("levels", kWhileRunning),
      LogDetail(),
      LogFormat(),
      Text<&Settings::log_file>("log.file", kAtStart),
      Time<&Settings::keep_bodies>("retention.bodies", kWhileRunning),
      Time<&Settings::keep_workspaces>("retention.workspaces", kWhileRunning),
      Size<&Settings::keep_workspace_bytes>("retention.workspace_bytes", kAtStart),
      Count<&Settings::sessions>("capacity.sessions", kAtStart),
      Size<&Settings::memory_bytes>("capacity.memory", kAtStart),
      Size<&Settings::memory_of_one>("capacity.memory_of_one", kAtStart),
      Count<&Settings::waiting>("capacity.waiting", kAtStart),
      Count<&Settings::waiting_of_one>("capacity.waiting_of_one", kAtStart),
      Time<&Settings::longest_wait>("capacity.longest_wait", kAtStart),
      Text<&Settings::gvisor_runtime>("gvisor.runtime", kAtStart),
      Text<&Settings::gvisor_platform>("gvisor.platform", kAtStart),
      Text<&Settings::docker_socket>("docker.socket", kAtStart),
      Text<&Settings::docker_image>("docker.image", kAtStart),
      Text<&Settings::docker_runtime>("docker.runtime", kAtStart),
      DockerNetwork(),
      Flag<&Settings::docker_strict_gvisor>("docker.strict_gvisor", kAtStart),
      CpuPeriod(),
      Count<&Settings::docker_cpu_quota>("docker.cpu_quota", kAtStart),
  };
}

std::vector<Key> WithLimits(std::vector<Key> keys) {
  // cpu_time has no key: its default is computed from the time and the CPUs of a request.
  for (const request::LimitField& field : request::LimitFields()) {
    if (field.key != "cpu_time") keys.push_back(Limit(field));
  }
  return keys;
}

}  // namespace

std::span<const Key> Keys() {
  static const std::vector<Key> keys = WithLimits(MakeKeys());
  return keys;
}

}  // namespace belljar::service::config
