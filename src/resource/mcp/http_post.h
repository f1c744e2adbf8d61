// One POST with libcurl, whose answer is passed on as it arrives. Connections are reused.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "resource/mcp/channel.h"

namespace belljar::resource::mcp {

struct HttpAnswer {
  long status = 0;
  std::string content_type;  // lower case, without parameters
  std::string session;       // the MCP-Session-Id header
};

class HttpPoster {
 public:
  // Returns false when no more of the answer is needed.
  using OnBody = std::function<bool(const HttpAnswer&, std::string_view)>;

  explicit HttpPoster(std::string url);
  ~HttpPoster();

  Result<HttpAnswer> Post(const std::vector<std::string>& headers, const std::string& body,
                          const Patience& patience, const OnBody& on_body);

 private:
  struct Lane;  // a libcurl handle with its connection
  struct Hearing;

  Result<std::unique_ptr<Lane>> TakeLane();
  void GiveBack(std::unique_ptr<Lane> lane);
  static Result<> Perform(Lane& lane, const Patience& patience, const Hearing& hearing);

  const std::string url_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Lane>> idle_;
};

}  // namespace belljar::resource::mcp
