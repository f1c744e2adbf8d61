#include "resource/mcp/client.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "foundation/base/text.h"

namespace belljar::resource::mcp {
namespace {

constexpr std::array<std::string_view, 3> kRevisions = {"2025-06-18", "2025-11-25", "2026-07-28"};
// A server that does not answer the newest revision's request in this time may be waiting for the
// older handshake.
constexpr std::chrono::seconds kDiscoverPatience{5};

json::object OurName() { return {{"name", "belljar"}, {"version", "1"}}; }

// Makes the server's text fit for our messages: one line, and short.
std::string Said(const RpcError& error) {
  std::string text = error.message.substr(0, 512);
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return fmt::format("the server answered: {} ({})", ToValidUtf8(text).text, error.code);
}

bool Lists(const json::value* versions, std::string_view version) {
  if (versions == nullptr || !versions->is_array()) return false;
  return std::ranges::any_of(versions->get_array(), [&](const json::value& each) {
    return each.is_string() && each.get_string() == version;
  });
}

bool ListsOlder(const json::value* versions) {
  return Lists(versions, kRevisions[0]) || Lists(versions, kRevisions[1]);
}

// The list of revisions that the server supports, from its error.
const json::value* Supported(const RpcError& error) {
  const json::object* const data = error.data.if_object();
  return data == nullptr ? nullptr : data->if_contains("supported");
}

bool SupportsNewest(const RpcError& error) {
  return error.code == kUnsupportedVersion &&
         Lists(Supported(error), RevisionName(Revision::k2026_07_28));
}

Error SpeaksNothingOfOurs() {
  return Error(
      Kind::kUnavailable,
      "the server speaks none of the revisions 2026-07-28, 2025-11-25 and 2025-06-18 of MCP");
}

}  // namespace

std::string_view RevisionName(Revision revision) {
  return kRevisions[static_cast<std::size_t>(revision)];
}

std::optional<Revision> RevisionNamed(std::string_view name) {
  const auto found = std::ranges::find(kRevisions, name);
  if (found == kRevisions.end()) return std::nullopt;
  return static_cast<Revision>(found - kRevisions.begin());
}

Result<std::unique_ptr<Client>> Client::Open(std::unique_ptr<Channel> channel, Opening opening,
                                             const Patience& patience) {
  std::unique_ptr<Client> client(new Client(std::move(channel)));
  client->channel_->Speak(Revision::k2026_07_28);
  if (opening == Opening::kDiscover) {
    const bool newest = BJ_TRY(client->Discover(patience));
    if (newest) return client;
  }
  const bool older = BJ_TRY(client->Initialize(patience));
  if (!older) client->channel_->Speak(Revision::k2026_07_28);
  return client;
}

Result<bool> Client::Discover(const Patience& patience) {
  const Patience brief{std::min(patience.deadline, Clock::now() + kDiscoverPatience),
                       patience.stop};
  const auto reply = channel_->Ask("server/discover", WithMeta({}), brief);
  if (!reply) {
    // The server does not answer, or answers something malformed: it does not know the request.
    const Kind kind = reply.error().kind();
    const bool lost = kind == Kind::kExhausted || kind == Kind::kInvalid;
    if (lost && Clock::now() < patience.deadline) return false;
    return reply.error();
  }
  if (!reply->error) {
    const json::value* const versions = reply->result.if_contains("supportedVersions");
    if (Lists(versions, RevisionName(Revision::k2026_07_28))) return true;
    if (ListsOlder(versions)) return false;
    return SpeaksNothingOfOurs();
  }
  const std::int64_t code = reply->error->code;
  if (code == kUnsupportedVersion) {
    if (ListsOlder(Supported(*reply->error))) return false;
    return SpeaksNothingOfOurs();
  }
  if (code == kHeaderMismatch || code == kMissingCapability) {
    return Error(Kind::kUnavailable, Said(*reply->error));
  }
  return false;  // the server does not know the method
}

// The handshake of the older revisions. Returns false if the server speaks the newest revision
// after all: a server that was slow to start may have taken the timed-out server/discover for the
// first message.
Result<bool> Client::Initialize(const Patience& patience) {
  channel_->Speak(Revision::k2025_11_25);
  const json::object params{{"protocolVersion", RevisionName(Revision::k2025_11_25)},
                            {"capabilities", json::object()},
                            {"clientInfo", OurName()}};
  const Reply reply = BJ_TRY(channel_->Ask("initialize", params, patience));
  if (reply.error) {
    if (SupportsNewest(*reply.error)) return false;
    return Error(Kind::kUnavailable, Said(*reply.error));
  }
  const json::value* const version = reply.result.if_contains("protocolVersion");
  const auto agreed = version != nullptr && version->is_string()
                          ? RevisionNamed(version->get_string())
                          : std::nullopt;
  if (!agreed || *agreed == Revision::k2026_07_28) return SpeaksNothingOfOurs();
  revision_ = *agreed;
  channel_->Speak(revision_);
  BJ_TRY(channel_->Tell("notifications/initialized", {}));
  return true;
}

json::object Client::WithMeta(json::object params) const {
  if (revision_ != Revision::k2026_07_28) return params;
  params["_meta"] = {{"io.modelcontextprotocol/protocolVersion", RevisionName(revision_)},
                     {"io.modelcontextprotocol/clientCapabilities", json::object()},
                     {"io.modelcontextprotocol/clientInfo", OurName()}};
  return params;
}

Result<std::vector<Tool>> Client::Tools(const Patience& patience) {
  std::vector<Tool> tools;
  std::string cursor;
  for (std::size_t page = 0; page < kMostPages; ++page) {
    json::object params;
    if (!cursor.empty()) params["cursor"] = cursor;
    const Reply reply = BJ_TRY(channel_->Ask("tools/list", WithMeta(std::move(params)), patience));
    if (reply.error) return Error(Kind::kUnavailable, Said(*reply.error));
    cursor = BJ_TRY(AddTools(reply.result, tools));
    if (cursor.empty()) return tools;
  }
  return Error(Kind::kExhausted,
               fmt::format("the server's list of tools has more than {} pages", kMostPages));
}

Result<CallResult> Client::Call(const std::string& tool, const json::object& arguments,
                                const Patience& patience) {
  json::object params = WithMeta({{"name", tool}, {"arguments", arguments}});
  Reply reply = BJ_TRY(channel_->Ask("tools/call", params, patience));
  if (reply.error) return Error(Kind::kInvalid, Said(*reply.error));
  if (reply.unheld) {
    return Error(
        Kind::kInvalid,
        fmt::format("the server's answer cannot be told: its number at \"{}\" is beyond 64 "
                    "bits, or too large",
                    ToValidUtf8(reply.unheld->substr(0, 256)).text));
  }
  return ReadCallResult(std::move(reply.result));
}

}  // namespace belljar::resource::mcp
