// The audit log over HTTP: the caller's own records or, with the scope admin, all records.
#include <fmt/format.h>

#include <charconv>

#include "door/api/answers.h"
#include "door/api/history.h"
#include "door/api/routes.h"

namespace belljar::door::api {
namespace {

Result<std::uint64_t> IndexOf(const http::server::Exchange& exchange) {
  const std::string& text = exchange.request().params.at("index");
  std::uint64_t index = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, index);
  if (error != std::errc() || at != end) {
    return Error(Kind::kInvalid, fmt::format("\"{}\" is no index of a record", text.substr(0, 64)));
  }
  return index;
}

bool SeesAll(const http::server::Exchange& exchange) {
  return exchange.principal().scopes.contains("admin");
}

json::value RecordJson(const record::Record& record) {
  json::value entry = json::parse(record.entry);  // written by the log in canonical form
  entry.as_object()["id"] = std::to_string(record.index);
  entry.as_object()["hash"] = record.hash;
  return entry;
}

Result<record::Record> FindRecord(service::Service& service,
                                  const http::server::Exchange& exchange) {
  const std::uint64_t index = BJ_TRY(IndexOf(exchange));
  const auto record = BJ_TRY(service.log.At(index));
  if (!record || (!SeesAll(exchange) && record->caller != exchange.principal().name)) {
    return Error(Kind::kNotFound, fmt::format("there is no record {}", index));
  }
  return *record;
}

Result<json::value> ListRecords(service::Service& service, http::server::Exchange& exchange) {
  record::Filter filter;
  if (!SeesAll(exchange)) filter.caller = exchange.principal().name;
  const auto id_of = [&](const std::string& handle) {
    return service::IdOfSessionNamed(service, exchange.principal().name, handle);
  };
  BJ_TRY(ApplyFilters(exchange.request().query, id_of, filter));
  json::array records;
  for (const auto& record : BJ_TRY(service.log.Find(filter))) {
    records.push_back(RecordJson(record));
  }
  return json::value{{"records", std::move(records)}};
}

Result<json::value> ShowRecord(service::Service& service, http::server::Exchange& exchange) {
  return RecordJson(BJ_TRY(FindRecord(service, exchange)));
}

void ShowProof(service::Service& service, http::server::Exchange exchange) {
  const auto record = FindRecord(service, exchange);
  if (!record) return exchange.Answer(record.error());
  auto proof = service.log.Proof(record->index);
  if (!proof) return exchange.Answer(proof.error());
  exchange.Answer({200, "text/plain; charset=utf-8", *std::move(proof), {}});
}

}  // namespace

Result<> AddAuditRoutes(http::server::Router& router, service::Service& service) {
  BJ_TRY(router.Add("GET", "/v1/audit", {"audit", Answering(service, ListRecords)}));
  BJ_TRY(router.Add("GET", "/v1/audit/{index}", {"audit", Answering(service, ShowRecord)}));
  BJ_TRY(router.Add("GET", "/v1/audit/{index}/proof",
                    {"audit", [&service](http::server::Exchange exchange) {
                       ShowProof(service, std::move(exchange));
                     }}));
  return {};
}

}  // namespace belljar::door::api
