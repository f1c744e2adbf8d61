#include "foundation/http/server/connection.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <utility>

namespace belljar::http::server {
namespace {

constexpr std::chrono::milliseconds kLookInterval{100};

Response TooSlow(const char* what) {
  return ErrorResponse(408, Error(Kind::kUnavailable, std::string(what) + " came too slowly"));
}

// An exception of a handler is reported as an internal fault; the destructor of the unanswered
// Exchange then sends 500. `state` outlives the Exchange and names the request.
void RunHandler(const Handler& handler, Exchange exchange, const ExchangeState& state,
                const OnFault& on_fault) {
  const auto tell = [&](const std::string& fault) {
    if (on_fault) on_fault(fault, state.request.headers);
  };
  try {
    handler(std::move(exchange));
  } catch (const std::exception& fault) {
    tell(std::string("a handler threw: ") + fault.what());
  } catch (...) {
    tell("a handler threw something unknown");
  }
}

}  // namespace

Connection::Connection(Socket socket, Peer peer, const OwnNames& names, Seat seat, Shared& shared)
    : shared_(shared),
      names_(names),
      socket_(std::move(socket)),
      timer_(socket_.get_executor()),
      activity_(shared.activity.Begin()),
      seat_(std::move(seat)),
      peer_(std::move(peer)) {}

Connection::~Connection() {
  if (exchange_) exchange_->Detach();
}

void Connection::Start(OnEnd on_end) {
  asio::co_spawn(
      socket_.get_executor(), Serve(),
      [self = shared_from_this(), on_end = std::move(on_end)](const std::exception_ptr& fault) {
        if (fault && self->shared_.on_fault) {
          self->shared_.on_fault("a connection broke down", {});
        }
        self->Abort();
        self->timer_.cancel();
        on_end(*self);
      });
}

void Connection::Stop() { Signal(); }

void Connection::Abort() {
  aborted_ = true;
  if (exchange_) exchange_->Detach();
  boost::system::error_code ignored;
  socket_.close(ignored);
  Signal();
}

asio::awaitable<void> Connection::Serve() {
  Next next = Next::kRequest;
  while (next == Next::kRequest) next = co_await ServeOne();
  if (next == Next::kPart) co_await Part();
}

asio::awaitable<Connection::Next> Connection::ServeOne() {
  served_ = Served{};
  asked_ = false;
  const std::optional<std::size_t> head = co_await AwaitHead();
  if (!head) co_return Next::kPart;
  ++requests_;
  ++shared_.counters.requests;
  began_ = Clock::now();
  RequestReader reader(shared_.limits.head);
  std::optional<Response> refusal = reader.ReadHead(std::string_view(in_).substr(0, *head));
  in_.erase(0, *head);
  served_.method = reader.request().method;
  if (refusal) co_return co_await Refuse(*std::move(refusal), After::kClose);
  KeepMarks(reader.request().headers);
  reader.request().peer = peer_;
  auto verdict = shared_.gate.Admit(reader, names_);
  if (auto* refused = std::get_if<Refusal>(&verdict)) {
    served_.pattern = std::move(refused->pattern);
    served_.principal = std::move(refused->principal);
    co_return co_await Refuse(std::move(refused->response), AfterThis(reader));
  }
  Admission admission = std::get<Admission>(std::move(verdict));
  co_return co_await ServeAdmitted(reader, admission);
}

asio::awaitable<std::optional<std::size_t>> Connection::AwaitHead() {
  const Limits& limits = shared_.limits;
  bool begun = requests_ == 0 || !in_.empty();
  Clock::time_point deadline = Clock::now() + (begun ? limits.head_time : limits.idle_time);
  std::size_t searched = 0;
  for (;;) {
    if (aborted_) co_return std::nullopt;
    if (const auto end = FindHeadEnd(in_, searched)) co_return end;
    searched = in_.size();
    std::optional<Response> refusal = RefuseUnended(in_, limits.head);
    if (!refusal && (ended_ || (shared_.stopping && in_.empty()))) co_return std::nullopt;
    if (!begun && !in_.empty()) {
      begun = true;
      deadline = Clock::now() + limits.head_time;
    }
    if (!refusal) {
      Listen();
      const bool woken = co_await Sleep(deadline);
      if (woken) continue;
      if (in_.empty()) co_return std::nullopt;
      refusal = TooSlow("the request's head");
    }
    co_await Refuse(*std::move(refusal), After::kClose);
    co_return std::nullopt;
  }
}

asio::awaitable<Connection::Next> Connection::ServeAdmitted(RequestReader& reader,
                                                            Admission& admission) {
  const Route& route = *admission.match.route;
  served_.pattern = admission.match.pattern;
  served_.principal = admission.principal.name;
  BodyMemory memory(shared_.body_memory, shared_.limits.body_memory_bytes);
  if (route.body == BodyKind::kWhole && reader.has_body()) {
    std::optional<Response> refusal = co_await ReadWhole(reader, memory);
    if (refusal) co_return co_await Refuse(*std::move(refusal), After::kClose);
  }
  ExchangeState::Setup setup;
  setup.buffer_bytes = shared_.limits.stream_buffer_bytes;
  setup.streams = route.runs_on == RunsOn::kLoop ? Streams::kNever : Streams::kAllowed;
  if (reader.done()) {
    setup.line = OpenLine{socket_.native_handle(), AfterThis(reader), extent(), &shared_.stopping};
  }
  setup.gone = std::move(spare_gone_);
  setup.wake = [executor = socket_.get_executor(), weak = weak_from_this()] {
    asio::post(executor, [weak] {
      if (const auto self = weak.lock()) self->Signal();
    });
  };
  exchange_ =
      std::make_shared<ExchangeState>(std::move(reader.request()), std::move(admission.principal),
                                      std::move(setup), shared_.activity.Begin());
  Next next = Next::kPart;
  if (Dispatch(admission, exchange_)) {
    next = co_await Converse(reader, *exchange_);
    exchange_->Detach();
    spare_gone_ = exchange_->TakeGoneFd();
  } else {
    exchange_->Detach();
    ++shared_.counters.queue_full;
    next = co_await Refuse(ErrorResponse(Error(Kind::kExhausted, "too many requests are waiting")),
                           AfterThis(reader));
  }
  exchange_.reset();
  co_return next;
}

bool Connection::Dispatch(const Admission& admission, const std::shared_ptr<ExchangeState>& state) {
  const Route& route = *admission.match.route;
  Exchange exchange(state);
  if (route.runs_on == RunsOn::kLoop) {
    RunHandler(route.handler, std::move(exchange), *state, shared_.on_fault);
    return true;
  }
  const Span span = route.runs_on == RunsOn::kLongWorker ? Span::kLong : Span::kBrief;
  return shared_.workers.Submit(
      served_.principal, span,
      [&handler = route.handler, &shared = shared_, state, held = std::move(exchange)]() mutable {
        RunHandler(handler, std::move(held), *state, shared.on_fault);
      });
}

asio::awaitable<std::optional<Response>> Connection::ReadWhole(RequestReader& reader,
                                                               BodyMemory& memory) {
  Pace pace(shared_.limits.body_grace, shared_.limits.least_bytes_per_second);
  std::string& body = reader.request().body;
  for (;;) {
    std::optional<Response> refusal = Decode(reader, body);
    if (refusal) co_return refusal;
    // A body with a Content-Length gets its memory in advance, a chunked one as it arrives.
    if (!memory.Cover(reader.content_length().value_or(body.size()))) {
      co_return ErrorResponse(Error(Kind::kUnavailable, "too many bodies are being held"));
    }
    if (reader.done()) co_return std::nullopt;
    refusal = co_await MoreBody(reader, pace);
    if (refusal) co_return refusal;
  }
}

std::optional<Response> Connection::Decode(RequestReader& reader, std::string& into) {
  if (in_.empty()) return std::nullopt;
  RequestReader::Progress progress = reader.ReadBody(in_, into);
  in_.erase(0, progress.used);
  if (!progress.refusal && progress.used == 0 && in_.size() >= kMostBuffered) {
    return ErrorResponse(400, Error(Kind::kInvalid, "the body's framing is too long"));
  }
  return std::move(progress.refusal);
}

// Sends 100 Continue once, unless the body has begun to arrive anyway.
asio::awaitable<void> Connection::AskForBody(const RequestReader& reader) {
  if (!reader.expects_continue() || std::exchange(asked_, true) || !in_.empty()) co_return;
  const bool sent = co_await Send(std::string(kContinue));
  if (!sent) Abort();
}

asio::awaitable<std::optional<Response>> Connection::MoreBody(RequestReader& reader, Pace& pace) {
  co_await AskForBody(reader);
  const std::size_t had = in_.size();
  const Clock::time_point since = Clock::now();
  while (in_.size() == had) {
    if (over()) co_return ErrorResponse(400, Error(Kind::kInvalid, "the body ended too early"));
    Listen();
    const bool woken = co_await Sleep(since + pace.Left());
    if (!woken && in_.size() == had) co_return TooSlow("the request's body");
  }
  pace.Waited(Clock::now() - since);
  pace.Got(in_.size() - had);
  co_return std::nullopt;
}

// Passes the received part of the body to the handler, as far as its buffer has room.
std::optional<Response> Connection::PassBody(RequestReader& reader, ExchangeState& state) {
  while (!reader.done() && !in_.empty() && state.BodyRoom() > 0) {
    const std::size_t had = in_.size();
    std::string piece;
    if (auto refusal = Decode(reader, piece)) return refusal;
    state.GiveBody(piece);
    if (reader.done()) state.EndBody();
    if (in_.size() == had) break;  // the header of the next chunk is incomplete
  }
  if (ended_ && !reader.done() && state.BodyRoom() > 0) state.MarkGone();
  return std::nullopt;
}

asio::awaitable<Connection::Next> Connection::Converse(RequestReader& reader,
                                                       ExchangeState& state) {
  Pace pace(shared_.limits.body_grace, shared_.limits.least_bytes_per_second);
  After after = After::kClose;
  if (reader.done()) state.EndBody();
  while (!aborted_) {
    if (auto refusal = PassBody(reader, state)) {
      co_return co_await Refuse(*std::move(refusal), After::kClose);
    }
    ExchangeState::Outgoing out = state.Take();
    if (out.head.index() != 0) after = out.begun ? out.begun->after : AfterThis(reader);
    const bool head_suffices = extent() == Extent::kHeadOnly && out.head.index() != 0;
    std::string bytes = Compose(out, after);
    if (!bytes.empty()) {
      const bool sent = co_await Send(std::move(bytes));
      if (!sent) co_return Next::kClose;
    }
    if (out.then == ExchangeState::Outgoing::Then::kCut) co_return Next::kClose;
    if (out.then == ExchangeState::Outgoing::Then::kDone || head_suffices) {
      Tell();
      co_return after == After::kKeepOpen ? Next::kRequest : Next::kPart;
    }
    std::optional<Response> refusal = co_await AwaitChange(reader, state, pace);
    if (refusal) co_return co_await Refuse(*std::move(refusal), After::kClose);
  }
  co_return Next::kClose;
}

// Sleeps until the handler or the client has done something. The least rate applies only while the
// client has to send more of the body.
asio::awaitable<std::optional<Response>> Connection::AwaitChange(const RequestReader& reader,
                                                                 const ExchangeState& state,
                                                                 Pace& pace) {
  const bool owed = !reader.done() && state.BodyRoom() > 0 && !ended_;
  if (owed) co_await AskForBody(reader);
  Listen();
  const std::size_t had = in_.size();
  const Clock::time_point since = Clock::now();
  // While the socket is not being read, the client's hangup must be polled for.
  const bool deaf = !listening_ && !over();
  const Clock::time_point look = deaf ? since + kLookInterval : kNever;
  const bool woken = co_await Sleep(owed ? since + pace.Left() : look);
  if (deaf) NoticeHangup();
  if (!owed) co_return std::nullopt;
  pace.Waited(Clock::now() - since);
  pace.Got(in_.size() - had);
  if (woken || in_.size() != had) co_return std::nullopt;
  co_return TooSlow("the request's body");
}

// Serialises the handler's output, except the bytes that its own thread has sent already.
std::string Connection::Compose(ExchangeState::Outgoing& out, After after) {
  if (const auto* response = std::get_if<Response>(&out.head)) {
    served_.status = response->status;
    if (out.begun) return std::move(out.begun->rest);
    return ComposeAnswer(*response, after, extent());
  }
  std::string bytes;
  if (const auto* head = std::get_if<StreamHead>(&out.head)) {
    served_.status = head->status;
    bytes = ComposeStreamHead(*head, after);
  }
  return extent() == Extent::kHeadOnly ? bytes : bytes + out.bytes;
}

// If the body was not read to its end, the connection cannot be used for another request.
After Connection::AfterThis(const RequestReader& reader) const {
  const bool again = reader.done() && reader.keep_alive() && !shared_.stopping && !over();
  return again ? After::kKeepOpen : After::kClose;
}

asio::awaitable<Connection::Next> Connection::Refuse(Response response, After after) {
  served_.status = response.status;
  const bool sent = co_await Send(ComposeAnswer(response, after, extent()));
  Tell();
  if (!sent) co_return Next::kClose;
  co_return after == After::kKeepOpen ? Next::kRequest : Next::kPart;
}

void Connection::KeepMarks(const Headers& headers) {
  for (const std::string& name : shared_.kept_headers) {
    if (const auto value = headers.Find(name)) served_.marks.Add(name, std::string(*value));
  }
}

void Connection::Tell() {
  if (!shared_.on_served) return;
  if (exchange_) {
    Headers marks = exchange_->marks();
    for (const Header& kept : served_.marks.all()) marks.Add(kept.name, kept.value);
    served_.marks = std::move(marks);
  }
  served_.peer = peer_;
  const auto took = requests_ == 0 ? Clock::duration{} : Clock::now() - began_;
  served_.took = std::chrono::duration_cast<std::chrono::microseconds>(took);
  shared_.on_served(served_);
}

}  // namespace belljar::http::server
