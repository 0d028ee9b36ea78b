// Formulas as one C file with its header, which compile alone.
#pragma once

#include "couplet/generate/formulas.hpp"

namespace couplet::generate {

struct CFile {
  std::string stem;  // of the file names
  std::string source, header;
};

/// Functions are called `stem`_forward and so on; with `lanes` > 1 there is also a form for so many
/// states at once, `stem`_forward_batch. `model` is named in the comments.
CFile write_c_file(const Formulas& formulas, const Mechanism& mechanism, const std::string& stem,
                   int lanes = 1);

/// A name as a C identifier: what is no letter or digit becomes _.
std::string c_identifier(const std::string& name);

}  // namespace couplet::generate
