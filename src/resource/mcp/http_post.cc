#include "resource/mcp/http_post.h"

#include <fmt/format.h>

#include <algorithm>

#include "foundation/http/client/libcurl.h"

namespace belljar::resource::mcp {

using http::client::Libcurl;

namespace {

constexpr std::size_t kMostIdle = 4;
constexpr int kAskedEndMs = 100;  // how often cancellation is checked

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r' || text.back() == '\n')) {
    text.remove_suffix(1);
  }
  return text;
}

}  // namespace

struct HttpPoster::Lane {
  explicit Lane(const Libcurl& library)
      : curl(library), multi(library.curl_multi_init()), easy(library.curl_easy_init()) {}
  ~Lane() {
    curl.curl_easy_cleanup(easy);
    curl.curl_multi_cleanup(multi);
  }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  const Libcurl& curl;
  CURLM* multi;
  CURL* easy;
};

// The state of an answer that is being received.
struct HttpPoster::Hearing {
  const OnBody& on_body;
  HttpAnswer answer{};
  bool enough = false;

  static std::size_t OnHeader(char* bytes, std::size_t size, std::size_t count, void* self) {
    static_cast<Hearing*>(self)->Header({bytes, size * count});
    return size * count;
  }
  static std::size_t OnBytes(char* bytes, std::size_t size, std::size_t count, void* self) {
    auto& hearing = *static_cast<Hearing*>(self);
    hearing.enough = hearing.enough || !hearing.on_body(hearing.answer, {bytes, size * count});
    return hearing.enough ? 0 : size * count;
  }

  void Header(std::string_view line) {
    if (line.starts_with("HTTP/")) {
      const std::size_t space = line.find(' ');
      answer = {};
      answer.status =
          space == line.npos ? 0 : std::atol(std::string(line.substr(space, 4)).c_str());
      return;
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return;
    const std::string name = Lower(line.substr(0, colon));
    const std::string_view value = Trimmed(line.substr(colon + 1));
    if (name == "content-type")
      answer.content_type = Lower(Trimmed(value.substr(0, value.find(';'))));
    const bool plain = std::ranges::all_of(value, [](char c) { return c > ' ' && c < 0x7f; });
    if (name == "mcp-session-id" && value.size() <= 1'024 && plain) answer.session = value;
  }
};

HttpPoster::HttpPoster(std::string url) : url_(std::move(url)) {}
HttpPoster::~HttpPoster() = default;

Result<std::unique_ptr<HttpPoster::Lane>> HttpPoster::TakeLane() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto lane = std::move(idle_.back());
      idle_.pop_back();
      return lane;
    }
  }
  if (!Libcurl::Get()) return Libcurl::Get().error();
  auto lane = std::make_unique<Lane>(*Libcurl::Get());
  if (lane->multi == nullptr || lane->easy == nullptr) {
    return Error(Kind::kUnavailable, "no memory for an HTTP request");
  }
  return lane;
}

void HttpPoster::GiveBack(std::unique_ptr<Lane> lane) {
  const std::lock_guard lock(mutex_);
  if (idle_.size() < kMostIdle) idle_.push_back(std::move(lane));
}

Result<> HttpPoster::Perform(Lane& lane, const Patience& patience, const Hearing& hearing) {
  for (;;) {
    int running = 0;
    lane.curl.curl_multi_perform(lane.multi, &running);
    if (hearing.enough) return {};
    if (running == 0) break;
    if (patience.stop.stop_requested()) return Error(Kind::kDenied, "the call was given up");
    if (Clock::now() >= patience.deadline) {
      return Error(Kind::kExhausted, "the server did not answer in time");
    }
    lane.curl.curl_multi_poll(lane.multi, nullptr, 0, kAskedEndMs, nullptr);
  }
  int left = 0;
  const CURLMsg* const message = lane.curl.curl_multi_info_read(lane.multi, &left);
  const CURLcode code = message == nullptr ? CURLE_FAILED_INIT : message->data.result;
  if (code == CURLE_OK) return {};
  return Error(Kind::kUnavailable,
               fmt::format("the server cannot be reached: {}", lane.curl.curl_easy_strerror(code)));
}

Result<HttpAnswer> HttpPoster::Post(const std::vector<std::string>& headers,
                                    const std::string& body, const Patience& patience,
                                    const OnBody& on_body) {
  std::unique_ptr<Lane> lane = BJ_TRY(TakeLane());
  const Libcurl& curl = lane->curl;
  curl_slist* list = nullptr;
  for (const std::string& header : headers) list = curl.curl_slist_append(list, header.c_str());
  Hearing hearing{on_body};
  const auto set = curl.curl_easy_setopt;
  curl.curl_easy_reset(lane->easy);
  set(lane->easy, CURLOPT_URL, url_.c_str());
  set(lane->easy, CURLOPT_PROTOCOLS_STR, "http,https");
  set(lane->easy, CURLOPT_FOLLOWLOCATION, 0L);
  set(lane->easy, CURLOPT_PROXY, "");
  set(lane->easy, CURLOPT_NOSIGNAL, 1L);
  set(lane->easy, CURLOPT_TCP_NODELAY, 1L);
  set(lane->easy, CURLOPT_USERAGENT, "belljar");
  set(lane->easy, CURLOPT_HTTPHEADER, list);
  set(lane->easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  set(lane->easy, CURLOPT_POSTFIELDS, body.data());
  set(lane->easy, CURLOPT_HEADERFUNCTION, Hearing::OnHeader);
  set(lane->easy, CURLOPT_HEADERDATA, &hearing);
  set(lane->easy, CURLOPT_WRITEFUNCTION, Hearing::OnBytes);
  set(lane->easy, CURLOPT_WRITEDATA, &hearing);
  curl.curl_multi_add_handle(lane->multi, lane->easy);
  const auto done = Perform(*lane, patience, hearing);
  curl.curl_multi_remove_handle(lane->multi, lane->easy);
  curl.curl_slist_free_all(list);
  // A handle that stopped in the middle of an answer is not reused.
  if (done && !hearing.enough) GiveBack(std::move(lane));
  if (!done) return done.error();
  return hearing.answer;
}

}  // namespace belljar::resource::mcp
