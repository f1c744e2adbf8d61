// StdioChannel: an MCP server that is a local program; messages are lines on its standard streams.
//
// One thread starts the program, reads its output and hands each answer to the waiting request; it
// also answers the server's own requests, and ends the program when the channel is destroyed. A
// malformed answer immediately becomes an error for the request it belongs to; lines that are not
// messages are logged. The channel fails if the server sends a line that is too long, too many
// lines that are not messages, or a flood of unrequested messages: the program is killed, and every
// waiting request gets the cause.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "resource/mcp/channel.h"
#include "resource/mcp/child.h"

namespace belljar::resource::mcp {

// Receives log lines: a line of the program's standard error, cut and made safe to show, or a
// description of a malformed line of its output.
using OnLog = std::function<void(std::string_view)>;

class StdioChannel final : public Channel {
 public:
  static constexpr std::size_t kMostUnasked = 1'000;  // unrequested messages between two answers
  // Lines that are not messages, between two answers.
  static constexpr std::size_t kMostGarbage = 100;
  static constexpr std::size_t kMostLogged = 100;  // lines per minute

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
  // Returns whether a request waited for the answer.
  bool HandOver(std::uint64_t id, Result<Reply> reply);
  void HearErrors(std::string_view bytes);
  void Log(std::string_view line);
  Result<> Write(std::string text, Clock::time_point deadline);
  Result<Reply> Await(std::uint64_t id, Waiter& waiter, const Patience& patience);
  void Fail(Error error);

  const OnLog on_log_;
  Fd stopping_;  // an eventfd, signalled when the channel is destroyed
  std::timed_mutex write_mutex_;
  // The program's input; set before the first write, and valid until the thread ends.
  int input_ = -1;
  std::mutex mutex_;
  std::optional<Error> failure_;
  std::map<std::uint64_t, Waiter*> waiting_;
  std::uint64_t next_id_ = 1;
  std::atomic<bool> list_changed_{false};
  std::size_t unasked_ = 0, garbage_ = 0;  // used only by the thread, as are the members below
  std::string error_line_;
  std::size_t logged_ = 0;
  Clock::time_point logged_since_{};
  std::thread thread_;
};

}  // namespace belljar::resource::mcp
