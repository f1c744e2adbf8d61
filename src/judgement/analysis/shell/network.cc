// Rules about the network: uploads, downloads that are stored, and connections to shells.
#include <fmt/format.h>

#include <algorithm>

#include "judgement/analysis/shell/judge.h"
#include "judgement/analysis/shell/text.h"

namespace belljar::judgement::analysis::shell {
namespace {

void ReportUpload(Context& context, const Call& call, const Word& what) {
  context.Find("sh-upload", call.place, what.Shown(),
               fmt::format("\"{}\" sends \"{}\" to another machine.", call.name, what.Shown()));
}

void ReportReverseShell(Context& context, const Call& call, std::string_view what) {
  context.Find("sh-reverse-shell", call.place, call.name,
               fmt::format("\"{}\" connects a shell to another machine ({}).", call.name, what));
}

// True if a word contains the content of a file, or a variable whose name suggests a secret.
bool CarriesSecret(const Word& word) {
  for (const Piece& piece : word.pieces()) {
    if ((piece.origins & kFileContent) != 0) return true;
    if (piece.kind != Piece::Kind::kUnknown) continue;
    const std::string name = LowerCase(piece.text);
    for (const std::string_view part : SplitAt(name, "_()")) {
      if (part == "secret" || part == "password" || part == "passwd" || part == "credentials") {
        return true;
      }
    }
  }
  return false;
}

// The file in which a download is stored, named by the last component of the URL.
Word NameInAddress(const Word& address) {
  const auto text = address.Constant();
  if (!text) return Word::Unknown("(download)");
  std::string path = text->substr(0, text->find_first_of("?#"));
  const std::size_t slash = path.find_last_of("/:");
  return Word::OfText(slash == std::string::npos ? path : path.substr(slash + 1));
}

void KeepDownload(Context& context, const Call& call, const Word& file) {
  if (file.Is("-") || file.Is("/dev/stdout")) return;
  if (FeedSink(context, file, Stream::Of(kDownloaded))) return;
  CheckWritten(context, file, call.place, call.name);
  context.files[FileKey(context, file)] = Stream::Of(kDownloaded);
}

Word Beneath(const Word& folder, const Word& name) {
  Word path = folder;
  path.AddText("/");
  path.Add(name);
  return path;
}

// Reports output of a shell that is sent over a connection.
void CheckShellSent(Context& context, const Call& call) {
  const bool sent = call.in.fed && (call.in.origins & (kShellOutput | kSocket)) != 0;
  if (sent) ReportReverseShell(context, call, "what a shell says goes out");
}

bool IsRemote(const Word& word) {
  const std::string text = word.Lead();
  if (text.starts_with("rsync://")) return true;
  const std::size_t colon = text.find(':');
  if (colon != std::string::npos) return text.find('/') > colon && colon > 0;
  // A remote path in a variable host: "$HOST:/tmp".
  const std::string shown = word.Shown();
  return !word.IsConstant() && shown.find(":") != std::string::npos &&
         shown.find('/') > shown.find(':');
}

}  // namespace

void CheckSocket(Context& context, const Word& file, Place place) {
  const std::string lead = file.Lead();
  if (!lead.starts_with("/dev/tcp/") && !lead.starts_with("/dev/udp/")) return;
  context.Find("sh-reverse-shell", place, file.Shown(),
               fmt::format("A redirection to \"{}\" is a connection.", file.Shown()));
}

Level CheckCurl(Context& context, const Call& call, const Arguments& arguments) {
  for (const Option& option : arguments.options()) {
    const std::string& name = option.name;
    const std::string lead = option.value.Lead();
    const bool is_data = name == "-d" || name.starts_with("--data") || name == "--json";
    const bool is_form = name == "-F" || name == "--form";
    const bool is_file = name == "-T" || name == "--upload-file";
    const std::size_t at = lead.find('@');
    const bool names_file =
        (is_data && name != "--data-raw" && lead.starts_with('@')) ||
        (name == "--data-urlencode" && at != std::string::npos && lead.find('=') > at) ||
        (is_form && (lead.find("=@") != std::string::npos || lead.find("=<") != std::string::npos));
    const bool is_header = name == "-H" || name == "--header" || name == "-b" || name == "-A" ||
                           name == "-e" || name == "--user-agent" || name == "--cookie";
    const bool authorises = LowerCase(lead).starts_with("authorization:");
    const bool leaks =
        (is_data || is_form || (is_header && !authorises)) && CarriesSecret(option.value);
    if (is_file || names_file || leaks) ReportUpload(context, call, option.value);
  }
  Word folder;
  if (const Option* option = arguments.Find("--output-dir")) folder = option->value;
  if (const Option* output = arguments.Find("-o --output")) {
    KeepDownload(context, call, folder.empty() ? output->value : Beneath(folder, output->value));
  }
  for (const Word& address : arguments.operands()) {
    if (CarriesSecret(address)) ReportUpload(context, call, address);
    if (!arguments.Has("-O --remote-name --remote-name-all")) continue;
    const Word name = NameInAddress(address);
    KeepDownload(context, call, folder.empty() ? name : Beneath(folder, name));
  }
  return Level::kRunsCode;
}

Level CheckWget(Context& context, const Call& call, const Arguments& arguments) {
  for (const Option& option : arguments.options()) {
    const bool is_file = option.name == "--post-file" || option.name == "--body-file";
    const bool is_data = option.name == "--post-data" || option.name == "--body-data" ||
                         option.name == "--header" || option.name == "-U";
    if (is_file || (is_data && CarriesSecret(option.value))) {
      ReportUpload(context, call, option.value);
    }
  }
  const Option* folder = arguments.Find("-P --directory-prefix -d --dir");
  const Option* output = arguments.Find("-O --output-document -o --output --out");
  const bool prints = call.name == "http" || call.name == "https" || call.name == "lynx" ||
                      call.name == "w3m" || call.name == "GET" || call.name == "links";
  for (const Word& address : arguments.operands()) {
    if (CarriesSecret(address)) ReportUpload(context, call, address);
    const bool takes_file = (call.name == "http" || call.name == "https" || call.name == "xh") &&
                            address.Lead().find('@') != std::string::npos &&
                            !address.StartsWith("http");
    if (takes_file) ReportUpload(context, call, address);
    if (output != nullptr || prints) continue;
    const Word name = NameInAddress(address);
    KeepDownload(context, call, folder == nullptr ? name : Beneath(folder->value, name));
  }
  if (call.name == "http" && call.in.fed && (call.in.origins & kFileContent) != 0) {
    ReportUpload(context, call, Word::OfText("its input"));
  }
  if (output != nullptr) KeepDownload(context, call, output->value);
  const bool sends =
      (call.name == "ftp" || call.name == "tftp" || call.name == "sftp" || call.name == "lftp") &&
      call.in.fed;
  if (sends) ReportUpload(context, call, Word::OfText("its input"));
  return Level::kRunsCode;
}

Level CheckNetcat(Context& context, const Call& call, const Arguments& arguments) {
  const bool executes = arguments.Has("-e --exec --sh-exec --lua-exec") ||
                        (arguments.Has("-c") && !arguments.Find("-c")->value.empty());
  if (executes) ReportReverseShell(context, call, "it runs a program for the other end");
  if (arguments.Has("-z")) return Level::kRunsCode;
  CheckShellSent(context, call);
  const bool sends = call.in.fed && !call.in.text && !arguments.Has("-l --listen");
  if (sends) ReportUpload(context, call, Word::OfText("its input"));
  return Level::kRunsCode;
}

Level CheckTelnet(Context& context, const Call& call, const Arguments&) {
  CheckShellSent(context, call);
  return Level::kRunsCode;
}

Level CheckOpenssl(Context& context, const Call& call, const Arguments& arguments) {
  if (arguments.Operand(0) == "s_client") {
    CheckShellSent(context, call);
    if (call.in.fed && !call.in.text) ReportUpload(context, call, Word::OfText("its input"));
  }
  return Level::kRunsCode;
}

Level CheckSocat(Context& context, const Call& call, const Arguments& arguments) {
  CheckShellSent(context, call);
  bool has_shell = false;
  bool has_network = false;
  bool sends_file = call.in.fed && !call.in.text;
  for (const Word& operand : arguments.operands()) {
    const std::string address = LowerCase(operand.Lead());
    const std::string kind = address.substr(0, address.find(':'));
    has_shell |= kind == "exec" || kind == "system" || kind == "shell";
    has_network |= kind.starts_with("tcp") || kind.starts_with("udp") ||
                   kind.starts_with("openssl") || kind.starts_with("sctp") ||
                   kind.starts_with("ssl") || kind.starts_with("socks");
    sends_file |= kind == "file" || kind == "open" || address.starts_with('/');
  }
  if (has_shell && has_network)
    ReportReverseShell(context, call, "it runs a program for the other end");
  if (has_network && sends_file) ReportUpload(context, call, Word::OfText("a file"));
  return Level::kRunsCode;
}

// rsync --delete removes files from the target that the source lacks; with --remove-source-files it
// removes the source.
static void CheckMirror(Context& context, const Call& call, const Arguments& arguments) {
  const auto& operands = arguments.operands();
  if (arguments.Has("-n --dry-run") || operands.size() < 2) return;
  const bool deletes = arguments.Has(
      "--del --delete --delete-before --delete-during --delete-delay --delete-after "
      "--delete-excluded");
  if (deletes && !IsRemote(operands.back())) {
    CheckEmptied(context, operands.back(), call.place, "rsync --delete");
  }
  if (!arguments.Has("--remove-source-files")) return;
  for (std::size_t i = 0; i + 1 < operands.size(); ++i) {
    if (IsRemote(operands[i])) continue;
    CheckEmptied(context, operands[i], call.place, "rsync --remove-source-files");
  }
}

Level CheckCopyOut(Context& context, const Call& call, const Arguments& arguments) {
  const auto& operands = arguments.operands();
  Level level = call.name == "rsync" ? Level::kWrites : Level::kRunsCode;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!IsRemote(operands[i])) continue;
    level = Level::kRunsCode;
    const bool is_target = i + 1 == operands.size() && i > 0;
    if (is_target) {
      ReportUpload(context, call, operands[0]);
    } else if (operands.size() == 2) {
      KeepDownload(context, call, operands[1]);
      context.files[FileKey(context, NameInAddress(operands[0]))] = Stream::Of(kDownloaded);
    }
  }
  if (operands.size() > 1 && !IsRemote(operands.back())) {
    CheckWritten(context, operands.back(), call.place, call.name);
  }
  if (call.name == "rsync") CheckMirror(context, call, arguments);
  return level;
}

