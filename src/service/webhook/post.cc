#include "service/webhook/post.h"

#include <fmt/format.h>

#include "foundation/http/client/libcurl.h"

namespace belljar::service::webhook {
namespace {

using http::client::Libcurl;

constexpr std::size_t kMaxAddressBytes = 2'048;

std::size_t Drop(char*, std::size_t size, std::size_t count, void*) { return size * count; }

// Owns the libcurl objects of one request.
class Exchange {
 public:
  explicit Exchange(const Libcurl& curl)
      : curl_(curl),
        url_(curl.curl_url()),
        easy_(curl.curl_easy_init()),
        headers_(curl.curl_slist_append(nullptr, "Content-Type: application/json")) {}
  ~Exchange() {
    curl_.curl_slist_free_all(headers_);
    curl_.curl_easy_cleanup(easy_);
    curl_.curl_url_cleanup(url_);
  }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  bool made() const { return url_ != nullptr && easy_ != nullptr && headers_ != nullptr; }

  // The host, for error messages: the rest of the URL may contain a secret.
  Result<std::string> Host(const std::string& address) const {
    const auto wrong = [](std::string_view why) {
      return Error(Kind::kInvalid, fmt::format("that is no address of a webhook: {}", why));
    };
    if (address.size() > kMaxAddressBytes ||
        curl_.curl_url_set(url_, CURLUPART_URL, address.c_str(), 0) != CURLUE_OK) {
      return wrong("it is not an http or https URL");
    }
    const std::string scheme = Part(CURLUPART_SCHEME);
    if (scheme != "http" && scheme != "https") return wrong("it takes http:// or https://");
    if (!Part(CURLUPART_USER).empty()) return wrong("it must hold no name or password");
    return Part(CURLUPART_HOST);
  }

  // Sends the request. Returns the answer's status, or 0.
  unsigned Send(const std::string& address, const std::string& body,
                std::chrono::milliseconds within) {
    const auto set = curl_.curl_easy_setopt;
    set(easy_, CURLOPT_URL, address.c_str());
    set(easy_, CURLOPT_PROTOCOLS_STR, "http,https");
    set(easy_, CURLOPT_FOLLOWLOCATION, 0L);
    set(easy_, CURLOPT_PROXY, "");
    set(easy_, CURLOPT_NOSIGNAL, 1L);
    set(easy_, CURLOPT_TIMEOUT_MS, static_cast<long>(within.count()));
    set(easy_, CURLOPT_USERAGENT, "belljar");
    set(easy_, CURLOPT_HTTPHEADER, headers_);
    set(easy_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    set(easy_, CURLOPT_POSTFIELDS, body.data());
    set(easy_, CURLOPT_WRITEFUNCTION, Drop);
    set(easy_, CURLOPT_MAXFILESIZE, 1L << 20);
    failed_ = curl_.curl_easy_perform(easy_);
    long status = 0;
    curl_.curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
    return static_cast<unsigned>(status);
  }
  std::string why() const { return curl_.curl_easy_strerror(failed_); }

 private:
  std::string Part(CURLUPart part) const {
    char* text = nullptr;
    if (curl_.curl_url_get(url_, part, &text, 0) != CURLUE_OK) return "";
    std::string copy(text);
    curl_.curl_free(text);
    return copy;
  }

  const Libcurl& curl_;
  CURLU* url_;
  CURL* easy_;
  curl_slist* headers_;
  CURLcode failed_ = CURLE_OK;
};

}  // namespace

Result<unsigned> Post(const std::string& address, const std::string& body,
                      std::chrono::milliseconds within) {
  if (!Libcurl::Get()) return Libcurl::Get().error();
  Exchange exchange(*Libcurl::Get());
  if (!exchange.made()) return Error(Kind::kUnavailable, "no memory for a webhook");
  const std::string host = BJ_TRY(exchange.Host(address));
  // If the server sent a status and then hung, that status counts.
  if (const unsigned status = exchange.Send(address, body, within)) return status;
  return Error(Kind::kUnavailable, fmt::format("{} did not take it: {}", host, exchange.why()));
}

}  // namespace belljar::service::webhook
