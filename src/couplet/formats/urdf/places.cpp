#include "couplet/formats/urdf/places.hpp"

#include <algorithm>

namespace couplet::formats::urdf {

void Places::Position::advance(char c) {
  if (c == '\n') {
    ++line;
    column = 1;
  } else if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) {  // not inside a character
    ++column;
  }
}

Places::Places(std::string_view text, std::string file_name)
    : text_(text), file_(std::move(file_name)) {
  Position position;
  for (size_t i = 0; i < text.size(); ++i) {
    if (i % stride == 0) milestones_.push_back(position);
    position.advance(text[i]);
  }
  if (text.size() % stride == 0) milestones_.push_back(position);
}

base::SourceLocation Places::at(size_t offset) const {
  offset = std::min(offset, text_.size());
  Position position = milestones_[offset / stride];
  for (size_t i = offset - offset % stride; i < offset; ++i) position.advance(text_[i]);
  return {file_, position.line, position.column};
}

}  // namespace couplet::formats::urdf
