#include "couplet/formats/urdf/xml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "couplet/base/files.hpp"
#include "couplet/base/text.hpp"
#include "couplet/formats/urdf/unclosed.hpp"

namespace couplet::formats::urdf {
namespace {

using base::UserError;

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
constexpr const char* example = "a URDF starts with <robot name=\"...\">";

size_t first_visible(std::string_view text) {
  const size_t start = text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  return text.find_first_not_of(" \t\r\n", start);
}

}  // namespace

std::string read_text_file(const std::string& path) {
  auto read = base::try_read_file(path, max_file_size);
  if (auto* text = std::get_if<std::string>(&read)) return std::move(*text);
  throw base::explain(std::get<base::ReadTrouble>(read), path, max_file_size);
}

Xml::Xml(std::string_view text, const std::string& file_name)
    : places_(text, file_name), buffer_(text) {
  check_is_text();
  const size_t start = first_visible(buffer_);
  const pugi::xml_parse_result result =
      document_.load_buffer_inplace(buffer_.data(), buffer_.size(),
                                    pugi::parse_default | pugi::parse_doctype, pugi::encoding_utf8);
  if (result.status == pugi::status_no_document_element)
    throw UserError(places_.at(start), "there is no XML element in this file", example);
  if (!result) {
    std::string reason = result.description(), fix;
    if (!reason.empty()) reason[0] = static_cast<char>(std::tolower(reason[0]));
    if (result.status == pugi::status_end_element_mismatch)
      if (const std::optional<OpenElement> open = find_unclosed(text))
        fix = fmt::format("close {} of line {}", base::quoted(open->name),
                          places_.at(open->offset).line);
    throw UserError(places_.at(static_cast<size_t>(result.offset)), "malformed XML: " + reason,
                    fix);
  }
  check_is_one_element();
}

void Xml::check_is_text() const {
  if (buffer_.starts_with("\xff\xfe") || buffer_.starts_with("\xfe\xff"))
    throw UserError(places_.at(0), "the text is UTF-16", "save the file as UTF-8");
  if (const size_t zero = buffer_.find('\0'); zero != std::string::npos)
    throw UserError(places_.at(zero), "a zero byte: this is binary data, not XML text", example);
  const auto parts =
      std::count_if(buffer_.begin(), buffer_.end(), [](char c) { return c == '<' || c == '='; });
  if (parts > max_parts)
    throw UserError(places_.file(),
                    fmt::format("the file has more than {} tags and attributes", max_parts));
  const size_t start = first_visible(buffer_);
  if (start == std::string::npos) throw UserError(places_.file(), "the file is empty", example);
  if (buffer_[start] != '<')
    throw UserError(places_.at(start), "expected '<': this is not XML", example);
}

void Xml::check_is_one_element() const {
  for (pugi::xml_node node : document_.children())
    if (node.type() == pugi::node_element && node != root())
      throw UserError(where(node), fmt::format("a second root element <{}>", node.name()),
                      fmt::format("put everything inside <{}>", root().name()));
}

bool Xml::has_dtd() const {
  for (pugi::xml_node node : document_.children())
    if (node.type() == pugi::node_doctype) return true;
  return false;
}

base::SourceLocation Xml::where(pugi::xml_node element) const {
  const ptrdiff_t name = element.offset_debug();
  return name > 0 ? places_.at(static_cast<size_t>(name) - 1) : places_.file();  // at its '<'
}

base::SourceLocation Xml::where(pugi::xml_node element, pugi::xml_attribute attribute) const {
  const std::less_equal<const char*> not_after;
  const char* const begin = buffer_.data();
  const char* const name = attribute.name();
  if (!not_after(begin, name) || !not_after(name, begin + buffer_.size())) return where(element);
  return places_.at(static_cast<size_t>(name - begin));
}

}  // namespace couplet::formats::urdf