Level CheckCloudCopy(Context& context, const Call& call, const Arguments& arguments) {
  CheckChangesOutside(context, call, arguments);
  const auto& operands = arguments.operands();
  const auto is_cloud = [](const Word& word) {
    const std::string text = word.Lead();
    const std::size_t colon = text.find(':');
    return text.find("://") != std::string::npos || (colon != std::string::npos && colon > 1);
  };
  if (operands.size() < 2) return Level::kRunsCode;
  const Word& target = operands.back();
  const Word& source = operands[operands.size() - 2];
  const bool copies = std::any_of(operands.begin(), operands.end(), [](const Word& word) {
    return word.Is("cp") || word.Is("sync") || word.Is("copy") || word.Is("put") || word.Is("mv") ||
           word.Is("rsync") || word.Is("upload") || word.Is("move");
  });
  if (!copies) return Level::kRunsCode;
  if (is_cloud(target) && !is_cloud(source)) ReportUpload(context, call, source);
  if (!is_cloud(target) && is_cloud(source)) KeepDownload(context, call, target);
  return Level::kRunsCode;
}

Level CheckMail(Context& context, const Call& call, const Arguments& arguments) {
  const Option* attached = arguments.Find("-a -A --attach");
  if (attached != nullptr) ReportUpload(context, call, attached->value);
  if (call.in.fed && !call.in.text) ReportUpload(context, call, Word::OfText("its input"));
  return Level::kRunsCode;
}

// DNS lookups leak the name that is looked up to the name server.
Level CheckLookup(Context& context, const Call& call, const Arguments& arguments) {
  for (const Word& operand : arguments.operands()) {
    if (CarriesSecret(operand)) ReportUpload(context, call, operand);
  }
  return Level::kReads;
}

}  // namespace belljar::judgement::analysis::shell
