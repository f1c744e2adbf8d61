// Rules about databases: SQL statements that write, and tools that change databases.
#include <fmt/format.h>

#include <algorithm>

#include "judgement/analysis/shell/judge.h"
#include "judgement/analysis/shell/text.h"

namespace belljar::judgement::analysis::shell {
namespace {

constexpr std::size_t kMaxSql = 64 * 1024;

void ReportWrite(Context& context, const Call& call, std::string_view what) {
  context.Find("sh-database-write", call.place, call.name,
               fmt::format("\"{}\" {}.", call.name, what));
}

// Runs the shell escapes of database clients: \!, .shell and .system.
void RunShellEscapes(Context& context, const Call& call, std::string_view text) {
  for (std::string_view line : SplitAt(text, "\n")) {
    for (const std::string_view start : {"\\!", ".shell", ".system", "system "}) {
      if (!line.starts_with(start)) continue;
      RunText(context, Word::OfText(line.substr(start.size())), call.place, Stream());
    }
  }
}

// True for MongoDB calls that change data, such as db.users.remove(…).
bool WritesMongo(std::string_view text) {
  return HasName(TokensOf(text.substr(0, kMaxSql), Comments::kDashes), {"drop",
                                                                        "dropDatabase",
                                                                        "remove",
                                                                        "deleteOne",
                                                                        "deleteMany",
                                                                        "insert",
                                                                        "insertOne",
                                                                        "insertMany",
                                                                        "update",
                                                                        "updateOne",
                                                                        "updateMany",
                                                                        "replaceOne",
                                                                        "createUser",
                                                                        "createCollection",
                                                                        "dropUser",
                                                                        "save",
                                                                        "bulkWrite",
                                                                        "createIndex",
                                                                        "dropIndex",
                                                                        "renameCollection",
                                                                        "findOneAndDelete",
                                                                        "findOneAndUpdate",
                                                                        "grantRolesToUser",
                                                                        "shutdownServer",
                                                                        "dropIndexes",
                                                                        "rename"});
}

bool Writes(const Call& call, std::string_view text) {
  const bool mongo = call.name == "mongo" || call.name == "mongosh";
  return mongo ? WritesMongo(text) : WritesSql(text);
}

void CheckStatements(Context& context, const Call& call, const Word& text) {
  RunShellEscapes(context, call, text.Lead());
  // Unknown parts are assumed to be values, though they could contain statements.
  std::string known;
  for (const Piece& piece : text.pieces()) {
    known += piece.kind == Piece::Kind::kUnknown ? " x " : piece.text;
  }
  if (Writes(call, known)) ReportWrite(context, call, "changes the database");
}

}  // namespace

bool WritesSql(std::string_view text) {
  bool starts = true;    // at the first word of a statement
  bool in_with = false;  // WITH … INSERT
  for (const Token& token : TokensOf(text.substr(0, kMaxSql), Comments::kDashes)) {
    if (token.kind == Token::Kind::kSign) {
      starts |= token.text == ";" || token.text == "(";
      continue;
    }
    if (token.kind != Token::Kind::kName) continue;
    const std::string word = LowerCase(token.text);
    const bool writes = IsListed(
        "insert update delete drop alter create truncate grant revoke replace merge upsert copy "
        "load vacuum reindex import attach call lock rename cluster refresh",
        word);
    if (writes && (starts || in_with)) return true;
    if (starts && (word == "with" || word == "explain" || word == "begin" || word == "do"))
      in_with = true;
    starts = word == "begin" || word == "analyze" || word == "as";
  }
  return false;
}

Level CheckSql(Context& context, const Call& call, const Arguments& arguments) {
  bool has_text = false;
  for (const Option& option : arguments.options()) {
    const bool is_text = IsListed(
                             "-c --command -e --execute --eval --query -query -Q --cmd -cmd "
                             "--init-command -E --sql",
                             option.name) ||
                         (option.name == "-q" && call.name.starts_with("clickhouse"));
    const bool is_file = (option.name == "-f" && call.name != "mysql" && call.name != "mariadb") ||
                         option.name == "--file" || (option.name == "-i" && call.name == "sqlcmd");
    if (is_text) {
      has_text = true;
      CheckStatements(context, call, option.value);
    } else if (is_file) {
      has_text = true;
      const Stream* known = KnownFile(context, option.value);
      if (known != nullptr && known->text) {
        CheckStatements(context, call, Word::OfText(*known->text));
      } else {
        ReportWrite(context, call, "runs a file of statements that may change the database");
      }
    }
  }
  const auto& operands = arguments.operands();
  const bool takes_operand =
      IsListed("sqlite3 sqlite duckdb bq clickhouse cockroach influx usql", call.name);
  for (std::size_t i = 1; takes_operand && i < operands.size(); ++i) {
    has_text = true;
    CheckStatements(context, call, operands[i]);
  }
  if (call.in.fed && !has_text) {
    const Word text = call.in.text ? Word::OfText(*call.in.text) : call.in.parts.value_or(Word());
    CheckStatements(context, call, text);
    const bool hidden = !call.in.text && !call.in.parts;
    if (hidden) ReportWrite(context, call, "runs statements that may change the database");
  }
  return Level::kRunsCode;
}

Level CheckRedis(Context& context, const Call& call, const Arguments& arguments) {
  std::string commands;
  for (const Word& operand : arguments.operands()) commands += operand.Lead() + "\n";
  if (call.in.text) commands += *call.in.text;
  bool writes = call.in.fed && !call.in.text;
  for (const std::string_view word : SplitAt(commands, " \n")) {
    writes |= IsListed(
        "set del flushall flushdb hset hdel lpush rpush lpop rpop sadd srem zadd zrem expire "
        "rename "
        "incr decr append mset unlink config eval script shutdown restore migrate put delete "
        "import setex setnx getset persist xadd incrby decrby hmset debug slaveof replicaof",
        LowerCase(word));
    if (LowerCase(word) == "get" || LowerCase(word) == "keys") break;
  }
  if (writes) ReportWrite(context, call, "changes the database");
  return Level::kRunsCode;
}

Level CheckDatabaseTool(Context& context, const Call& call, const Arguments& arguments) {
  const std::string verb = arguments.Operand(0);
  if (call.name == "mysqladmin" &&
      IsListed("status ping processlist variables version extended-status", verb)) {
    return Level::kRunsCode;
  }
  const bool lists = call.name == "pg_restore" && arguments.Has("-l --list");
  if (!lists) ReportWrite(context, call, "changes a database");
  return Level::kRunsCode;
}

Level CheckMigration(Context& context, const Call& call, const Arguments& arguments) {
  for (const Word& operand : arguments.operands()) {
    const std::string verb = operand.Lead();
    const bool changes = IsListed(
        "migrate upgrade downgrade up down flush loaddata db:migrate db:drop db:reset "
        "db:create db:seed db:rollback migrate:latest migrate:rollback "
        "migrate:fresh migrate:reset migration:run update repair clean "
        "rollback sqlflush db:setup db:schema:load drop reset apply "
        "push deploy db:push db:wipe db:migrate:undo",
        verb);
    if (!changes) continue;
    ReportWrite(context, call, "changes the tables of a database");
    break;
  }
  return Level::kRunsCode;
}

}  // namespace belljar::judgement::analysis::shell
