#include "cell/oci/host/stream_framing.h"

#include <gtest/gtest.h>

#include <vector>

namespace belljar::cell::oci {
namespace {

std::string Piece(Channel channel, std::string_view payload) {
  std::string piece(kPieceHeader, '\0');
  PutPieceHeader(piece.data(), payload.size(), channel);
  return piece + std::string(payload);
}

std::string Record(char stream, std::string_view bytes) {
  std::string record = {stream, 0, 0, 0, 0, 0, 0, 0};
  for (std::size_t i = 0; i < 4; ++i) {
    record[4 + i] = static_cast<char>(bytes.size() >> (8 * (3 - i)) & 0xFF);
  }
  return record + std::string(bytes);
}

struct Heard {
  std::vector<std::pair<Channel, std::string>> pieces;
  std::string error;
};

Heard Hear(Framing framing, std::string_view bytes, std::size_t step) {
  Heard heard;
  PieceReader reader(framing);
  const auto keep = [&](Channel channel, std::string_view payload) -> Result<> {
    heard.pieces.emplace_back(channel, payload);
    return {};
  };
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    const auto fed = reader.Feed(bytes.substr(at, step), keep);
    if (fed) continue;
    heard.error = fed.error().message();
    break;
  }
  return heard;
}

const std::string kTalk = Piece(Channel::kFromControl, "hello") +
                          Piece(Channel::kFromStdout, std::string(1000, 'x')) +
                          Piece(Channel::kStdinTaken, "") + Piece(Channel::kEnded, {"\0\3", 2});

TEST(PieceReader, GivesTheSamePiecesHoweverTheBytesCome) {
  const Heard whole = Hear(Framing::kPlain, kTalk, kTalk.size());
  ASSERT_EQ(whole.pieces.size(), 4U);
  EXPECT_EQ(whole.pieces[0].second, "hello");
  EXPECT_EQ(whole.pieces[3], (std::pair{Channel::kEnded, std::string("\0\3", 2)}));
  for (const std::size_t step : {1U, 3U, 7U, 64U}) {
    EXPECT_EQ(Hear(Framing::kPlain, kTalk, step).pieces, whole.pieces) << step;
  }
}

TEST(PieceReader, TakesDockersRecordsOff) {
  const std::string records = Record(1, kTalk.substr(0, 3)) + Record(2, "runsc: no") +
                              Record(1, "") + Record(1, kTalk.substr(3));
  for (const std::size_t step : {1U, 5U, 4096U}) {
    EXPECT_EQ(Hear(Framing::kDocker, records, step).pieces,
              Hear(Framing::kPlain, kTalk, 4096).pieces);
  }
}

TEST(PieceReader, KeepsTheFirstWordsOfDockersStderr) {
  PieceReader reader(Framing::kDocker);
  const auto ignore = [](Channel, std::string_view) -> Result<> { return {}; };
  ASSERT_TRUE(reader.Feed(Record(2, "runsc: no "), ignore));
  ASSERT_TRUE(reader.Feed(Record(2, std::string(5000, 'z')), ignore));
  EXPECT_EQ(reader.errors().substr(0, 10), "runsc: no ");
  EXPECT_EQ(reader.errors().size(), 1024U);
}

TEST(PieceReader, RefusesALengthBeforeItWaitsForTheBytes) {
  std::string header(kPieceHeader, '\0');
  PutPieceHeader(header.data(), kMaxPiece + 1, Channel::kFromStdout);
  EXPECT_EQ(Hear(Framing::kPlain, header, 99).error, "the container sent a piece that is too long");
  const std::pair<Channel, std::size_t> limits[] = {{Channel::kEnded, 2},
                                                    {Channel::kOpen, 5},
                                                    {Channel::kDataOut, kMaxPiece},
                                                    {Channel::kTakenOut, 8},
                                                    {Channel::kCloseOut, 4}};
  for (const auto& [channel, limit] : limits) {
    PutPieceHeader(header.data(), limit + 1, channel);
    EXPECT_EQ(Hear(Framing::kPlain, header, 99).error,
              "the container sent a piece that is too long");
  }
}

TEST(PieceReader, RefusesWhatOnlyTheSupervisorMaySay) {
  EXPECT_EQ(Hear(Framing::kPlain, Piece(Channel::kToStdin, "x"), 99).error,
            "the container sent a piece of channel 2");
}

}  // namespace
}  // namespace belljar::cell::oci
