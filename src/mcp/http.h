// HttpChannel: an MCP server behind an address: each message is a POST ("streamable HTTP").
//
// The answer comes as JSON or as a stream of events, of which one is the answer. In the newest
// revision a request carries all there is to know in headers; in the older ones the server may give
// the session a name, which every later request repeats. A session that the server does not know
// any more is a failure of the channel: whoever owns it makes another.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "mcp/http_post.h"

namespace belljar::mcp {

class HttpChannel final : public Channel {
 public:
  // `headers` are "Name: value", and are sent with every request.
  static Result<std::unique_ptr<Channel>> Open(const std::string& url,
                                               std::vector<std::string> headers);

  Result<Reply> Ask(std::string_view method, const json::object& params,
                    const Patience& patience) override;
  Result<> Tell(std::string_view method, const json::object& params) override;
  void Speak(Revision revision) override;
  std::optional<Error> failure() override;
  bool TakeListChanged() override { return list_changed_.exchange(false); }

 private:
  class Exchange;

  HttpChannel(const std::string& url, std::vector<std::string> headers)
      : poster_(url), headers_(std::move(headers)) {}
  std::vector<std::string> HeadersFor(std::string_view method, const json::object& params);
  Result<> Send(const std::vector<std::string>& headers, const std::string& text);
  Result<Reply> ReplyOf(const HttpAnswer& answer, Exchange& exchange);

  HttpPoster poster_;
  const std::vector<std::string> headers_;
  std::atomic<std::uint64_t> next_id_{1};
  std::atomic<bool> list_changed_{false};
  std::mutex mutex_;
  Revision revision_ = Revision::k2026_07_28;
  std::string session_;
  std::optional<Error> failure_;
};

}  // namespace belljar::mcp
