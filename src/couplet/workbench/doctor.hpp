// What this program is made of, which optional parts it finds here, and how to get those that are
// missing.
#pragma once

#include <string>
#include <vector>

namespace couplet::workbench {

struct DoctorReport {
  struct Fact {
    std::string name, value;
  };
  struct Part {
    std::string name, purpose;
    bool found = false;
    std::string detail;  // version or place
    std::string fix;     // when it is missing
  };
  std::vector<Fact> facts;
  std::vector<Part> parts;
};

/// Tries everything: writes a result, compiles a function, asks other programs for their versions.
DoctorReport examine();

}  // namespace couplet::workbench
