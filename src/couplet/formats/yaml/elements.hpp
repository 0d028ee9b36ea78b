// Elements as their types describe them: the keys say what is read and how.
#pragma once

#include "couplet/formats/yaml/reader.hpp"
#include "couplet/model/element.hpp"

namespace couplet::formats::yaml {

/// The keys of a type as a Section wants them, after `first`.
std::vector<std::string> key_names(const model::ElementType& type, std::vector<std::string> first);

using ElementList = std::vector<model::Element> model::Model::*;

/// Adds an element with the values of all keys to a list of the model; `name` is the element's own,
/// within its part. What is wrong is reported, and nothing is added then.
void read_element(const model::ElementType& type, const std::string& name,
                  const base::SourceLocation& where, const Section& section, ElementList list,
                  Part& part);

/// Reports what is wrong with an element by itself, if anything is.
bool has_fault(const model::Element& element, const Section& section, Part& part);

}  // namespace couplet::formats::yaml
