// One POST by libcurl, whose answer is handed over as it comes. Connections are kept for the next.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "mcp/channel.h"

namespace belljar::mcp {

struct HttpAnswer {
  long status = 0;
  std::string content_type;  // lower case, without parameters
  std::string session;       // MCP-Session-Id
};

class HttpPoster {
 public:
  // False: enough has been heard, and the rest of the answer is not wanted.
  using OnBody = std::function<bool(const HttpAnswer&, std::string_view)>;

  explicit HttpPoster(std::string url);
  ~HttpPoster();

  Result<HttpAnswer> Post(const std::vector<std::string>& headers, const std::string& body,
                          const Patience& patience, const OnBody& on_body);

 private:
  struct Lane;  // handles of libcurl that keep a connection
  struct Hearing;

  Result<std::unique_ptr<Lane>> TakeLane();
  void GiveBack(std::unique_ptr<Lane> lane);
  static Result<> Perform(Lane& lane, const Patience& patience, const Hearing& hearing);

  const std::string url_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Lane>> idle_;
};

}  // namespace belljar::mcp
