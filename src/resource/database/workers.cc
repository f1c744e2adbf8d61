#include "resource/database/workers.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <optional>

#include "foundation/base/sys.h"

namespace belljar::resource::database {
namespace {

// Allowance for column names and JSON syntax, on top of the bytes of the rows.
constexpr std::size_t kBeyondRows = 1U << 20;

Error TookTooLong() {
  return Error(Kind::kExhausted, "the statement took longer than the policy allows");
}
Error MakesNoSense() {
  return Error(Kind::kUnavailable, "what reads the database gave an answer that makes no sense");
}

Kind KindNamed(std::string_view name) {
  for (const Kind kind :
       {Kind::kInvalid, Kind::kDenied, Kind::kNotFound, Kind::kExhausted, Kind::kUnavailable}) {
    if (KindName(kind) == name) return kind;
  }
  return Kind::kInternal;
}

Result<json::object> AnswerIn(std::string_view line) {
  const auto parsed = ParseJson(line);
  const json::object* const told = parsed ? parsed->if_object() : nullptr;
  if (told == nullptr) return MakesNoSense();
  if (const json::value* answer = told->if_contains("answer")) {
    if (answer->is_object()) return answer->get_object();
  }
  const json::value* const error = told->if_contains("error");
  if (error == nullptr || !error->is_object()) return MakesNoSense();
  const json::value* const kind = error->get_object().if_contains("kind");
  const json::value* const message = error->get_object().if_contains("message");
  if (kind == nullptr || message == nullptr || !kind->is_string() || !message->is_string()) {
    return MakesNoSense();
  }
  return Error(KindNamed(kind->get_string()),
               std::string(message->get_string()).substr(0, mcp::kMaxErrorBytes));
}

bool IsAnswer(const json::object& told) {
  const auto is = [&](std::string_view key, auto test) {
    const json::value* const value = told.if_contains(key);
    return value != nullptr && test(*value);
  };
  const auto list = [](const json::value& value) { return value.is_array(); };
  return is("columns", list) && is("rows", list) &&
         is("truncated", [](const json::value& value) { return value.is_bool(); }) &&
         is("changed",
            [](const json::value& value) { return value.is_int64() && value.get_int64() >= 0; });
}

}  // namespace

Result<std::unique_ptr<DatabaseWorker>> DatabaseWorkers::Start() const {
  mcp::Command command;
  command.words = command_;
  command.environment = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8"};
  // libpq looks for certificates in the home directory.
  if (const char* const home = std::getenv("HOME")) {
    command.environment.push_back(std::string("HOME=") + home);
  }
  mcp::Child child = BJ_TRY(mcp::Child::Start(command).While("start what reads databases"));
  BJ_TRY(SetNonBlocking(child.errors()));
  return std::unique_ptr<DatabaseWorker>(new DatabaseWorker(std::move(child)));
}

void DatabaseWorkers::Tell(const std::string& database, const DatabaseWorker& worker) const {
  const std::string said = worker.Errors();
  if (on_log_ && !said.empty()) on_log_(database, said);
}

std::string DatabaseWorker::Errors() const {
  std::array<char, 2'048> said;
  const ssize_t n = ::read(child_.errors().get(), said.data(), said.size());
  if (n <= 0) return "";
  const std::string_view text(said.data(), static_cast<std::size_t>(n));
  return std::string(text.substr(0, text.find('\n')));
}

// Waits for events on `fd`; a stop request ends the wait.
Result<> DatabaseWorker::Await(const Fd& fd, short events, const mcp::Patience& patience) {
  const long made = BJ_TRY(
      Check("eventfd", "a database", [] { return ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }));
  const Fd wake(static_cast<int>(made));
  const std::stop_callback woken(patience.stop, [&wake] {
    const std::uint64_t one = 1;
    const ssize_t ignored = ::write(wake.get(), &one, sizeof(one));
    static_cast<void>(ignored);
  });
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(patience.deadline - mcp::Clock::now());
  std::array<pollfd, 2> waited = {pollfd{fd.get(), events, 0}, pollfd{wake.get(), POLLIN, 0}};
  const auto ready = BJ_TRY(Check("poll", "a database", [&] {
    return ::poll(waited.data(), waited.size(),
                  static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
  }));
  if (waited[1].revents != 0) return Error(Kind::kDenied, "the call was given up");
  if (ready == 0) return TookTooLong();
  return {};
}

Result<> DatabaseWorker::Send(std::string_view bytes, const mcp::Patience& patience) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(child_.input().get(), bytes.data(), bytes.size());
    if (n > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno == EAGAIN) {
      BJ_TRY(Await(child_.input(), POLLOUT, patience));
    } else if (errno != EINTR) {
      return Error(Kind::kUnavailable, "what reads the database has ended");
    }
  }
  return {};
}

Result<json::object> DatabaseWorker::Receive(const mcp::Patience& patience) {
  std::array<char, 64 << 10> chunk;
  while (held_.find('\n', held_.size() > chunk.size() ? held_.size() - chunk.size() : 0) ==
         std::string::npos) {
    BJ_TRY(Await(child_.output(), POLLIN, patience));
    const long n = BJ_TRY(Check("read", "a database", [&] {
      return ::read(child_.output().get(), chunk.data(), chunk.size());
    }));
    if (n == 0) return Error(Kind::kUnavailable, "what reads the database has ended");
    held_.append(chunk.data(), static_cast<std::size_t>(n));
    if (held_.size() > most_) return MakesNoSense();
  }
  const std::size_t end = held_.find('\n');
  auto answer = AnswerIn(std::string_view(held_).substr(0, end));
  held_.erase(0, end + 1);
  return answer;
}

Result<json::object> DatabaseWorker::Do(const Job& job, const mcp::Patience& patience) {
  most_ = job.bounds.max_bytes + kBeyondRows;
  BJ_TRY(Send(json::serialize(ToJson(job)) + "\n", patience));
  json::object answer = BJ_TRY(Receive(patience));
  if (!IsAnswer(answer)) return MakesNoSense();
  return answer;
}

Result<> DatabaseWorker::Commit(const mcp::Patience& patience) {
  constexpr std::string_view kUnknown = "whether it has been committed is unknown";
  BJ_TRY(Send("commit\n", patience).While(kUnknown));
  const auto committed = Receive(patience);
  if (committed) return {};
  return Error(committed.error().kind(),
               std::string(kUnknown) + ": " + committed.error().message());
}

}  // namespace belljar::resource::database
