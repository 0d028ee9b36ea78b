// The formalisms that run generated code: `generated`, and `fast`, which takes whatever is fastest.
#pragma once

namespace couplet::generate {

/// Adds them to dynamics::formalisms(); once, before the first mechanism is evaluated.
void add_formalisms();

}  // namespace couplet::generate
