// Generated code that runs: on the tape, compiled, from the cache, and without a compiler.
#include "couplet/generate/program.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "couplet/dynamics/minimal/recursive.hpp"
#include "couplet/dynamics/minimal/system.hpp"
#include "couplet/dynamics/minimal/tests/random_mechanism.hpp"
#include "couplet/generate/batch.hpp"
#include "couplet/generate/formalisms.hpp"
#include "couplet/symbolic/tests/compiled_c.hpp"

namespace couplet::generate {
namespace {

using dynamics::RandomMechanism;
using math::VecX;
using Status = BackgroundCompiler::Status;
namespace fs = std::filesystem;

/// A cache folder of its own for each test (compilers of the last one may still run), and back to
/// the user's afterwards.
class Program : public testing::Test {
 protected:
  Program() {
    static int count = 0;
    folder_ = fs::temp_directory_path() /
              ("couplet_cache_" + std::to_string(getpid()) + "_" + std::to_string(count++));
    fs::create_directories(folder_);
    setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
    unsetenv("COUPLET_CC");
  }
  ~Program() override {
    unsetenv("XDG_CACHE_HOME");
    unsetenv("COUPLET_CC");
    unsetenv("COUPLET_CC_SECONDS");
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  std::size_t count_files(const char* ending) const {
    std::size_t count = 0;
    for (const auto& file : fs::directory_iterator(folder_ / "couplet/compiled"))
      count += file.path().extension() == ending;
    return count;
  }
  fs::path find_file(const char* ending) const {
    for (const auto& file : fs::directory_iterator(folder_ / "couplet/compiled"))
      if (file.path().extension() == ending) return file.path();
    return {};
  }
  fs::path folder_;
};

void add_once() {
  static const bool once = (add_formalisms(), true);
  ASSERT_TRUE(once);
}

constexpr const char* twice = "double twice(double x) { return 2*x; }\n";

/// Largest relative difference to the recursion over some states.
double difference(const Mechanism& mechanism, ForwardProgram& program, RandomMechanism& random,
                  bool body_forces) {
  dynamics::RecursiveWorkspace<double> workspace(mechanism);
  double largest = 0;
  for (int k = 0; k < 5; ++k) {
    const model::State state = random.state(mechanism);
    VecX tau = random.vector(mechanism.nv, 2), force = tau;
    VecX vdot = random.vector(mechanism.nv, 2), expected = vdot;  // prescribed ones are read
    const VecX F = random.vector(6 * static_cast<int>(mechanism.links.size()), 1);
    const double* on_links = body_forces ? F.data() : nullptr;
    calc_forward_dynamics(mechanism, state, tau, on_links, workspace, expected);
    program.run(state.q.data(), state.v.data(), force.data(), on_links, vdot.data());
    largest = std::max({largest, (vdot - expected).norm() / (1 + expected.norm()),
                        (force - tau).norm() / (1 + tau.norm())});
  }
  return largest;
}

TEST_F(Program, TapeAndCompiledCodeEqualTheRecursion) {
  RandomMechanism random(31);
  for (const bool prescribed : {false, true}) {
    for (const bool body_forces : {false, true}) {
      const Mechanism mechanism = random.tree(5, 0.7, prescribed);
      ForwardProgram tape(mechanism, body_forces);
      tape.stay_on_tape();
      EXPECT_LT(difference(mechanism, tape, random, body_forces), 1e-9);
      if (!symbolic::CompiledC::is_available()) continue;
      ForwardProgram compiled(mechanism, body_forces);
      compiled.compiler().wait();
      ASSERT_EQ(compiled.compiler().status(), Status::ready) << compiled.compiler().reason();
      EXPECT_LT(difference(mechanism, compiled, random, body_forces), 1e-9);
      EXPECT_TRUE(compiled.is_compiled());
    }
  }
}

TEST_F(Program, TheCacheIsPrivateAndUsed) {
  if (!symbolic::CompiledC::is_available()) GTEST_SKIP() << "SKIPPED: there is no C compiler `cc`";
  const std::string source = twice;
  { BackgroundCompiler(source, {}).wait(); }
  EXPECT_EQ(count_files(".so"), 1u);
  EXPECT_EQ(count_files(".part"), 0u);
  struct stat about {};
  ASSERT_EQ(stat((folder_ / "couplet/compiled").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0700u);
  setenv("COUPLET_CC", "/nonexistent/cc", 1);  // not needed again
  BackgroundCompiler again(source, {});
  again.wait();
  ASSERT_EQ(again.status(), Status::ready) << again.reason();
  EXPECT_EQ(reinterpret_cast<double (*)(double)>(again.find("twice"))(21), 42);
  // Other flags are another library, and a folder that others can write to is not trusted.
  BackgroundCompiler other(source, {"-DOTHER"});
  other.wait();
  EXPECT_EQ(other.status(), Status::unavailable);
  fs::permissions(folder_ / "couplet/compiled", fs::perms::all);
  BackgroundCompiler open(source, {});
  open.wait();
  EXPECT_EQ(open.status(), Status::unavailable);
  EXPECT_NE(open.reason().find("not private"), std::string::npos) << open.reason();
}

// Loading it would end the process with SIGBUS.
TEST_F(Program, ALibraryThatWasCutIsCompiledAgain) {
  if (!symbolic::CompiledC::is_available()) GTEST_SKIP() << "SKIPPED: there is no C compiler `cc`";
  { BackgroundCompiler(twice, {}).wait(); }
  const fs::path library = find_file(".so");
  const auto size = fs::file_size(library);
  for (const auto left : {size - 1, size / 2, size_t{100}, size_t{0}}) {
    fs::resize_file(library, left);
    BackgroundCompiler again(twice, {});
    again.wait();
    ASSERT_EQ(again.status(), Status::ready) << left << ": " << again.reason();
    EXPECT_EQ(reinterpret_cast<double (*)(double)>(again.find("twice"))(21), 42);
    EXPECT_EQ(fs::file_size(library), size);
  }
}

// What was altered would compute something else, or nothing.
TEST_F(Program, ALibraryThatWasAlteredIsCompiledAgain) {
  if (!symbolic::CompiledC::is_available()) GTEST_SKIP() << "SKIPPED: there is no C compiler `cc`";
  { BackgroundCompiler(twice, {}).wait(); }
  const fs::path library = find_file(".so");
  const auto size = static_cast<std::streamoff>(fs::file_size(library));
  const auto expect_right = [&] {
    BackgroundCompiler again(twice, {});
    again.wait();
    ASSERT_EQ(again.status(), Status::ready) << again.reason();
    EXPECT_EQ(reinterpret_cast<double (*)(double)>(again.find("twice"))(21), 42);
  };
  for (const std::streamoff at : {std::streamoff{0}, size / 3, size - 1}) {
    std::fstream file(library, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(at);
    const char changed = static_cast<char>(file.peek() ^ 1);
    file.seekp(at);
    file.put(changed);
    file.close();
    expect_right();
  }
  std::ofstream(library.string() + ".sum") << "0  -\n";  // it may be the hash that was altered
  expect_right();
  fs::remove(library.string() + ".sum");
  expect_right();
  std::ofstream(library, std::ios::app) << "more";
  expect_right();
}

TEST_F(Program, TheMarkOfACompilerThatWasKilledIsNobodys) {
  if (!symbolic::CompiledC::is_available()) GTEST_SKIP() << "SKIPPED: there is no C compiler `cc`";
  { BackgroundCompiler(twice, {}).wait(); }
  const fs::path library = find_file(".so");
  fs::remove(library);
  std::ofstream(library.string() + ".busy") << "";
  BackgroundCompiler again(twice, {});
  again.wait();
  EXPECT_EQ(again.status(), Status::ready) << again.reason();
  EXPECT_EQ(count_files(".busy"), 0u);
}

TEST_F(Program, ACompilerThatHangsIsEnded) {
  const fs::path hangs = folder_ / "hangs";
  std::ofstream(hangs) << "#!/bin/sh\nexec sleep 3600\n";
  fs::permissions(hangs, fs::perms::owner_all);
  setenv("COUPLET_CC", hangs.c_str(), 1);
  setenv("COUPLET_CC_SECONDS", "1", 1);
  BackgroundCompiler compiler(twice, {});
  compiler.wait();
  EXPECT_EQ(compiler.status(), Status::unavailable);
  EXPECT_EQ(count_files(".busy"), 0u);
}

// Somebody else made the folder that both caches are in, readable for all.
TEST_F(Program, OthersMayLookIntoTheOuterFolder) {
  if (!symbolic::CompiledC::is_available()) GTEST_SKIP() << "SKIPPED: there is no C compiler `cc`";
  fs::create_directories(folder_ / "couplet");
  fs::permissions(folder_ / "couplet", fs::perms(0755));
  BackgroundCompiler compiler(twice, {});
  compiler.wait();
  EXPECT_EQ(compiler.status(), Status::ready) << compiler.reason();
}

TEST_F(Program, WorksWithoutACompiler) {
  setenv("COUPLET_CC", "/nonexistent/cc", 1);
  RandomMechanism random(32);
  const Mechanism mechanism = random.limbs({3, 2}, true);
  ForwardProgram program(mechanism, false);
  program.compiler().wait();
  EXPECT_EQ(program.compiler().status(), Status::unavailable);
  EXPECT_LT(difference(mechanism, program, random, false), 1e-9);
  EXPECT_FALSE(program.is_compiled());
}

TEST_F(Program, ACompilerThatCannotStartLeavesNoMarkForOthersToWaitFor) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nonexistent", 1);  // not even a shell
  BackgroundCompiler compiler(twice, {});
  compiler.wait();
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(compiler.status(), Status::unavailable);
  EXPECT_EQ(count_files(".busy"), 0u);
}

TEST_F(Program, BatchesEqualTheRecursion) {
  RandomMechanism random(34);
  const Mechanism mechanism = random.limbs({3, 2}, true);
  GeneratedBatch batch(mechanism);
  math::MatX q(mechanism.nq, 7), v(mechanism.nv, 7), tau(mechanism.nv, 7), vdot = tau;
  for (int k = 0; k < 7; ++k) {
    const model::State state = random.state(mechanism);
    q.col(k) = state.q, v.col(k) = state.v, tau.col(k) = random.vector(mechanism.nv, 2);
  }
  dynamics::RecursiveWorkspace<double> workspace(mechanism);
  for (const bool wait : {false, true}) {
    if (wait) batch.wait();
    batch.calc_forward_dynamics(q, v, tau, vdot);
    for (int k = 0; k < 7; ++k) {
      VecX expected(mechanism.nv), force = tau.col(k);
      calc_forward_dynamics(mechanism, {0, q.col(k), v.col(k)}, force, nullptr, workspace,
                            expected);
      EXPECT_LT((vdot.col(k) - expected).norm(), 1e-10 * expected.norm()) << wait << k;
    }
  }
  EXPECT_EQ(batch.is_compiled(),
            symbolic::CompiledC::is_available() && dynamics::batch_kernels().width == 4);
}

TEST_F(Program, BatchesOfInverseDynamicsEqualTheRecursion) {
  RandomMechanism random(35);
  const Mechanism mechanisms[] = {random.limbs({7}, false), random.limbs({3, 2}, true),
                                  random.tree(5, 0.7, false)};
  for (const Mechanism& mechanism : mechanisms) {
    GeneratedBatch batch(mechanism);
    dynamics::InverseWorkspace<double> workspace(mechanism);
    for (const int count :
         {1, 4, 5, 8, 19}) {  // part of a pack, whole packs, an odd number of them
      math::MatX q(mechanism.nq, count), v(mechanism.nv, count), vdot = v, tau = v;
      for (int k = 0; k < count; ++k) {
        const model::State state = random.state(mechanism);
        q.col(k) = state.q, v.col(k) = state.v, vdot.col(k) = random.vector(mechanism.nv, 2);
      }
      for (const bool wait : {false, true}) {
        if (wait) batch.wait();
        tau.setConstant(NAN);
        batch.calc_inverse_dynamics(q, v, vdot, tau);
        for (int k = 0; k < count; ++k) {
          VecX expected(mechanism.nv);
          calc_inverse_dynamics(mechanism, {0, q.col(k), v.col(k)}, vdot.col(k), nullptr, workspace,
                                expected);
          EXPECT_LT((tau.col(k) - expected).norm(), 1e-12 * (1 + expected.norm()))
              << wait << ' ' << k << " of " << count;
        }
      }
    }
    EXPECT_EQ(batch.is_compiled(),
              symbolic::CompiledC::is_available() && dynamics::batch_kernels().width == 4);
  }
}

// Whether and when the compiler gets ready changes no bit of a run.
TEST_F(Program, CompiledCodeGivesTheBitsOfTheTape) {
  if (!symbolic::CompiledC::is_available()) GTEST_SKIP() << "SKIPPED: there is no C compiler `cc`";
  RandomMechanism random(36);
  for (const bool body_forces : {false, true}) {
    const Mechanism mechanism = random.limbs({2, 1}, body_forces);
    ForwardProgram tape(mechanism, body_forces), compiled(mechanism, body_forces);
    tape.stay_on_tape();
    compiled.compiler().wait();
    for (int i = 0; i < 200; ++i) {
      const model::State state = random.state(mechanism);
      const VecX tau = random.vector(mechanism.nv, 5);
      const VecX forces =
          random.vector(6 * static_cast<int>(mechanism.links.size()), body_forces ? 3 : 0);
      const VecX given = random.vector(mechanism.nv, 2);  // v̇ of prescribed joints
      VecX tau_a = tau, tau_b = tau, a = given, b = given;
      tape.run(state.q.data(), state.v.data(), tau_a.data(), forces.data(), a.data());
      compiled.run(state.q.data(), state.v.data(), tau_b.data(), forces.data(), b.data());
      ASSERT_EQ(a, b) << i;
      ASSERT_EQ(tau_a, tau_b) << i;
    }
    EXPECT_FALSE(tape.is_compiled());
    EXPECT_TRUE(compiled.is_compiled());
  }
}

TEST_F(Program, FormalismsSayWhatTheyRun) {
  add_once();
  RandomMechanism random(33);
  const auto mechanism = std::make_shared<const Mechanism>(random.limbs({4, 3}, false));
  const model::State state = random.state(*mechanism);
  VecX expected(mechanism->nv), zero = VecX::Zero(mechanism->nv);
  dynamics::System(mechanism).calc_vdot(state, zero, expected);
  for (const char* name : {"generated", "fast"}) {
    dynamics::System system(mechanism, name);
    for (int k = 0; k < 2000; ++k) {  // about a second: the compiler may get ready meanwhile
      VecX tau = VecX::Zero(mechanism->nv), vdot(mechanism->nv);
      system.calc_vdot(state, tau, vdot);
      EXPECT_LT((vdot - expected).norm(), 1e-11 * expected.norm()) << name;
      if (system.formalism().note().find("while the compiler runs") == std::string::npos && k > 9)
        break;
      usleep(1000);
    }
    EXPECT_FALSE(system.formalism().note().empty());
  }
}

// By what there is to do, not by the clock.
TEST_F(Program, FastChoosesByCounting) {
  add_once();
  RandomMechanism random(37);
  const auto small = std::make_shared<const Mechanism>(random.limbs({2}, false));
  const auto large = std::make_shared<const Mechanism>(random.limbs({12, 12}, false));
  const auto choice = [](const auto& mechanism) {
    return dynamics::System(mechanism, "fast").formalism().choice();
  };
  EXPECT_EQ(choice(small), "generated code");
  EXPECT_EQ(choice(large), "recursive");
  dynamics::System there(small, "fast");
  setenv("COUPLET_CC", "/nonexistent/cc", 1);
  EXPECT_EQ(choice(small), "generated code");  // on the tape, to the same bits
  dynamics::System here(small, "fast");
  const model::State state = random.state(*small);
  VecX tau = VecX::Zero(small->nv), a(small->nv), b(small->nv);
  there.calc_vdot(state, tau, a);
  here.calc_vdot(state, tau, b);
  EXPECT_EQ(a, b);
  here.formalism().set_memory({0});  // what a checkpoint says counts more
  EXPECT_EQ(here.formalism().choice(), "recursive");
}

}  // namespace
}  // namespace couplet::generate
