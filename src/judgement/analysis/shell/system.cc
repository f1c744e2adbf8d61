// Rules about the system: disks, services, scheduled jobs, SSH keys, users, the kernel.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "judgement/analysis/shell/judge.h"
#include "judgement/analysis/shell/path.h"

namespace belljar::judgement::analysis::shell {
namespace {

bool OnlyAsks(const Arguments& arguments) {
  return arguments.Has("--help -h --version -V") && arguments.operands().empty();
}

Level Ask(Context& context, const Call& call, std::string_view rule, std::string_view what) {
  context.Find(rule, call.place, call.name, fmt::format("\"{}\" {}.", call.name, what));
  return Level::kRunsCode;
}

}  // namespace

bool IsService(std::string_view name) {
  return name.starts_with("systemd") ||
         IsListed(
             "init sshd cron crond dockerd containerd nginx apache2 httpd mysqld mariadbd postgres "
             "redis-server rsyslogd syslogd dbus-daemon NetworkManager named kubelet auditd cupsd "
             "launchd udevd systemd-udevd chronyd ntpd snapd firewalld polkitd agetty getty "
             "journald postmaster memcached mongod haproxy supervisord atd docker fail2ban-server "
             "ssh networkd resolved logind vsftpd smbd nmbd slapd",
             name);
}

namespace {

// True if a file system tool is applied to an ordinary file instead of a device.
bool IsPlainFileWork(const Context& context, const Call& call, const Arguments& arguments) {
  const bool takes_files =
      call.name.starts_with("mkfs") || call.name.starts_with("fsck") ||
      IsListed(
          "mke2fs mkswap mkdosfs mkntfs e2fsck xfs_repair resize2fs tune2fs e2label debugfs "
          "fdisk sfdisk gdisk sgdisk parted wipefs",
          call.name);
  if (!takes_files || arguments.operands().empty()) return false;
  for (const Word& word : call.arguments()) {
    const std::string text = word.Lead();
    const bool by_name = text.find("LABEL=") != text.npos || text.find("UUID=") != text.npos;
    if (!word.IsConstant() || by_name || text.find("/dev/") != text.npos) return false;
    if (WhereWritten(PathOf(context, word)) != Where::kElsewhere) return false;
  }
  return true;
}

}  // namespace

Level CheckDisk(Context& context, const Call& call, const Arguments& arguments) {
  const std::string first = arguments.Operand(0);
  const bool reads =
      ((call.name == "fdisk" || call.name == "sfdisk" || call.name == "parted" ||
        call.name == "gdisk" || call.name == "cfdisk") &&
       arguments.Has("-l --list -d --dump")) ||
      ((call.name == "zpool" || call.name == "zfs") &&
       IsListed("list status get iostat history", first)) ||
      (call.name == "parted" && arguments.Operand(1) == "print") ||
      (call.name == "btrfs" && (IsListed("list show df usage", arguments.Operand(1)))) ||
      (call.name == "losetup" && (arguments.operands().empty() || arguments.Has("-a -l --list"))) ||
      (call.name == "mdadm" && arguments.Has("--detail -D --query -Q --examine")) ||
      (call.name == "hdparm" && arguments.Has("-I -i -t")) ||
      (call.name == "nvme" && IsListed("list smart-log id-ctrl", first)) ||
      (call.name == "swapon" && arguments.Has("-s --show")) ||
      (call.name == "cryptsetup" && IsListed("status luksDump isLuks", first)) ||
      (call.name == "dmsetup" && IsListed("ls info table status", first)) ||
      (call.name == "diskutil" && IsListed("list info", first)) ||
      (call.name == "blockdev" && arguments.Has("--getsize64 --getsz --getss --report")) ||
      call.name == "dumpe2fs" || (call.name == "tune2fs" && arguments.Has("-l"));
  if (reads || OnlyAsks(arguments)) return Level::kReads;
  if (IsPlainFileWork(context, call, arguments)) return Level::kWrites;
  return Ask(context, call, "sh-disk", "changes a disk or what is mounted from it");
}

Level CheckMount(Context& context, const Call& call, const Arguments& arguments) {
  const bool reads =
      (call.name == "mount" && arguments.operands().empty() && !arguments.Has("-a")) ||
      OnlyAsks(arguments);
  if (reads) return Level::kReads;
  return Ask(context, call, "sh-disk", "changes what is mounted");
}

Level CheckService(Context& context, const Call& call, const Arguments& arguments) {
  static constexpr std::string_view kQuestions =
      "status show cat list list-units list-unit-files list-timers list-sockets list-jobs "
      "list-dependencies is-active is-enabled is-failed is-system-running help get-default print "
      "configtest -t -v -V logs show-environment list-sessions list-users ls info monit "
      "describe session-status user-status";
  const auto& operands = arguments.operands();
  const bool second = call.name == "service" || call.name == "rc-service" ||
                      call.name == "invoke-rc.d" || call.name == "sv-x";
  const std::string action = arguments.Operand(second ? 1 : 0);
  const bool asks = IsListed(kQuestions, action) || arguments.Has("--status-all --list");
  const bool is_server = call.name == "nginx" || call.name == "pm2" || call.name == "start" ||
                         call.name == "stop" || call.name == "restart" || call.name == "monit";
  if (call.name == "nginx" && arguments.Has("-t -T -v -V")) return Level::kReads;
  if (asks || OnlyAsks(arguments)) return Level::kReads;
  const bool bare = operands.empty() && call.name != "nginx";
  if (bare && (is_server || call.name == "systemctl" || call.name == "service"))
    return Level::kReads;
  return Ask(context, call, "sh-service", "controls services of the machine");
}

Level CheckKill(Context& context, const Call& call, const Arguments& arguments) {
  bool service = false;
  // A negative number is a signal as the first argument; after that, -1 means all processes: kill
  // -9 -1.
  const auto words = call.arguments();
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string text = words[i].Lead();
    service |= (words[i].origins() & kOfService) != 0 || IsService(text);
    service |= call.name == "kill" && (text == "1" || (text == "-1" && i > 0));
  }
  if (call.name == "killall5") service = true;
  static_cast<void>(arguments);
  if (service) Ask(context, call, "sh-service", "ends processes that the machine relies on");
  return Level::kWrites;
}

