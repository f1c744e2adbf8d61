// The part of Connection that touches the socket and the timer.
#include <poll.h>

#include <algorithm>
#include <array>
#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <utility>

#include "foundation/base/scratch.h"
#include "foundation/http/server/connection.h"

namespace belljar::http::server {

void Connection::Signal() {
  signalled_ = true;
  Resume();
}

// Resumes the coroutine directly, if it sleeps.
void Connection::Resume() {
  if (resume_) std::exchange(resume_, nullptr)();
}

asio::awaitable<bool> Connection::Sleep(Clock::time_point deadline) {
  if (!signalled_) {
    deadline_ = deadline;
    SetAlarm();
    co_await asio::async_initiate<const asio::use_awaitable_t<>&, void()>(FallAsleep{*this},
                                                                          asio::use_awaitable);
    deadline_ = kNever;
  }
  co_return std::exchange(signalled_, false);
}

// A timer that expires earlier is left running, and set again when it expires: deadlines move with
// every request, and almost none is ever reached.
void Connection::SetAlarm() {
  if (deadline_ == kNever || (alarm_set_ && timer_.expiry() <= deadline_)) return;
  alarm_set_ = true;
  timer_.expires_at(deadline_);
  timer_.async_wait([self = shared_from_this()](const boost::system::error_code& cancelled) {
    if (cancelled) return;
    self->alarm_set_ = false;
    if (Clock::now() < self->deadline_) return self->SetAlarm();
    self->Resume();
  });
}

// Waits for readable bytes, unless enough are buffered. No buffer is allocated for an idle client.
void Connection::Listen() {
  if (listening_ || over() || in_.size() >= kMostBuffered) return;
  listening_ = true;
  socket_.async_wait(Socket::wait_read,
                     [self = shared_from_this()](const boost::system::error_code& error) {
                       self->listening_ = false;
                       self->OnReadable(error);
                     });
}

void Connection::OnReadable(const boost::system::error_code& error) {
  if (error || aborted_) return Signal();
  const std::span<char> scratch = ThreadScratch<struct OfConnections, kMostBuffered>();
  const std::size_t room = kMostBuffered - std::min(in_.size(), kMostBuffered);
  boost::system::error_code failure;
  const std::size_t size = socket_.read_some(asio::buffer(scratch.data(), room), failure);
  in_.append(scratch.data(), size);
  if (failure && failure != asio::error::would_block) {
    ended_ = true;
    if (exchange_) exchange_->MarkGone();
  }
  Signal();
}

// Asks the kernel whether the client has closed, without reading the bytes before that.
void Connection::NoticeHangup() {
  if (aborted_) return;
  pollfd look{socket_.native_handle(), POLLRDHUP, 0};
  if (::poll(&look, 1, 0) <= 0) return;
  ended_ = true;
  if (exchange_) exchange_->MarkGone();
}

asio::awaitable<bool> Connection::Send(std::string bytes) {
  if (aborted_) co_return false;
  out_ = std::move(bytes);
  // Most answers fit into the socket's buffer and need no further turn of the loop.
  boost::system::error_code failure;
  const std::size_t sent = socket_.write_some(asio::buffer(out_), failure);
  if (failure && failure != asio::error::would_block) co_return false;
  if (sent == out_.size()) co_return true;
  writing_ = true;
  asio::async_write(
      socket_, asio::buffer(out_.data() + sent, out_.size() - sent),
      [self = shared_from_this()](const boost::system::error_code& error, std::size_t) {
        self->writing_ = false;
        self->write_failed_ = error.failed();
        self->Signal();
      });
  const Pace pace(shared_.limits.write_grace, shared_.limits.least_bytes_per_second);
  const Clock::time_point deadline = Clock::now() + pace.Left() + pace.Worth(out_.size());
  while (writing_) {
    const bool woken = co_await Sleep(deadline);
    if (!woken && writing_) Abort();  // the write then completes with an error
  }
  signalled_ = true;  // other events may have signalled during the write as well
  co_return !write_failed_;
}

// Closes so that the client can read the last answer: closing a socket with unread bytes would
// reset the connection, and the answer would be lost.
asio::awaitable<void> Connection::Part() {
  if (over()) co_return;
  constexpr std::size_t kMostDropped = 16 << 20;
  boost::system::error_code ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
  const Clock::time_point deadline = Clock::now() + shared_.limits.linger;
  std::size_t dropped = 0;
  bool woken = true;
  while (woken && !over() && dropped < kMostDropped) {
    dropped += in_.size();
    in_.clear();
    Listen();
    woken = co_await Sleep(deadline);
    if (Clock::now() >= deadline) woken = false;
  }
}

}  // namespace belljar::http::server
