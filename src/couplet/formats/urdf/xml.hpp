// XML text as a pugixml tree in which every element and attribute knows its place.
#pragma once

#include <pugixml.hpp>
#include <string>
#include <string_view>

#include "couplet/base/diagnostics.hpp"
#include "couplet/formats/urdf/places.hpp"

namespace couplet::formats::urdf {

constexpr size_t max_file_size = size_t{256} << 20;  // bytes
constexpr ptrdiff_t max_parts = 10'000'000;          // tags and attributes: each takes memory

/// The whole file. Throws UserError when it cannot be read or is larger than max_file_size, which
/// is known before a byte of a regular file is read.
std::string read_text_file(const std::string& path);

/// Parsed in place. Nothing in here recurses, so that no depth of nesting can overflow the stack;
/// a DTD is skipped and entities of its own are not expanded.
class Xml {
 public:
  /// Throws UserError when `text` is not well-formed. `text` must outlive this.
  Xml(std::string_view text, const std::string& file_name);

  pugi::xml_node root() const { return document_.document_element(); }
  bool has_dtd() const;

  base::SourceLocation file() const { return places_.file(); }
  base::SourceLocation where(pugi::xml_node element) const;
  base::SourceLocation where(pugi::xml_node element, pugi::xml_attribute attribute) const;

 private:
  void check_is_text() const;
  void check_is_one_element() const;

  Places places_;
  std::string buffer_;  // a copy of the text; names and values of the tree point into it
  pugi::xml_document document_;
};

}  // namespace couplet::formats::urdf
