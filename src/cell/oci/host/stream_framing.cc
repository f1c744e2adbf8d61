#include "cell/oci/host/stream_framing.h"

#include <fmt/format.h>

#include <algorithm>

#include "foundation/base/bytes.h"

namespace belljar::cell::oci {
namespace {

constexpr std::size_t kRecordHeader = 8;
constexpr std::size_t kMaxErrors = 1024;

Result<std::size_t> LimitOf(Channel channel) {
  switch (channel) {
    case Channel::kFromControl:
    case Channel::kFromStdout:
    case Channel::kFromStderr:
    case Channel::kDataOut:
      return kMaxPiece;
    case Channel::kStdinTaken:
      return std::size_t{0};
    case Channel::kEnded:
      return std::size_t{2};
    case Channel::kOpen:
      return kNumberBytes + 1;
    case Channel::kTakenOut:
      return kNumberBytes + kNumberBytes;
    case Channel::kCloseOut:
    case Channel::kHushed:
      return kNumberBytes;
    default:
      return Error(Kind::kInvalid, fmt::format("the container sent a piece of channel {}",
                                               static_cast<int>(channel)));
  }
}

}  // namespace

Result<> PieceReader::Feed(std::string_view bytes, const OnPiece& on_piece) {
  return framing_ == Framing::kDocker ? FeedRecords(bytes, on_piece) : FeedPlain(bytes, on_piece);
}

Result<> PieceReader::FeedRecords(std::string_view bytes, const OnPiece& on_piece) {
  while (!bytes.empty()) {
    if (record_left_ > 0) {
      const std::string_view part = bytes.substr(0, record_left_);
      bytes.remove_prefix(part.size());
      record_left_ -= part.size();
      if (record_is_output_) {
        BJ_TRY(FeedPlain(part, on_piece));
      } else {
        errors_ += part.substr(0, kMaxErrors - std::min(kMaxErrors, errors_.size()));
      }
      continue;
    }
    const std::size_t missing = kRecordHeader - record_header_.size();
    record_header_ += bytes.substr(0, missing);
    bytes.remove_prefix(std::min(missing, bytes.size()));
    if (record_header_.size() < kRecordHeader) return {};
    record_is_output_ = record_header_[0] == 1;
    record_left_ = LoadNumber(ByteOrder::kBig, std::string_view(record_header_).substr(4));
    record_header_.clear();
  }
  return {};
}

Result<> PieceReader::FeedPlain(std::string_view bytes, const OnPiece& on_piece) {
  rest_ += bytes;
  std::string_view left = rest_;
  while (left.size() >= kPieceHeader) {
    const Channel channel = PieceChannel(left.data());
    const std::size_t length = PieceLength(left.data());
    if (length > BJ_TRY(LimitOf(channel))) {
      return Error(Kind::kInvalid, "the container sent a piece that is too long");
    }
    if (left.size() < kPieceHeader + length) break;
    BJ_TRY(on_piece(channel, left.substr(kPieceHeader, length)));
    left.remove_prefix(kPieceHeader + length);
  }
  rest_.erase(0, rest_.size() - left.size());
  return {};
}

}  // namespace belljar::cell::oci
