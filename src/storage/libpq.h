// Libpq: PostgreSQL's client library, loaded when a PostgreSQL database is opened.
//
// Not linked: it brings two dozen libraries along, and every start of belljar would spend 7 ms on
// them, those without any PostgreSQL included. It is never unloaded, because some of what it
// brings cannot be.
#pragma once

#include <libpq-fe.h>

#include "base/result.h"

namespace belljar::storage {

// A table: the formatter makes stairs of it.
// clang-format off
#define BJ_LIBPQ_FUNCTIONS(ONE) \
  ONE(PQcancel) ONE(PQclear) ONE(PQcmdStatus) ONE(PQcmdTuples) ONE(PQconnectdbParams) ONE(PQconninfoFree) \
  ONE(PQconninfoParse) ONE(PQconsumeInput) ONE(PQdb) ONE(PQerrorMessage) ONE(PQexecParams) \
  ONE(PQfinish) ONE(PQflush) ONE(PQfname) ONE(PQfreeCancel) ONE(PQfreemem) ONE(PQftype) \
  ONE(PQgetCancel) ONE(PQgetisnull) ONE(PQgetlength) \
  ONE(PQgetResult) ONE(PQgetvalue) ONE(PQhost) ONE(PQisBusy) ONE(PQnfields) ONE(PQntuples) \
  ONE(PQparameterStatus) ONE(PQresultErrorField) ONE(PQresultStatus) ONE(PQsendQuery) \
  ONE(PQsendQueryParams) ONE(PQsendQueryPrepared) ONE(PQserverVersion) ONE(PQsetnonblocking) \
  ONE(PQsetNoticeProcessor) ONE(PQsetSingleRowMode) ONE(PQsocket) ONE(PQstatus) \
  ONE(PQtransactionStatus) ONE(PQunescapeBytea)
// clang-format on

struct Libpq {
#define BJ_LIBPQ_MEMBER(name) decltype(&::name) name = nullptr;
  BJ_LIBPQ_FUNCTIONS(BJ_LIBPQ_MEMBER)
#undef BJ_LIBPQ_MEMBER

  static Result<Libpq> Load();
};

}  // namespace belljar::storage
