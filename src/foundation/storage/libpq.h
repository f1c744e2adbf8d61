// Libpq: PostgreSQL's client library, loaded with dlopen when a PostgreSQL database is opened.
//
// It is not linked, because it depends on two dozen libraries and would add 7 ms to every start of
// belljar, including starts that use no PostgreSQL. It is never unloaded, because some of its
// dependencies do not support that.
#pragma once

#include <libpq-fe.h>

#include "foundation/base/result.h"

namespace belljar::storage {

// clang-format would indent each line of this table further.
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
