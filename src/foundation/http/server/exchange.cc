#include "foundation/http/server/exchange.h"

#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "foundation/base/sys.h"
#include "foundation/http/server/exchange_state.h"

namespace belljar::http::server {
namespace {

Error Gone() { return Error(Kind::kUnavailable, "the client has gone"); }

}  // namespace

ExchangeState::ExchangeState(Request request_in, Principal principal_in, Setup setup,
                             Activity::Token activity)
    : request(std::move(request_in)),
      principal(std::move(principal_in)),
      setup_(std::move(setup)),
      activity_(std::move(activity)),
      gone_fd_(std::move(setup_.gone)) {}

void ExchangeState::Wake() {
  if (setup_.wake) setup_.wake();
}

// The eventfd is signalled at most once and never reset.
void ExchangeState::TellGone() {
  const ssize_t ignored = ::eventfd_write(gone_fd_.get(), 1);
  static_cast<void>(ignored);  // fails only at 2^64 - 1
  gone_is_told_ = true;
}

void ExchangeState::Mark(std::string name, std::string value) {
  const std::lock_guard lock(mutex_);
  marks_.Add(std::move(name), std::move(value));
}

Headers ExchangeState::marks() const {
  const std::lock_guard lock(mutex_);
  return marks_;
}

void ExchangeState::Answer(Response response) {
  const Result<> sendable = CheckSendable(response.status, response.content_type, response.headers);
  if (!sendable) response = ErrorResponse(sendable.error());
  const std::lock_guard lock(mutex_);
  if (stage_ != Stage::kWaiting) return;
  if (setup_.line) SendNow(response);
  head_ = std::move(response);
  stage_ = Stage::kAnswered;
  Wake();
}

// If the socket does not accept all bytes, or fails, the loop handles the rest.
void ExchangeState::SendNow(const Response& response) {
  const After after = setup_.line->AfterNow();
  std::string bytes = ComposeAnswer(response, after, setup_.line->extent);
  const ssize_t sent =
      ::send(setup_.line->socket, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent > 0) bytes.erase(0, static_cast<std::size_t>(sent));
  begun_ = Outgoing::Begun{std::move(bytes), after};
}

Result<> ExchangeState::Begin(StreamHead head) {
  BJ_TRY(CheckSendable(head.status, head.content_type, head.headers));
  const std::lock_guard lock(mutex_);
  if (stage_ != Stage::kWaiting) return Error(Kind::kInternal, "the request is answered already");
  if (setup_.streams == Streams::kNever) {
    return Error(Kind::kInternal, "a handler on the loop cannot stream");
  }
  if (gone_) return Gone();
  kind_ = head.kind;
  head_ = std::move(head);
  stage_ = Stage::kStreaming;
  Wake();
  return {};
}

Result<> ExchangeState::Write(std::string_view event, Room room) {
  std::unique_lock lock(mutex_);
  if (stage_ != Stage::kStreaming) return Error(Kind::kInternal, "no stream has been begun");
  const std::string chunk = Chunk(BJ_TRY(Frame(kind_, event)));
  // An event larger than the buffer is accepted when the buffer is empty.
  const auto fits = [&] {
    return outgoing_.empty() || outgoing_.size() + chunk.size() <= setup_.buffer_bytes;
  };
  if (room == Room::kWait) changed_.wait(lock, [&] { return gone_ || fits(); });
  if (gone_) return Gone();
  if (!fits()) return Error(Kind::kExhausted, "the client does not keep up");
  const bool was_empty = outgoing_.empty();
  outgoing_ += chunk;
  if (was_empty) Wake();  // else the loop has been woken already and has not run yet
  return {};
}

void ExchangeState::End() {
  const std::lock_guard lock(mutex_);
  if (stage_ != Stage::kStreaming) return;
  stage_ = Stage::kEnded;
  Wake();
}

void ExchangeState::Leave() {
  const std::lock_guard lock(mutex_);
  if (stage_ == Stage::kWaiting) {
    head_ = ErrorResponse(Error(Kind::kInternal, "the request was not answered"));
    stage_ = Stage::kAnswered;
    Wake();
  } else if (stage_ == Stage::kStreaming) {
    stage_ = Stage::kCut;
    Wake();
  }
  activity_.End();
}

Result<std::size_t> ExchangeState::ReadBody(std::span<char> into) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return body_read_ < body_.size() || body_ended_ || gone_; });
  const std::size_t size = std::min(into.size(), body_.size() - body_read_);
  if (size == 0 && !body_ended_) return Gone();
  std::copy_n(body_.data() + body_read_, size, into.data());
  body_read_ += size;
  if (body_read_ == body_.size()) {
    body_.clear();
    body_read_ = 0;
    if (!body_ended_) Wake();  // there is room in the buffer again
  }
  return size;
}

