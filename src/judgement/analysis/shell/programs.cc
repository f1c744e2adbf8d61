#include "judgement/analysis/shell/programs.h"

namespace belljar::judgement::analysis::shell {
namespace {

constexpr Level kR = Level::kReads;
constexpr Level kW = Level::kWrites;
constexpr Level kX = Level::kRunsCode;

constexpr Program kPrograms[] = {
    // Shell builtins.
    {": true false exit return break continue wait jobs fg bg disown times getopts let "
     "ulimit shopt complete compgen suspend logout unalias fc dirs caller "
     "local export declare readonly typeset unset",
     kR, Prints::kNothing},
    {"umask", kR, Prints::kNothing, {}, WritesTo::kNone, CheckUmask},
    {"hash", kR, Prints::kNothing, {"p", ""}, WritesTo::kNone, CheckHash},
    {"bind", kR, Prints::kNothing, {"mfquxr", ""}, WritesTo::kNone, CheckBind},
    {"enable", kR, Prints::kNothing, {"f", ""}, WritesTo::kNone, CheckEnable},
    {"history", kR, Prints::kSomething, {}, WritesTo::kNone, CheckHistory},
    {"[ test [[", kR, Prints::kNothing, {}, WritesTo::kNone, CheckTest},
    {"cd pushd popd", kR, Prints::kNothing, {}, WritesTo::kNone, CheckCd},
    {"mapfile readarray", kR, Prints::kNothing, {"dnOsuCc", ""}, WritesTo::kNone, CheckRead},
    {"read", kR, Prints::kNothing, {"adinNptu", ""}, WritesTo::kNone, CheckRead},
    {"set", kR, Prints::kNothing, {"o", ""}, WritesTo::kNone, CheckSet},
    {"shift", kR, Prints::kNothing, {}, WritesTo::kNone, CheckShift},
    {"alias", kR, Prints::kNothing, {}, WritesTo::kNone, CheckAlias},
    {"trap", kR, Prints::kNothing, {}, WritesTo::kNone, CheckTrap},
    {"pwd", kR, Prints::kHere},
    {"basename dirname which ", kR, Prints::kPathPart, {"as", ""}},
    {"realpath readlink", kR, Prints::kPathPart},
    {"date whoami id hostname uname nproc arch tty seq wc "
     "logname groups",
     kR,
     Prints::kAlways,
     {"sSdf", ""}},
    // Programs that only read files.
    {"cat tac head tail zcat bzcat xzcat zstdcat gzcat bat nl less more",
     kR,
     Prints::kInput,
     {"nc", "--lines --bytes"}},
    {"grep egrep fgrep zgrep rg ag ack uniq cut fold fmt column expand unexpand paste "
     "join comm shuf od hexdump strings look pr tsort cksum sum md5sum sha1sum sha224sum "
     "sha256sum sha384sum sha512sum b2sum shasum md5 iconv numfmt jq yq xq gron xmllint csvcut "
     "pygmentize nm objdump readelf size base32 xxd uuencode",
     kR,
     Prints::kFiltered,
     {"efABCmdkckfstwLDrslnN", "--arg --argjson"},
     WritesTo::kNone,
     CheckFilter},
    {"sort", kR, Prints::kFiltered, {"okStT", "--output"}, WritesTo::kNone, CheckSort},
    {"base64", kR, Prints::kFiltered, {"wbio", ""}, WritesTo::kNone, CheckFilter},
    {"tr rev", kR, Prints::kDecoded},
    {"sed gsed", kR, Prints::kFiltered, {"efl", "--expression --file"}, WritesTo::kNone, CheckSed},
    {"awk gawk mawk nawk",
     kR,
     Prints::kFiltered,
     {"Ffve", "--file --assign"},
     WritesTo::kNone,
     CheckAwk},
    {"tree exa eza stat file du df find locate whereis type man info "
     "help apropos whatis diff cmp sdiff colordiff diff3 vimdiff ps top htop uptime w "
     "who last lastlog users finger free vmstat iostat mpstat sar lscpu lsblk lsmod lspci lsusb "
     "lsof lsns blkid findmnt dmesg journalctl getent printenv cal bc dc expr factor yes sleep "
     "tput stty clear reset cloc tokei ldd ss netstat nslookup host whois "
     "ping ping6 traceroute tracepath mtr arp getconf locale uuidgen fc-list mimetype exiftool "
     "identify ffprobe shellcheck hadolint pstree lsattr getfacl namei pathchk sha3sum zipinfo "
     "infocmp tldr cheat glow figlet cowsay banner toilet lolcat fortune shellharden "
     "zdiff zcmp pdfinfo pdftotext mediainfo nvidia-smi sensors acpi upower lshw dmidecode inxi "
     "dpkg-query apt-cache neofetch screenfetch tload slabtop numastat ipcs lslocks lslogins",
     kR},
    {"dig", kR, Prints::kDownload, {}, WritesTo::kNone, CheckLookup},
    // Programs that write files.
    {"mkdir", kW, Prints::kNothing, {"m", "--mode"}, WritesTo::kAll, CheckMode},
    {"touch", kW, Prints::kNothing, {"drt", "--date --reference"}, WritesTo::kAll},
    {"rmdir unlink mkfifo mknod", kW, Prints::kNothing, {"m", ""}, WritesTo::kAll},
    {"truncate fallocate", kW, Prints::kNothing, {"sroln", "--size"}, WritesTo::kAll},
    {"rm srm", kW, Prints::kNothing, {}, WritesTo::kNone, CheckRm},
    {"cp gcp ln link",
     kW,
     Prints::kNothing,
     {"tS", "--target-directory --suffix"},
     WritesTo::kLast,
     CheckCopy},
    {"mv rename",
     kW,
     Prints::kNothing,
     {"tS", "--target-directory --suffix"},
     WritesTo::kAll,
     CheckCopy},
    {"install",
     kW,
     Prints::kNothing,
     {"mogtS", "--mode --owner --group --target-directory"},
     WritesTo::kLast,
     CheckMode},
    {"chmod", kW, Prints::kNothing, {}, WritesTo::kAllButFirst, CheckChmod},
    {"setcap", kW, Prints::kNothing, {"n", ""}, WritesTo::kAllButFirst, CheckCapabilities},
    {"getcap", kR},
    {"chown chgrp", kW, Prints::kNothing, {}, WritesTo::kAllButFirst, CheckOwner},
    {"setfacl",
     kW,
     Prints::kNothing,
     {"mxM", "--modify --set --remove"},
     WritesTo::kAll,
     CheckAccessList},
    {"chattr chcon", kW, Prints::kNothing, {}, WritesTo::kAllButFirst},
    {"tee sponge", kW, Prints::kInput, {}, WritesTo::kAll, CheckTee},
    {"mktemp tempfile", kW, Prints::kAlways, {"p", ""}},
    {"dd", kW, Prints::kInput, {}, WritesTo::kNone, CheckDd},
    {"split csplit gzip bzip2 xz zstd lz4 compress pigz lzma brotli",
     kW,
     Prints::kFiltered,
     {"blnaST", ""},
     WritesTo::kNone,
     CheckPackFile},
    {"gunzip bunzip2 unxz unzstd uncompress unlzma",
     kW,
     Prints::kDecoded,
     {},
     WritesTo::kNone,
     CheckPackFile},
    {"uudecode", kW, Prints::kDecoded},
    {"tar gtar bsdtar",
     kW,
     Prints::kDecoded,
     {"fCTXbg", "--file --directory --exclude"},
     WritesTo::kNone,
     CheckTar},
    {"unzip 7z 7za unrar zip ar cpio pax",
     kW,
     Prints::kSomething,
     {"dxo", ""},
     WritesTo::kNone,
     CheckUnzip},
    {"shred", kW, Prints::kNothing, {"ns", "--iterations --size"}, WritesTo::kNone, CheckRm},
    {"patch", kW, Prints::kNothing, {"pidoDr", ""}, WritesTo::kAll},
    {"ed ex", kW, Prints::kNothing, {"p", ""}, WritesTo::kAll},
    {"kill pkill killall xkill skill killall5",
     kW,
     Prints::kNothing,
     {"sntuU", ""},
     WritesTo::kNone,
     CheckKill},
    {"pidof pgrep", kR, Prints::kProcesses},
    {"ls dir vdir", kR, Prints::kListing},
    {"renice logger convert mogrify ffmpeg magick "
     "pandoc dos2unix unix2dos ctags etags msgfmt sox gpg gpg2 ssh-agent tmux screen "
     "notify-send xclip xsel pbcopy pbpaste",
     kW},
    {"git hub",
     kW,
     Prints::kSomething,
     {"Cc", "--git-dir --work-tree --namespace"},
     WritesTo::kNone,
     CheckGit},
    // Network clients.
    {"curl",
     kX,
     Prints::kDownload,
     {"dFToHXuAebcKmrwxyYzCDEPQtUh",
      "--data --data-binary --data-raw --data-urlencode --data-ascii --json --form --form-string "
      "--upload-file --output --header --request --user --user-agent --referer --cookie "
      "--cookie-jar --config --max-time --retry --proxy --url --connect-timeout --cert --key "
      "--cacert --write-out --output-dir --resolve --interface --range --retry-delay"},
     WritesTo::kNone,
     CheckCurl},
    {"wget wget2",
     kX,
     Prints::kDownload,
     {"OoaiPUBTtwQeADRlXI",
      "--output-document --post-file --post-data --body-file --body-data --header --method "
      "--directory-prefix --user-agent --timeout --tries --output-file --user --password"},
     WritesTo::kNone,
     CheckWget},
    {"aria2c axel fetch http https xh httpie lynx w3m links elinks GET lwp-request lwp-download "
     "ftp tftp sftp lftp saldl snarf youtube-dl yt-dlp gdown",
     kX,
     Prints::kDownload,
     {"oOd", "--output --out --dir"},
     WritesTo::kNone,
     CheckWget},
    {"nc ncat netcat nc.traditional nc.openbsd cryptcat",
     kX,
     Prints::kSocket,
     {"ecgpiIosqTwxXGmMO", "--exec --sh-exec --lua-exec --ssl-cert --ssl-key --proxy"},
     WritesTo::kNone,
     CheckNetcat},
    {"telnet rlogin", kX, Prints::kSocket, {"lnebX", ""}, WritesTo::kNone, CheckTelnet},
    {"openssl", kX, Prints::kFiltered, {}, WritesTo::kNone, CheckOpenssl},
    {"socat", kX, Prints::kSocket, {"TtbdL", ""}, WritesTo::kNone, CheckSocat},
    {"scp", kX, Prints::kNothing, {"PioFJSclX", ""}, WritesTo::kNone, CheckCopyOut},
    {"rsync",
     kX,
     Prints::kNothing,
     {"eBTf", "--rsh --exclude --include --files-from --rsync-path"},
     WritesTo::kNone,
     CheckCopyOut},
    {"aws gsutil gcloud az rclone s3cmd mc b2 azcopy",
     kX,
     Prints::kDownload,
     {},
     WritesTo::kNone,
     CheckCloudCopy},
    {"mail mailx mutt sendmail msmtp swaks",
     kX,
     Prints::kNothing,
     {"sabcrASR", "--attach"},
     WritesTo::kNone,
     CheckMail},
};

}  // namespace

const Program* FindProgram(std::string_view name) {
  static const auto rows = ByName<Program>({kPrograms, SystemPrograms()});
  return RowNamed(rows, name);
}

}  // namespace belljar::judgement::analysis::shell
