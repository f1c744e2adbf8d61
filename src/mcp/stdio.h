// StdioChannel: an MCP server that is a program of this machine, one message a line.
//
// One thread starts the program, reads what it says and hands each answer to who waits for it; it
// also answers the server's own requests, and ends the program when the channel goes. An answer
// that is malformed is an error for who waits for it, at once; any line that is no message is
// logged. A server that sends a line that is too long, too much that is no message, or a flood of
// what nobody asked for has failed: it is killed, and everybody who waits is told why.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "mcp/channel.h"
#include "mcp/child.h"

namespace belljar::mcp {

// A line that the program wrote to its standard error, cut and shown safely, or what is wrong with
// one that it wrote to its output.
using OnLog = std::function<void(std::string_view)>;

class StdioChannel final : public Channel {
 public:
  static constexpr std::size_t kMostUnasked = 1'000;  // messages, between two answers
  static constexpr std::size_t kMostGarbage = 100;    // lines that are no messages, likewise
  static constexpr std::size_t kMostLogged = 100;     // lines in a minute

  static Result<std::unique_ptr<Channel>> Start(Command command, OnLog on_log);
  ~StdioChannel() override;

  Result<Reply> Ask(std::string_view method, const json::object& params,
                    const Patience& patience) override;
  Result<> Tell(std::string_view method, const json::object& params) override;
  void Speak(Revision) override {}
  std::optional<Error> failure() override;
  bool TakeListChanged() override { return list_changed_.exchange(false); }

 private:
  struct Waiter {
    std::condition_variable_any answered;
    std::optional<Result<Reply>> reply;
  };

  explicit StdioChannel(OnLog on_log) : on_log_(std::move(on_log)) {}
  void Serve(const Command& command, const std::function<void(Result<>)>& started);
  Result<> ReadUntilStopped(const Child& child);
  Result<> Hear(std::string_view line);
  Result<> HearMalformed(std::string_view line, const Error& why);
  // Whether somebody waited for it.
  bool HandOver(std::uint64_t id, Result<Reply> reply);
  void HearErrors(std::string_view bytes);
  void Log(std::string_view line);
  Result<> Write(std::string text, Clock::time_point deadline);
  Result<Reply> Await(std::uint64_t id, Waiter& waiter, const Patience& patience);
  void Fail(Error error);

  const OnLog on_log_;
  Fd stopping_;  // an event: the channel goes
  std::timed_mutex write_mutex_;
  int input_ = -1;  // the program's; set before anybody writes, and valid until the thread ends
  std::mutex mutex_;
  std::optional<Error> failure_;
  std::map<std::uint64_t, Waiter*> waiting_;
  std::uint64_t next_id_ = 1;
  std::atomic<bool> list_changed_{false};
  std::size_t unasked_ = 0, garbage_ = 0;  // the thread's own, as what follows
  std::string error_line_;
  std::size_t logged_ = 0;
  Clock::time_point logged_since_{};
  std::thread thread_;
};

}  // namespace belljar::mcp
