// CSV as other programs write it and read it.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <limits>

#include "couplet/base/diagnostics.hpp"
#include "support.hpp"

namespace couplet::results {
namespace {

using base::UserError;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

class Csv : public testing::Test {
 protected:
  Folder folder;
  std::filesystem::path path = folder / "result.csv";

  Recording read(const std::string& text) {
    write_text(path, text);
    return read_result(path);
  }
};

TEST_F(Csv, IsAHeaderWithUnitsAndTheShortestNumbers) {
  const std::vector<Signal> signals{{"t", "s"}, {"pivot.q", "rad"}, {"steps", ""}};
  const auto writer = make_writer(path, signals, {}, false);
  writer->append(
      std::vector<double>{0, 0.1, 1, 0.5, -1e-300, std::numeric_limits<double>::infinity()});
  writer->close();
  EXPECT_EQ(text_of(path), "t [s],pivot.q [rad],steps\n0,0.1,1\n0.5,-1e-300,inf\n");
}

// Users name outputs as they like.
TEST_F(Csv, NamesMayLookLikeNumbers) {
  const std::vector<Signal> signals{{"t", "s"}, {"NaN", ""}, {"1e5", "m"}, {"inf", ""}, {"7", ""}};
  const auto writer = make_writer(path, signals, {}, false);
  writer->append(std::vector<double>{0, 1, 2, 3, 4});
  writer->close();
  const Recording recording = read_result(path);
  EXPECT_EQ(recording.signals, signals);
  EXPECT_THAT(recording.values, ElementsAre(0, 1, 2, 3, 4));
}

TEST_F(Csv, APipeIsNotWaitedFor) {
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT([&] { read_result(path); },
              ThrowsMessage<UserError>(HasSubstr("not a regular file")));
}

TEST_F(Csv, OfOtherToolsIsRead) {
  const Recording recording = read(
      "\xef\xbb\xbf\"time\",\"a.b\", x [m/s] \r\n 0 ,+1.5,\"2\"\r\n\r\n1,,NaN\r\n2,-Inf,1E5\r\n");
  EXPECT_TRUE(recording.complete);
  EXPECT_THAT(recording.signals,
              ElementsAre(Signal{"time", ""}, Signal{"a.b", ""}, Signal{"x", "m/s"}));
  ASSERT_EQ(recording.rows(), 3u);
  EXPECT_EQ(recording.at(0, 1), 1.5);
  EXPECT_EQ(recording.at(0, 2), 2);
  EXPECT_TRUE(std::isnan(recording.at(1, 1)));
  EXPECT_EQ(recording.at(2, 1), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(recording.at(2, 2), 1e5);
}

TEST_F(Csv, WithoutItsLastLineFeedLacksTheLastRow) {
  for (const char* cut : {"2,20.12", "2,", "2", "2,20.125"}) {
    const Recording recording = read(std::string("t [s],x\n1,10\n") + cut);
    EXPECT_FALSE(recording.complete);
    EXPECT_THAT(recording.note, HasSubstr("last line"));
    EXPECT_EQ(recording.rows(), 1u);
  }
}

TEST_F(Csv, MistakesHaveAPlace) {
  const auto message = [&](const std::string& text, const auto& matcher) {
    EXPECT_THAT([&] { read(text); }, ThrowsMessage<UserError>(matcher)) << text;
  };
  message("t,x\n0,1\n1,abc\n",
          AllOf(HasSubstr("result.csv:3:3: "), HasSubstr("'abc' is not a number ('x')")));
  message("t,x\n0,1,2\n", AllOf(HasSubstr(":2:5: "), HasSubstr("more than 2 columns")));
  message("t,x\n0\n", AllOf(HasSubstr(":2: "), HasSubstr("1 values, the header 2 names")));
  message("t,x\n0,1e999\n", HasSubstr("'1e999' is not a number"));
  message("t;x\n0;1,5\n", HasSubstr("separated by commas"));
  message("0,1\n1,2\n", HasSubstr("numbers where names should be"));
  message("", HasSubstr("no header"));
  message("t,x", HasSubstr("no header"));
  message(std::string("\0\1\2\n\0", 5), HasSubstr("not a text file"));
}

TEST_F(Csv, DoesNotDependOnTheLocale) {
  if (!std::setlocale(LC_ALL, "de_DE.UTF-8")) std::setlocale(LC_ALL, "C.UTF-8");
  EXPECT_EQ(read("t,x\n0,1.5\n").at(0, 1), 1.5);
  std::setlocale(LC_ALL, "C");
}

}  // namespace
}  // namespace couplet::results
