// The stream from the integration loop to the disk: order, freshness, errors, no allocation.
#include "couplet/results/row_stream.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <thread>

#include "couplet/base/diagnostics.hpp"
#include "support.hpp"

namespace couplet::results {
namespace {

using base::ComputationError;
using namespace std::chrono_literals;

// Remembers what it is given; slow or broken on demand.
struct Memory {
  std::vector<double> values;
  std::atomic<size_t> flushed = 0;  // values
  std::atomic<bool> closed = false;
  std::atomic<bool> broken = false;
  std::chrono::microseconds delay{0};
};
class MemoryWriter final : public ResultWriter {
 public:
  explicit MemoryWriter(Memory& memory) : memory_(memory) {}
  void append(std::span<const double> rows) override {
    if (memory_.broken) throw ComputationError("cannot write: the disk is full");
    std::this_thread::sleep_for(memory_.delay);
    memory_.values.insert(memory_.values.end(), rows.begin(), rows.end());
  }
  void flush() override { memory_.flushed = memory_.values.size(); }
  void close() override { memory_.closed = true; }

 private:
  Memory& memory_;
};

void commit(RowStream& stream, size_t columns) {
  const size_t n = stream.rows();
  for (size_t i = 0; i < columns; ++i) stream.row()[i] = numbered(n, i);
  stream.commit();
}

TEST(RowStream, WritesEveryRowInOrder) {
  for (const size_t columns : {1u, 3u, 75u, 300000u}) {
    Memory memory;
    memory.delay = 100us;  // so that the ring fills up
    const size_t rows = columns > 1000 ? 50 : 400000 / columns;
    RowStream stream(std::make_unique<MemoryWriter>(memory), columns);
    for (size_t i = 0; i < rows; ++i) commit(stream, columns);
    EXPECT_EQ(stream.rows(), rows);
    stream.close();
    EXPECT_TRUE(memory.closed);
    EXPECT_EQ(memory.values, numbered_rows(0, rows, columns));
  }
}

TEST(RowStream, FlushMeansOnDisk) {
  Memory memory;
  RowStream stream(std::make_unique<MemoryWriter>(memory), 2);
  for (size_t i = 1; i < 50; ++i) {
    commit(stream, 2);
    stream.flush();
    EXPECT_EQ(memory.flushed, 2 * i);
    EXPECT_EQ(stream.fingerprint(), fingerprint(i, 2));
  }
}

TEST(RowStream, BringsRowsToDiskWithinASecondThoughTheLoopIsSlow) {
  Memory memory;
  RowStream stream(std::make_unique<MemoryWriter>(memory), 2);
  commit(stream, 2);  // and then a step that takes very long
  const auto start = std::chrono::steady_clock::now();
  while (memory.flushed < 2 && std::chrono::steady_clock::now() - start < 10s)
    std::this_thread::sleep_for(10ms);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 1500ms);
}

TEST(RowStream, WritesWhatWasCommittedWhenTheRunFails) {
  Memory memory;
  try {
    RowStream stream(std::make_unique<MemoryWriter>(memory), 2);
    commit(stream, 2);
    throw ComputationError("the step size is too small");
  } catch (const ComputationError&) {
  }
  EXPECT_EQ(memory.values.size(), 2u);
  EXPECT_TRUE(memory.closed);
}

TEST(RowStream, TellsTheLoopWhatWentWrong) {
  Memory memory;
  RowStream stream(std::make_unique<MemoryWriter>(memory), 2);
  commit(stream, 2);
  stream.flush();
  memory.broken = true;
  const auto run_on = [&] {
    for (int i = 0; i < 100'000'000; ++i) commit(stream, 2);
  };
  EXPECT_THROW(run_on(), ComputationError);
  EXPECT_THROW(commit(stream, 2), ComputationError);
  EXPECT_THROW(stream.flush(), ComputationError);
  EXPECT_THROW(stream.close(), ComputationError);
  EXPECT_EQ(memory.flushed, 2u);
  stream.close();  // the second time there is nothing left to do
}

TEST(RowStream, ToEveryFormat) {
  const Folder folder;
  for (const char* name : {"result.csv", "result.h5"}) {
    RowStream stream(make_writer(folder / name, numbered_signals(20), {}, false), 20);
    for (size_t i = 0; i < 20000; ++i) commit(stream, 20);
    stream.close();
    const Recording recording = read_result(folder / name);
    EXPECT_EQ(recording.rows(), 20000u);
    expect_numbered(recording, 20);
  }
}

}  // namespace
}  // namespace couplet::results
