// Programs of other languages in arguments: detects reverse shells in them, and shell commands that
// they run.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "judgement/analysis/shell/expand.h"
#include "judgement/analysis/shell/judge.h"
#include "judgement/analysis/shell/text.h"

namespace belljar::judgement::analysis::shell {
namespace {

constexpr std::size_t kMaxProgram = 32 * 1024;

void ReportReverse(Context& context, const Call& call) {
  context.Find("sh-reverse-shell", call.place, call.name,
               fmt::format("\"{}\" hands a shell to whoever is at the other end.", call.name));
}

using Tokens = std::vector<Token>;

bool Fetches(const Tokens& tokens) {
  return HasName(tokens, {"urlopen", "urllib", "requests", "urlretrieve", "LWP", "open_uri",
                          "fetch", "file_get_contents", "getstore", "httpx", "Net"});
}

// True for programs that evaluate downloaded code: eval get("http://…"), eval
// URI.open("https://…").read
bool EvaluatesAddress(const Tokens& tokens) {
  const auto is_address = [](const Token& token) {
    return token.kind == Token::Kind::kText &&
           (token.text.starts_with("http://") || token.text.starts_with("https://"));
  };
  return HasName(tokens, {"eval", "instance_eval"}) && std::ranges::any_of(tokens, is_address);
}

bool Decodes(const Tokens& tokens) {
  return HasName(tokens, {"b64decode", "decode_base64", "unhexlify", "fromhex", "base64_decode",
                          "unpack", "decode64", "chr", "atob", "decodebytes", "a2b_base64", "rot13",
                          "pack", "decompress", "gzuncompress", "str_rot13", "reverse"});
}

}  // namespace

void CheckReverseProgram(Context& context, const Call& call, std::string_view text) {
  const auto tokens = TokensOf(text.substr(0, kMaxProgram), Comments::kHash);
  const bool connects =
      HasName(tokens, {"socket", "Socket", "TCPSocket", "fsockopen", "INET", "inet", "net",
                       "create_connection", "TCPClient", "pfsockopen", "stream_socket_client",
                       "tcp", "connect", "sockaddr_in"});
  const bool spawns = HasName(
      tokens, {"dup2",      "pty",        "spawn",    "spawnSync", "system", "exec",
               "execSync",  "subprocess", "popen",    "Popen",     "execve", "execl",
               "proc_open", "shell_exec", "passthru", "bash",      "sh",     "child_process",
               "getline",   "fdopen",     "invoke",   "popen4",    "cmd"});
  const bool backquotes = std::any_of(tokens.begin(), tokens.end(), [](const Token& token) {
    return token.kind == Token::Kind::kBackquoted;
  });
  if (connects && (spawns || backquotes)) ReportReverse(context, call);
}

// The output of such a program: a download, decoded data, or the string literals that it prints.
Stream OutputOfProgram(std::string_view text) {
  const auto tokens = TokensOf(text.substr(0, kMaxProgram), Comments::kHash);
  if (Fetches(tokens) || HasName(tokens, {"http", "https"})) return Stream::Of(kDownloaded);
  if (Decodes(tokens)) return Stream::Of(kDecoded);
  std::string printed;
  bool prints = false;
  for (const Token& token : tokens) {
    if (token.kind == Token::Kind::kName) {
      prints = token.text == "print" || token.text == "puts" || token.text == "echo" ||
               token.text == "say" || token.text == "log" || token.text == "write" ||
               token.text == "printf";
    } else if (prints && token.kind == Token::Kind::kText) {
      printed += Unescape(token.text) + "\n";
    }
  }
  // A string built from character codes counts as decoded: its content is hidden from a reader.
  if (printed.find("%c") != std::string::npos) return Stream::Of(kDecoded);
  return printed.empty() ? Stream::Of(kPlain) : Stream::OfText(std::move(printed));
}

namespace {

// Functions that run their first string argument in a shell, and functions that take a program and
// its arguments.
bool RunsCommands(std::string_view name) {
  static const std::set<std::string_view> kNames = {
      "system",          "exec",   "popen",     "shell_exec", "passthru",     "execute",
      "spawn",           "qx",     "proc_open", "execSync",   "spawnSync",    "execFile",
      "execFileSync",    "run",    "call",      "check_call", "check_output", "Popen",
      "getoutput",       "execvp", "execv",     "execl",      "execlp",       "spawnl",
      "getstatusoutput", "sh"};
  return kNames.contains(name);
}

bool RemovesTrees(std::string_view name) {
  return name == "rmtree" || name == "rm_rf" || name == "rm_r" || name == "rmSync" ||
         name == "rmdirSync" || name == "remove_tree" || name == "remove_entry_secure" ||
         name == "rimraf" || name == "removeSync";
}

void RunTexts(Context& context, const Call& call, std::vector<std::string>& texts) {
  if (texts.size() == 1) {
    RunText(context, Word::OfText(texts[0]), call.place, Stream());
  } else if (!texts.empty()) {
    Call inner;
    inner.place = call.place;
    if (texts[0].starts_with('-')) inner.words.push_back(Word::OfText(call.name));
    for (const std::string& text : texts) inner.words.push_back(Word::OfText(text));
    Judge(context, std::move(inner));
  }
  texts.clear();
}

}  // namespace

// Runs the shell commands of a program, system("…") and `…`, and checks the trees that it removes.
void CheckShellOut(Context& context, const Call& call, std::string_view text, Code code) {
  bool calls = false;
  bool removes = false;
  std::vector<std::string> texts;
  for (const Token& token : TokensOf(text.substr(0, kMaxProgram), Comments::kHash)) {
    if (token.kind == Token::Kind::kBackquoted && code != Code::kJavaScript) {
      RunText(context, Word::OfText(token.text), call.place, Stream());
    } else if (token.kind == Token::Kind::kName &&
               (RunsCommands(token.text) || (code == Code::kOther && token.text == "shell"))) {
      RunTexts(context, call, texts);
      calls = true;
    } else if (token.kind == Token::Kind::kName && RemovesTrees(token.text)) {
      removes = true;
    } else if (token.kind == Token::Kind::kText && removes) {
      Fields path;
      path.AddLiteral(token.text);
      for (const Word& word : path.Take(context))
        CheckRemoved(context, word, call.place, call.name);
    } else if (token.kind == Token::Kind::kText && calls) {
      texts.push_back(token.text);
    } else if (token.kind == Token::Kind::kSign && (token.text == ";" || token.text == ")")) {
      RunTexts(context, call, texts);
      calls = removes = false;
    }
  }
  RunTexts(context, call, texts);
}

// Runs the commands of a Tcl program, which are not quoted: exec rm -rf /, [exec id], spawn ssh
// host.
void RunTcl(Context& context, const Call& call, std::string_view text) {
  for (std::string_view line : SplitAt(text.substr(0, kMaxProgram), "\n;[]")) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t{"), line.size()));
    const std::size_t end = std::min(line.find(' '), line.size());
    if (!IsListed("exec spawn system open", line.substr(0, end))) continue;
    std::string command(line.substr(end));
    while (!command.empty() && (command.front() == ' ' || command.front() == '|')) {
      command.erase(0, 1);
    }
    for (char& c : command) c = c == '{' || c == '}' || c == '"' ? ' ' : c;
    RunText(context, Word::OfText(command), call.place, Stream());
  }
}

// Reports programs that run what they download or decode, or that upload files.
void CheckProgramFlow(Context& context, const Call& call, std::string_view text) {
  const auto tokens = TokensOf(text.substr(0, kMaxProgram), Comments::kHash);
  if (HasName(tokens,
              {"exec", "eval", "instance_eval", "runInThisContext", "Function", "loadstring"})) {
    if (Fetches(tokens)) CheckRun(context, call.place, call.name, kDownloaded);
    if (Decodes(tokens)) CheckRun(context, call.place, call.name, kDecoded);
  }
  if (EvaluatesAddress(tokens)) CheckRun(context, call.place, call.name, kDownloaded);
  const bool sends = Fetches(tokens) || HasName(tokens, {"post", "sendall", "put"});
  const bool secret = HasName(tokens, {"id_rsa", "id_ed25519", "ssh", "passwd", "shadow", "environ",
                                       "credentials", "netrc", "env", "kube", "gnupg", "aws"});
  if (sends && secret) {
    context.Find("sh-upload", call.place, call.name,
                 fmt::format("\"{}\" sends secrets to another machine.", call.name));
  }
}

// awk runs commands by system() and by pipes from or to strings.
Level CheckAwk(Context& context, const Call& call, const Arguments& arguments) {
  const auto& operands = arguments.operands();
  const Option* option = arguments.Find("-e");
  const std::string text =
      option != nullptr ? option->value.Lead()
                        : (operands.empty() || arguments.Has("-f") ? "" : operands[0].Lead());
  const auto tokens = TokensOf(text.substr(0, kMaxProgram), Comments::kHash);
  Level level = Level::kReads;
  bool prints = false;  // inside print, outside parentheses, where ">" redirects to a file
  if (HasName(tokens, {"inet"}) && HasName(tokens, {"tcp", "udp"})) ReportReverse(context, call);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool is_text = tokens[i].kind == Token::Kind::kText;
    const auto sign_at = [&](std::size_t at, std::string_view sign) {
      return at < tokens.size() && tokens[at].kind == Token::Kind::kSign && tokens[at].text == sign;
    };
    if (tokens[i].kind == Token::Kind::kName && tokens[i].text == "system")
      level = Level::kRunsCode;
    if (tokens[i].kind == Token::Kind::kName && tokens[i].text.starts_with("print")) prints = true;
    if (sign_at(i, ";") || sign_at(i, "}") || sign_at(i, "(")) prints = false;
    if (prints && sign_at(i, ">")) level = std::max(level, Level::kWrites);
    if (!is_text) continue;
    const bool from_system = i >= 2 && tokens[i - 2].text == "system";
    const bool to_pipe = i >= 1 && (sign_at(i - 1, "|") || sign_at(i - 1, "&"));
    const bool from_pipe =
        sign_at(i + 1, "|") && i + 2 < tokens.size() && tokens[i + 2].text == "getline";
    if (from_system || to_pipe || from_pipe) {
      level = Level::kRunsCode;
      const bool printed = i >= 2 && to_pipe && tokens[i - 2].kind == Token::Kind::kText;
      const Stream in = printed ? Stream::OfText(tokens[i - 2].text) : Stream::Of(kPlain);
      RunText(context, Word::OfText(tokens[i].text), call.place, in);
    } else if (i >= 1 && sign_at(i - 1, ">")) {
      level = std::max(level, Level::kWrites);
      CheckWritten(context, Word::OfText(tokens[i].text), call.place, call.name);
    }
  }
  if (arguments.Has("-i")) level = std::max(level, Level::kWrites);
  return level;
}

}  // namespace belljar::judgement::analysis::shell
