#include "resource/database/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "foundation/base/text.h"

namespace belljar::resource::database {
namespace {

constexpr std::int64_t kMostExact = (std::int64_t{1} << 53) - 1;

Result<Task> TaskNamed(std::string_view name) {
  for (const Task task : {Task::kQuery, Task::kWrite, Task::kDescribe}) {
    if (TaskName(task) == name) return task;
  }
  return Error(Kind::kInvalid, "there is no such task");
}

}  // namespace

std::string_view TaskName(Task task) {
  if (task == Task::kQuery) return "query";
  return task == Task::kWrite ? "write" : "describe";
}

json::object ToJson(const Job& job) {
  return {{"engine", job.place.engine == Engine::kSqlite ? "sqlite" : "postgres"},
          {"where", job.place.where},
          {"role", job.place.role},
          {"unsafe_superuser", job.place.unsafe_superuser},
          {"task", TaskName(job.task)},
          {"sql", job.sql},
          {"params", job.params},
          {"max_rows", job.bounds.max_rows},
          {"max_bytes", job.bounds.max_bytes},
          {"timeout_ms", job.bounds.timeout.count()},
          {"hold_ms", job.bounds.hold.count()}};
}

// The JSON is written by this program, so an exception here means that it comes from somewhere
// else.
Result<Job> JobFromJson(const json::object& told) {
  try {
    Job job;
    const std::string task(told.at("task").as_string());
    job.task = BJ_TRY(TaskNamed(task));
    job.place.engine = told.at("engine") == "sqlite" ? Engine::kSqlite : Engine::kPostgres;
    job.place.where = std::string(told.at("where").as_string());
    job.place.role = std::string(told.at("role").as_string());
    job.place.unsafe_superuser = told.at("unsafe_superuser").as_bool();
    job.sql = std::string(told.at("sql").as_string());
    job.params = told.at("params").as_array();
    job.bounds.max_rows = told.at("max_rows").to_number<std::uint64_t>();
    job.bounds.max_bytes = told.at("max_bytes").to_number<std::uint64_t>();
    job.bounds.timeout = std::chrono::milliseconds(told.at("timeout_ms").to_number<std::int64_t>());
    job.bounds.hold = std::chrono::milliseconds(told.at("hold_ms").to_number<std::int64_t>());
    return job;
  } catch (const std::exception& error) {
    return Error(Kind::kInvalid, std::string("that is no job: ") + error.what());
  }
}

json::object ToJson(const Answer& answer) {
  return {{"columns", answer.columns},
          {"rows", answer.rows},
          {"truncated", answer.truncated},
          {"changed", answer.changed}};
}

json::value WholeNumber(std::int64_t number) {
  if (number >= -kMostExact && number <= kMostExact) return number;
  return {{"$int", std::to_string(number)}};
}

json::value RealNumber(double number) {
  if (std::isfinite(number)) return number;
  return {{"$number", std::isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity"}};
}

json::value Bytes(std::string_view bytes) { return {{"$bytes", Base64Encode(bytes)}}; }

json::value TextOrBytes(std::string_view text) {
  if (IsValidUtf8(text)) return json::string(text);
  return Bytes(text);
}

Result<TaggedParam> ReadTagged(const json::value& param) {
  const json::object* const object = param.if_object();
  if (object != nullptr && object->size() == 1) {
    const auto& [name, value] = *object->begin();
    TaggedParam read;
    read.is_bytes = name == "$bytes";
    if (read.is_bytes && value.is_string() && Base64Decode(value.get_string(), read.value)) {
      return read;
    }
    if (name == "$int" && value.is_string()) {
      read.value = std::string(value.get_string());
      const std::string_view digits =
          std::string_view(read.value).substr(read.value.starts_with('-') ? 1 : 0);
      const bool whole = !digits.empty() && digits.size() <= 64 &&
                         std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
      if (whole) return read;
    }
  }
  return Error(Kind::kInvalid,
               "a parameter is a text, a number, true, false, null, {\"$bytes\": base64} or "
               "{\"$int\": digits}; give JSON as a text");
}

Result<bool> Rows::Add(json::array row) {
  if (rows_.size() >= bounds_.max_rows) {
    truncated_ = true;
    return false;
  }
  const std::size_t size = json::serialize(row).size() + 1;
  if (bytes_ + size > bounds_.max_bytes) {
    if (rows_.empty()) {
      return Error(Kind::kExhausted,
                   fmt::format("a row takes {} bytes; the policy allows {} in all", size,
                               bounds_.max_bytes));
    }
    truncated_ = true;
    return false;
  }
  bytes_ += size;
  rows_.push_back(std::move(row));
  return true;
}

Answer Rows::Finish(json::array columns) && {
  return {std::move(columns), std::move(rows_), truncated_, 0};
}

}  // namespace belljar::resource::database
