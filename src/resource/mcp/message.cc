#include "resource/mcp/message.h"

#include <fmt/format.h>

#include <charconv>

#include "foundation/base/json_scan.h"
#include "foundation/base/text.h"

namespace belljar::resource::mcp {
namespace {

Error Malformed(std::string_view what) {
  return Error(Kind::kInvalid, fmt::format("it is no message of JSON-RPC: {}", what));
}

std::string CutText(const json::value& value) {
  const json::string* const text = value.if_string();
  if (text == nullptr) return "";
  return ToValidUtf8(std::string_view(*text).substr(0, kMaxErrorBytes)).text;
}

Result<RpcError> ErrorIn(const json::value& value) {
  const json::object* const object = value.if_object();
  if (object == nullptr) return Malformed("its error is no object");
  const json::value* const code = object->if_contains("code");
  if (code == nullptr || !code->is_int64()) return Malformed("its error has no code");
  RpcError error;
  error.code = code->get_int64();
  if (const json::value* message = object->if_contains("message"))
    error.message = CutText(*message);
  if (const json::value* data = object->if_contains("data")) error.data = *data;
  return error;
}

// Our ids start at 1; 0 means that there is none.
std::uint64_t IdOf(const json::value* id) {
  if (id == nullptr) return 0;
  if (id->is_int64() && id->get_int64() > 0) return static_cast<std::uint64_t>(id->get_int64());
  return id->is_uint64() ? id->get_uint64() : 0;
}

Result<Message> AnswerIn(const json::object& object) {
  Answer answer;
  const json::value* const id = object.if_contains("id");
  if (id != nullptr && !id->is_int64() && !id->is_uint64() && !id->is_null()) {
    return Malformed("its id is not the number that it was asked by");
  }
  answer.id = IdOf(id);
  const json::value* const result = object.if_contains("result");
  const json::value* const error = object.if_contains("error");
  if (result != nullptr && error != nullptr) return Malformed("it has both a result and an error");
  if (result == nullptr && error == nullptr) {
    return Malformed("it has neither a method nor a result nor an error");
  }
  if (error != nullptr) {
    answer.reply.error = BJ_TRY(ErrorIn(*error));
  } else if (result->is_object()) {
    answer.reply.result = result->get_object();
  } else {
    return Malformed("its result is no object");
  }
  return Message(std::move(answer));
}

}  // namespace

Result<Message> ParseMessage(std::string_view text) {
  const json::value value = BJ_TRY(ParseJson(text));
  const json::object* const object = value.if_object();
  if (object == nullptr) return Malformed("it is no object");
  const json::value* const version = object->if_contains("jsonrpc");
  if (version == nullptr || *version != json::value("2.0"))
    return Malformed("\"jsonrpc\" is not 2.0");
  const json::value* const method = object->if_contains("method");
  if (method == nullptr) {
    Message answer = BJ_TRY(AnswerIn(*object));
    std::get<Answer>(answer).reply.unheld = PlaceOfUnheldNumber(text);
    return answer;
  }
  if (!method->is_string() || method->get_string().size() > 256)
    return Malformed("its method is no name");
  const json::value* const id = object->if_contains("id");
  if (id == nullptr) return Message(Told{std::string(method->get_string())});
  const bool plain = id->is_string() || id->is_int64() || id->is_uint64();
  if (!plain || (id->is_string() && id->get_string().size() > 256))
    return Malformed("its id is none");
  return Message(Asked{*id, std::string(method->get_string())});
}

std::uint64_t IdOfMalformed(std::string_view text) {
  std::uint64_t id = 0;
  EachScalar(text, [&](const std::vector<std::string_view>& names, std::string_view written) {
    if (names.size() != 1 || names.front() != "id") return true;
    if (written.starts_with('"')) written.remove_prefix(1);
    const char* const end = written.data() + written.size();
    const auto read = std::from_chars(written.data(), end, id);
    const std::string_view rest(read.ptr, static_cast<std::size_t>(end - read.ptr));
    const bool whole = rest.empty() || rest == "\"" ||
                       (rest.starts_with(".0") && rest.find_first_not_of('0', 1) == rest.npos);
    if (read.ec != std::errc() || !whole) id = 0;
    return false;
  });
  return id;
}

std::string RequestText(std::uint64_t id, std::string_view method, const json::object& params) {
  return json::serialize(
      json::object{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}});
}

std::string NotificationText(std::string_view method, const json::object& params) {
  json::object message{{"jsonrpc", "2.0"}, {"method", method}};
  if (!params.empty()) message["params"] = params;
  return json::serialize(message);
}

std::string AnswerTo(const Asked& asked) {
  json::object answer{{"jsonrpc", "2.0"}, {"id", asked.id}};
  if (asked.method == "ping") {
    answer["result"] = json::object();
  } else {
    answer["error"] = {{"code", kMethodNotFound}, {"message", "this client offers no such method"}};
  }
  return json::serialize(answer);
}

Result<> LineReader::Feed(std::string_view bytes,
                          const std::function<Result<>(std::string_view)>& on_line) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    if (begun_.size() + piece.size() > most_) {
      return Error(Kind::kInvalid, fmt::format("a line of more than {} bytes", most_));
    }
    if (end == std::string_view::npos) {
      begun_ += piece;
      return {};
    }
    bytes.remove_prefix(end + 1);
    std::string line;
    if (!begun_.empty()) {
      begun_ += piece;
      line.swap(begun_);
    }
    const std::string_view whole = line.empty() ? piece : std::string_view(line);
    if (!whole.empty()) BJ_TRY(on_line(whole));
  }
  return {};
}

}  // namespace belljar::resource::mcp
