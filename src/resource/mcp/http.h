// HttpChannel: an MCP server behind a URL; each message is a POST ("streamable HTTP").
//
// The answer is JSON or a stream of server-sent events, one of which is the answer. In the newest
// revision a request is self-contained, with its metadata in headers. In the older revisions the
// server may assign a session id, which every later request repeats. If the server no longer knows
// the session, the channel fails, and its owner opens a new one.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "resource/mcp/http_post.h"

namespace belljar::resource::mcp {

class HttpChannel final : public Channel {
 public:
  // `headers` are "Name: value" lines that are sent with every request.
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

}  // namespace belljar::resource::mcp