Result<int> ExchangeState::GoneFd() {
  const std::lock_guard lock(mutex_);
  if (!gone_fd_) {
    const long fd = BJ_TRY(
        Check("eventfd", "for a client", [] { return ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }));
    gone_fd_ = Fd(static_cast<int>(fd));
    if (gone_) TellGone();
  }
  return gone_fd_.get();
}

bool ExchangeState::is_gone() const {
  const std::lock_guard lock(mutex_);
  return gone_;
}

ExchangeState::Outgoing ExchangeState::Take() {
  const std::lock_guard lock(mutex_);
  Outgoing out;
  out.head = std::exchange(head_, std::monostate());
  out.begun = std::exchange(begun_, std::nullopt);
  out.bytes.swap(outgoing_);
  if (!out.bytes.empty()) changed_.notify_all();
  if (stage_ == Stage::kCut) {
    out.then = Outgoing::Then::kCut;
  } else if (IsOver()) {
    out.then = Outgoing::Then::kDone;
  }
  if (stage_ == Stage::kEnded) out.bytes += kLastChunk;
  return out;
}

std::size_t ExchangeState::BodyRoom() const {
  const std::lock_guard lock(mutex_);
  return body_.size() >= setup_.buffer_bytes ? 0 : setup_.buffer_bytes - body_.size();
}

void ExchangeState::GiveBody(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  body_ += bytes;
  changed_.notify_all();
}

void ExchangeState::EndBody() {
  const std::lock_guard lock(mutex_);
  body_ended_ = true;
  changed_.notify_all();
}

void ExchangeState::MarkGone() {
  const std::lock_guard lock(mutex_);
  if (std::exchange(gone_, true)) return;
  // A handler that has answered no longer waits for the client's end.
  if (gone_fd_ && !IsOver()) TellGone();
  changed_.notify_all();
}

void ExchangeState::Detach() {
  MarkGone();
  const std::lock_guard lock(mutex_);
  setup_.wake = nullptr;
  setup_.line.reset();
}

Fd ExchangeState::TakeGoneFd() {
  const std::lock_guard lock(mutex_);
  return IsOver() && !gone_is_told_ ? std::move(gone_fd_) : Fd();
}

Exchange::Exchange(std::shared_ptr<ExchangeState> state) : state_(std::move(state)) {}
Exchange::Exchange(Exchange&&) noexcept = default;
Exchange& Exchange::operator=(Exchange&& other) noexcept {
  if (this == &other) return *this;
  Leave();
  state_ = std::move(other.state_);
  return *this;
}
Exchange::~Exchange() { Leave(); }

void Exchange::Leave() {
  if (state_) state_->Leave();
}

const Request& Exchange::request() const { return state_->request; }
const Principal& Exchange::principal() const { return state_->principal; }
std::string Exchange::TakeBody() { return std::move(state_->request.body); }
void Exchange::Mark(std::string name, std::string value) {
  state_->Mark(std::move(name), std::move(value));
}
void Exchange::Answer(Response response) { state_->Answer(std::move(response)); }
Result<> Exchange::BeginStream(StreamHead head) { return state_->Begin(std::move(head)); }
Result<> Exchange::Write(std::string_view event) { return state_->Write(event, Room::kWait); }
Result<> Exchange::TryWrite(std::string_view event) { return state_->Write(event, Room::kFail); }
void Exchange::EndStream() { state_->End(); }
Result<std::size_t> Exchange::ReadBody(std::span<char> into) { return state_->ReadBody(into); }
Result<int> Exchange::client_gone() { return state_->GoneFd(); }
bool Exchange::is_client_gone() const { return state_->is_gone(); }

}  // namespace belljar::http::server
