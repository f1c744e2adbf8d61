#include "resource/mcp/http.h"

#include <fmt/format.h>

#include "resource/mcp/sse.h"

namespace belljar::resource::mcp {
namespace {

constexpr std::chrono::seconds kTellPatience{5};
constexpr std::size_t kMostUnasked = 1'000;  // events in one answer
constexpr std::size_t kMostAsked = 8;        // server-to-client requests in one answer

}  // namespace

// Collects the answer to one request.
class HttpChannel::Exchange {
 public:
  Exchange(HttpChannel& channel, std::uint64_t id) : channel_(channel), id_(id) {}

  // Returns false when the answer is complete, or an error occurred.
  bool Hear(const HttpAnswer& answer, std::string_view bytes) {
    Result<> heard;
    if (answer.content_type == "text/event-stream") {
      heard = events_.Feed(bytes, [this](std::string_view data) { return HearEvent(data); });
    } else if (body_.size() + bytes.size() > kMaxMessageBytes) {
      heard =
          Error(Kind::kInvalid, fmt::format("an answer of more than {} bytes", kMaxMessageBytes));
    } else {
      body_ += bytes;
    }
    if (!heard)
      trouble_ = Error(Kind::kUnavailable, "the server has failed: " + heard.error().message());
    return heard && !reply_;
  }

  // Parses the body of an answer that was not an event stream.
  void HearBody() {
    if (reply_ || trouble_ || body_.empty()) return;
    auto message = ParseMessage(body_);
    if (!message) {
      malformed_ = message.error().message();
      return;
    }
    auto* const answer = std::get_if<Answer>(&*message);
    // An error without an id is accepted: this exchange has only one request.
    if (answer && (answer->id == id_ || (answer->id == 0 && answer->reply.error))) {
      reply_ = std::move(answer->reply);
    } else {
      malformed_ = "it is no answer to what was asked";
    }
  }

  std::optional<Reply>& reply() { return reply_; }
  std::optional<Error>& trouble() { return trouble_; }
  // The problem with the body; empty if none is known.
  const std::string& malformed() const { return malformed_; }

 private:
  Result<> HearEvent(std::string_view data) {
    if (data.empty()) return {};  // servers send an empty first event to set the stream's id
    const Message message = BJ_TRY(ParseMessage(data));
    if (const auto* answer = std::get_if<Answer>(&message)) {
      if (answer->id == id_) reply_ = answer->reply;
    } else if (const auto* asked = std::get_if<Asked>(&message)) {
      if (++asked_ > kMostAsked) return Error(Kind::kUnavailable, "it asks more than it answers");
      // Answered at once: the server may wait for this before it sends its own answer.
      BJ_TRY(channel_.Send(channel_.HeadersFor("", {}), AnswerTo(*asked)));
    } else if (std::get<Told>(message).method == "notifications/tools/list_changed") {
      channel_.list_changed_ = true;
    }
    if (!reply_ && ++unasked_ > kMostUnasked) {
      return Error(Kind::kUnavailable, "it sends a flood of what nobody asked for");
    }
    return {};
  }

