// Names of coordinates, speeds and freedoms. They follow from those of joints, and are made when
// somebody asks: a million joints have three million of them.
#pragma once

#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace couplet::model {

class Model;

class Names {
 public:
  enum class Of { coordinates, speeds, freedoms };  // "elbow.q", "elbow.v"; "elbow", "ball.wx"

  Names() = default;
  /// `joints`: index in Model::joints of each, those of one joint next to each other.
  Names(Of of, std::shared_ptr<const Model> model, std::shared_ptr<const std::vector<int>> joints)
      : of_(of), model_(std::move(model)), joints_(std::move(joints)) {}

  size_t size() const { return joints_ ? joints_->size() : 0; }
  std::string operator[](size_t index) const;

  class iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = std::string;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = std::string;

    iterator(const Names* names, size_t index) : names_(names), index_(index) {}
    std::string operator*() const { return (*names_)[index_]; }
    iterator& operator++() {
      ++index_;
      return *this;
    }
    bool operator==(const iterator&) const = default;

   private:
    const Names* names_;
    size_t index_;
  };
  using const_iterator = iterator;
  iterator begin() const { return {this, 0}; }
  iterator end() const { return {this, size()}; }

  operator std::vector<std::string>() const;  // NOLINT: all of them
  friend bool operator==(const Names& a, const std::vector<std::string>& b) {
    return std::vector<std::string>(a) == b;
  }
  friend bool operator==(const Names& a, const Names& b) {
    return a == std::vector<std::string>(b);
  }

 private:
  Of of_ = Of::coordinates;
  std::shared_ptr<const Model> model_;
  std::shared_ptr<const std::vector<int>> joints_;
};

}  // namespace couplet::model
