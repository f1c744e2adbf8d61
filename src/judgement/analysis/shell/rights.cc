// Rules about permissions: owners, access control lists, the umask, and files with credentials.
#include <fmt/format.h>

#include <algorithm>

#include "judgement/analysis/shell/judge.h"
#include "judgement/analysis/shell/path.h"

namespace belljar::judgement::analysis::shell {
namespace {

void FindOpen(Context& context, const Call& call, std::string_view what) {
  context.Find("sh-chmod-777", call.place, call.name,
               fmt::format("\"{}\" lets everyone on the machine write {}.", call.name, what));
}

// True for ACL entries that let everyone write: "o::rwx", "other:rw", "d:o::rwx".
bool OpensByList(std::string_view entry) {
  if (entry.starts_with("d:")) entry.remove_prefix(2);
  if (entry.starts_with("default:")) entry.remove_prefix(8);
  const bool others = entry.starts_with("o:") || entry.starts_with("other:");
  return others && entry.substr(entry.rfind(':')).find('w') != std::string_view::npos;
}

// Programs that print, copy, pack or send the content of their operands.
bool ShowsContent(std::string_view name) {
  return IsListed(
      "cat tac head tail less more nl bat grep egrep fgrep zgrep rg ag awk gawk mawk sed cut sort "
      "uniq paste tee dd cp mv ln tar zip gzip bzip2 xz 7z cpio base64 base32 xxd od hexdump "
      "strings tr rev diff cmp openssl gpg curl wget scp rsync nc ncat socat jq yq column fold "
      "split install iconv read mapfile cut view vim vi nano xargs",
      name);
}

}  // namespace

// umask 000: files created from now on are world-writable.
Level CheckUmask(Context& context, const Call& call, const Arguments& arguments) {
  const std::string mask = arguments.Operand(0);
  const bool is_number = !mask.empty() && mask.find_first_not_of("01234567") == std::string::npos;
  const bool keeps = is_number && ((mask.back() - '0') & 2) != 0;
  const bool by_letters = mask.find("o=rw") != std::string::npos || mask == "a=rwx" ||
                          mask == "a+rwx" || mask == "u=rwx,g=rwx,o=rwx";
  if ((is_number && !keeps) || by_letters) FindOpen(context, call, "what is made from now on");
  return Level::kReads;
}

Level CheckAccessList(Context& context, const Call& call, const Arguments& arguments) {
  for (const Option& option : arguments.options()) {
    const bool sets = option.name == "-m" || option.name == "--modify" || option.name == "--set";
    const std::string entries = option.value.Constant().value_or("");
    const auto list = SplitAt(entries, ",");
    if (sets && std::ranges::any_of(list, OpensByList)) FindOpen(context, call, "there");
  }
  return Level::kWrites;
}

// chown root file: only root can do this, and ordinary programs do not need it.
Level CheckOwner(Context& context, const Call& call, const Arguments& arguments) {
  const std::string owner = arguments.Operand(0);
  const std::string user = owner.substr(0, owner.find(':'));
  const bool to_root = user == "root" || user == "0" || owner == ":root" || owner == ":0";
  if (to_root || (call.name == "chgrp" && owner == "root")) {
    context.Find("sh-sudo", call.place, owner,
                 fmt::format("\"{} {}\" gives files to the administrator.", call.name, owner));
  }
  return Level::kWrites;
}

// cat ~/.ssh/id_rsa, cp /etc/shadow x. A first operand that is a pattern is skipped.
void CheckShown(Context& context, const Call& call, std::span<const Word> operands) {
  if (!ShowsContent(call.name)) return;
  const bool pattern_first =
      IsListed("grep egrep fgrep zgrep rg ag awk gawk mawk sed jq yq", call.name);
  if (pattern_first && operands.size() > 1) operands = operands.subspan(1);
  for (const Word& file : operands) {
    const std::string lead = file.Lead();
    const Word named = lead.starts_with("if=") ? WithoutLead(file, 3) : file;
    CheckSecretRead(context, named, call.place, call.name);
  }
}

void CheckSecretRead(Context& context, const Word& file, Place place, std::string_view by) {
  if (!HoldsSecrets(PathOf(context, file))) return;
  context.Find("sh-secret-read", place, file.Shown(),
               fmt::format("\"{}\" reads credentials: \"{}\".", by, file.Shown()));
}

}  // namespace belljar::judgement::analysis::shell
