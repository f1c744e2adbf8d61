// Files of a session's workspace over HTTP.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>

#include "door/api/answers.h"
#include "door/api/routes.h"
#include "foundation/base/sha256.h"
#include "foundation/base/sys.h"
#include "foundation/tree/remove.h"
#include "foundation/tree/replace.h"
#include "foundation/tree/tar.h"
#include "run/supervise.h"
#include "run/workspace.h"

namespace belljar::door::api {
namespace {

constexpr std::uint64_t kMaxFileBody = 64ULL << 20;
constexpr std::uint64_t kMaxTarBody = 300ULL << 20;
constexpr std::string_view kTar = "application/x-tar";
constexpr unsigned kTooLarge = 413;

bool WantsTar(const http::server::Request& request) {
  const auto accept = request.headers.Find("accept");
  const auto format = request.query.find("format");
  return (accept && accept->find(kTar) != std::string_view::npos) ||
         (format != request.query.end() && format->second == "tar");
}

Result<> InWorkspace(service::Service& service, http::server::Exchange& exchange,
                     const std::function<Result<>(const Fd&)>& use) {
  return service.sessions.WithWorkspace(exchange.principal().name,
                                        exchange.request().params.at("id"), use);
}

// Writes into a workspace. Data that does not fit is the caller's fault and a retry would not help,
// so the error is permanent.
Result<> IntoWorkspace(service::Service& service, http::server::Exchange& exchange,
                       const std::function<Result<>(const Fd&)>& use) {
  const auto put = InWorkspace(service, exchange, use);
  if (put || put.error().sys() != ENOSPC) return put;
  return Error(Kind::kExhausted, "the workspace has no room for it", ENOSPC);
}

http::server::Handler Putting(service::Service& service, Make make) {
  return [&service, make](http::server::Exchange exchange) {
    const auto made = make(service, exchange);
    if (made) return exchange.Answer(JsonAnswer(*made));
    if (made.error().kind() != Kind::kExhausted) return exchange.Answer(ForCaller(made.error()));
    exchange.Answer(http::server::ErrorResponse(kTooLarge, made.error()));
  };
}

// Also works on the kept files of a session that has ended.
Result<> InAnyWorkspace(service::Service& service, http::server::Exchange& exchange,
                        const std::function<Result<>(const Fd&)>& use) {
  const std::string& caller = exchange.principal().name;
  const std::string& id = exchange.request().params.at("id");
  const auto living = service.sessions.table().Show(caller, id);
  if (living && living->state != run::SessionState::kEnded) {
    return InWorkspace(service, exchange, use);
  }
  return service.archive.WithFiles(caller, id, use);
}

json::object TreeJson(const run::Listing& listing) {
  json::array files;
  for (const auto& [path, state] : listing.files) {
    files.push_back(json::object{{"id", path}, {"path", path}, {"bytes", state.size}});
  }
  return {{"files", std::move(files)}, {"incomplete", listing.incomplete}};
}

// Stores the uploaded archive in an unnamed file first, because it is read twice.
Result<Fd> TakeBodyToFile(http::server::Exchange& exchange) {
  Fd file = BJ_TRY(Open("/tmp", O_TMPFILE | O_RDWR, 0600).While("upload"));
  std::array<char, 64 << 10> piece;
  for (;;) {
    const std::size_t n = BJ_TRY(exchange.ReadBody(piece));
    if (n == 0) return file;
    const auto written = WriteAll(file, {piece.data(), n}, "the upload");
    if (!written) return Error(Kind::kUnavailable, written.error().message());  // the daemon's disk
  }
}

Result<json::value> PutTree(service::Service& service, http::server::Exchange& exchange) {
  const Fd tar = BJ_TRY(TakeBodyToFile(exchange));
  tree::Unpacked done;
  const auto unpack = [&](const Fd& workspace) -> Result<> {
    done = BJ_TRY(tree::UnpackTar(tar, workspace, run::WorkspaceOwner(workspace), {}));
    return {};
  };
  BJ_TRY(IntoWorkspace(service, exchange, unpack));
  json::object told = {
      {"files", done.files}, {"directories", done.directories}, {"bytes", done.bytes}};
  json::object noted = told;
  noted["action"] = "unpack";
  BJ_TRY(service::Note(service, exchange, record::Event::kFile, std::move(noted)));
  return json::value(std::move(told));
}

// Checks the size before the first byte is sent, since an error cannot be reported afterwards.
Result<> MustFit(const Fd& workspace, const tree::Bounds& bounds) {
  if (!BJ_TRY(tree::MeasureTar(workspace, bounds)).cut) return {};
  return Error(Kind::kExhausted,
               fmt::format("there are more than {} files or {} bytes: take the files one by one",
                           bounds.entries, bounds.bytes));
}

// Content that is too large to send stays so, so the error is permanent.
void AnswerRefusal(http::server::Exchange& exchange, const Error& error) {
  if (error.kind() != Kind::kExhausted) return exchange.Answer(error);
  exchange.Answer(http::server::ErrorResponse(kTooLarge, error));
}

void GetTree(service::Service& service, http::server::Exchange exchange) {
  const bool tar = WantsTar(exchange.request());
  const tree::Bounds bounds;
  const auto answered = InAnyWorkspace(service, exchange, [&](const Fd& workspace) -> Result<> {
    if (!tar) {
      exchange.Answer(JsonAnswer(TreeJson(run::List(workspace))));
      return {};
    }
    BJ_TRY(MustFit(workspace, bounds));
    BJ_TRY(exchange.BeginStream({http::server::StreamKind::kBytes, 200, std::string(kTar), {}}));
    BJ_TRY(tree::PackTar(workspace, bounds,
                         [&](std::string_view bytes) { return exchange.Write(bytes); }));
    exchange.EndStream();
    return {};
  });
  if (!answered) AnswerRefusal(exchange, answered.error());
}

void GetFile(service::Service& service, http::server::Exchange exchange) {
  const std::string path = exchange.request().params.at("path");
  std::string bytes;
  const auto read = InAnyWorkspace(service, exchange, [&](const Fd& workspace) -> Result<> {
    bytes = BJ_TRY(run::Fetch(workspace, path, kMaxFileBody));
    return {};
  });
  if (!read) return AnswerRefusal(exchange, read.error());
  exchange.Answer({200, "application/octet-stream", std::move(bytes), {}});
}

Result<json::value> PutFile(service::Service& service, http::server::Exchange& exchange) {
  const std::string path = exchange.request().params.at("path");
  const std::string bytes = exchange.TakeBody();
  const auto put = [&](const Fd& workspace) {
    return tree::WriteFileBeneath(workspace, {path, run::WorkspaceOwner(workspace), 0644}, bytes);
  };
  BJ_TRY(IntoWorkspace(service, exchange, put));
  const std::string digest = "sha256:" + Hex(Sha256::Of(bytes));
  BJ_TRY(service::Note(
      service, exchange, record::Event::kFile,
      {{"action", "write"}, {"path", path}, {"bytes", bytes.size()}, {"content", digest}}));
  return json::value{{"id", path}, {"path", path}, {"bytes", bytes.size()}};
}

Result<json::value> DeleteFile(service::Service& service, http::server::Exchange& exchange) {
  const std::string path = exchange.request().params.at("path");
  BJ_TRY(InWorkspace(service, exchange,
                     [&](const Fd& workspace) { return tree::RemoveBeneath(workspace, path); }));
  BJ_TRY(service::Note(service, exchange, record::Event::kFile,
                       {{"action", "delete"}, {"path", path}}));
  return json::value{{"id", path}, {"deleted", true}};
}

}  // namespace

Result<> AddFileRoutes(http::server::Router& router, service::Service& service) {
  const std::string tree = "/v1/sessions/{id}/files";
  const std::string file = tree + "/{path...}";
  BJ_TRY(router.Add("GET", tree,
                    http::server::Lasting({"sessions", [&service](http::server::Exchange exchange) {
                                             GetTree(service, std::move(exchange));
                                           }})));
  BJ_TRY(router.Add("PUT", tree,
                    http::server::Lasting({"sessions", Putting(service, PutTree), kMaxTarBody,
                                           http::server::BodyKind::kPieces})));
  BJ_TRY(router.Add("GET", file, {"sessions", [&service](http::server::Exchange exchange) {
                                    GetFile(service, std::move(exchange));
                                  }}));
  BJ_TRY(router.Add("PUT", file, {"sessions", Putting(service, PutFile), kMaxFileBody}));
  BJ_TRY(router.Add("DELETE", file, {"sessions", Answering(service, DeleteFile)}));
  return {};
}

}  // namespace belljar::door::api