  HttpChannel& channel_;
  const std::uint64_t id_;
  SseReader events_{kMaxMessageBytes};
  std::string body_, malformed_;
  std::optional<Reply> reply_;
  std::optional<Error> trouble_;
  std::size_t unasked_ = 0, asked_ = 0;
};

Result<std::unique_ptr<Channel>> HttpChannel::Open(const std::string& url,
                                                   std::vector<std::string> headers) {
  return std::unique_ptr<Channel>(new HttpChannel(url, std::move(headers)));
}

void HttpChannel::Speak(Revision revision) {
  const std::lock_guard lock(mutex_);
  revision_ = revision;
}

std::vector<std::string> HttpChannel::HeadersFor(std::string_view method,
                                                 const json::object& params) {
  std::vector<std::string> headers = headers_;
  headers.emplace_back("Content-Type: application/json");
  headers.emplace_back("Accept: application/json, text/event-stream");
  headers.emplace_back("Expect:");  // disables waiting for "100 Continue"
  const std::lock_guard lock(mutex_);
  if (method != "initialize") {
    headers.push_back(fmt::format("MCP-Protocol-Version: {}", RevisionName(revision_)));
  }
  if (!session_.empty()) headers.push_back("MCP-Session-Id: " + session_);
  if (revision_ != Revision::k2026_07_28 || method.empty()) return headers;
  headers.push_back(fmt::format("Mcp-Method: {}", method));
  // Tool names have a restricted alphabet (tool.h), so the header cannot be injected into; other
  // texts of a guest go into no header.
  const json::value* const name = params.if_contains("name");
  if (name != nullptr && name->is_string()) {
    headers.push_back(fmt::format("Mcp-Name: {}", std::string_view(name->get_string())));
  }
  return headers;
}

std::optional<Error> HttpChannel::failure() {
  const std::lock_guard lock(mutex_);
  return failure_;
}

Result<Reply> HttpChannel::ReplyOf(const HttpAnswer& answer, Exchange& exchange) {
  if (exchange.trouble()) return *exchange.trouble();
  if (!answer.session.empty()) {
    const std::lock_guard lock(mutex_);
    session_ = answer.session;
  }
  if (answer.status == 401 || answer.status == 403) {
    return Error(Kind::kUnavailable,
                 fmt::format("the server wants other credentials (HTTP {})", answer.status));
  }
  exchange.HearBody();
  if (answer.status == 404) {
    const std::lock_guard lock(mutex_);
    if (!session_.empty()) {
      failure_ = Error(Kind::kUnavailable, "the server does not know the session any more");
      return *failure_;
    }
  }
  if (exchange.reply()) return *std::move(exchange.reply());
  // A client error counts as an answer of the server: an older server rejects the newest revision's
  // request this way.
  if (answer.status >= 400 && answer.status < 500) {
    Reply reply;
    reply.error = RpcError{-answer.status, fmt::format("HTTP {}", answer.status), {}};
    return reply;
  }
  if (answer.status == 200 && !exchange.malformed().empty()) {
    return Error(Kind::kInvalid, "the server's answer is malformed: " + exchange.malformed());
  }
  return Error(Kind::kUnavailable,
               fmt::format("the server gave no answer (HTTP {})", answer.status));
}

Result<Reply> HttpChannel::Ask(std::string_view method, const json::object& params,
                               const Patience& patience) {
  if (auto failed = failure()) return *std::move(failed);
  const std::uint64_t id = next_id_++;
  Exchange exchange(*this, id);
  const auto answer = poster_.Post(HeadersFor(method, params), RequestText(id, method, params),
                                   patience, [&](const HttpAnswer& so_far, std::string_view bytes) {
                                     return exchange.Hear(so_far, bytes);
                                   });
  if (answer) return ReplyOf(*answer, exchange);
  // In the newest revision, closing the connection cancels the request.
  const bool given_up = answer.error().kind() != Kind::kUnavailable;
  bool newest = false;
  {
    const std::lock_guard lock(mutex_);
    newest = revision_ == Revision::k2026_07_28;
  }
  if (given_up && !newest) {
    static_cast<void>(
        Tell("notifications/cancelled", {{"requestId", id}, {"reason", "nobody waits"}}));
  }
  return answer.error();
}

Result<> HttpChannel::Send(const std::vector<std::string>& headers, const std::string& text) {
  const Patience patience{Clock::now() + kTellPatience, {}};
  BJ_TRY(poster_.Post(headers, text, patience,
                      [](const HttpAnswer&, std::string_view) { return false; }));
  return {};
}

Result<> HttpChannel::Tell(std::string_view method, const json::object& params) {
  return Send(HeadersFor(method, params), NotificationText(method, params));
}

}  // namespace belljar::resource::mcp