Level CheckPower(Context& context, const Call& call, const Arguments& arguments) {
  if (OnlyAsks(arguments)) return Level::kReads;
  return Ask(context, call, "sh-service", "stops or restarts the machine");
}

Level CheckCron(Context& context, const Call& call, const Arguments& arguments) {
  if (arguments.Has("-l")) return Level::kReads;
  return Ask(context, call, "sh-cron", "changes what runs on a schedule");
}

Level CheckAt(Context& context, const Call& call, const Arguments& arguments) {
  if (arguments.Has("-l -c")) return Level::kReads;
  if (call.in.text) RunText(context, Word::OfText(*call.in.text), call.place, Stream());
  return Ask(context, call, "sh-cron", "puts commands off to a later time");
}

Level CheckSshKeys(Context& context, const Call& call, const Arguments& arguments) {
  const bool reads = (call.name == "ssh-keygen" && (arguments.Has("-l") || arguments.Has("-F") ||
                                                    arguments.Has("-B") || arguments.Has("-y"))) ||
                     (call.name == "ssh-add" && (arguments.Has("-l") || arguments.Has("-L"))) ||
                     call.name == "ssh-keyscan";
  if (reads) return call.name == "ssh-keyscan" ? Level::kRunsCode : Level::kReads;
  return Ask(context, call, "sh-ssh-key", "changes keys that open machines");
}

Level CheckSystemTool(Context& context, const Call& call, const Arguments& arguments) {
  const std::string first = arguments.Operand(0);
  const bool reads =
      OnlyAsks(arguments) ||
      ((call.name == "iptables" || call.name == "ip6tables") && arguments.Has("-L -S --list")) ||
      (call.name == "nft" && first == "list") || (call.name == "ufw" && first == "status") ||
      (call.name == "firewall-cmd" && arguments.Has("--state --list-all")) ||
      (call.name == "update-alternatives" && arguments.Has("--list --display --query")) ||
      (call.name == "ldconfig" && arguments.Has("-p")) ||
      (call.name == "nmcli" && IsListed("show status", arguments.Operand(1))) ||
      (call.name == "tc" && IsListed("show", arguments.Operand(1))) ||
      (call.name == "passwd" && arguments.Has("-S")) ||
      (call.name == "wg" && (first.empty() || first == "show"));
  if (reads) return Level::kReads;
  return Ask(context, call, "sh-system-write", "changes how the machine is set up");
}

Level CheckConfigTool(Context& context, const Call& call, const Arguments& arguments) {
  const auto& operands = arguments.operands();
  bool changes = false;
  for (const Word& operand : operands) {
    const std::string word = operand.Lead();
    changes |= IsListed(
        "set add del delete flush replace change append up down set-hostname set-time "
        "set-timezone set-ntp set-locale set-keymap write import dns revert restore ",
        word);
    changes |= call.name == "sysctl" && word.find('=') != std::string::npos;
  }
  changes |= call.name == "sysctl" && arguments.Has("-w -p --write --load --system");
  changes |= call.name == "ifconfig" && operands.size() > 1;
  changes |= call.name == "ethtool" && arguments.Has("-s -K -G -A");
  if (!changes) return Level::kReads;
  return Ask(context, call, "sh-system-write", "changes how the machine is set up");
}

}  // namespace belljar::judgement::analysis::shell
