#include "mutate.hpp"

#include <algorithm>
#include <cctype>

namespace couplet::fuzz {
namespace {

// Where a word starts: changes of whole words keep more of the text alive than changes of bytes.
size_t word_at(const std::string& text, size_t at) {
  while (at > 0 && std::isalnum(static_cast<unsigned char>(text[at - 1]))) --at;
  return at;
}

size_t word_end(const std::string& text, size_t at) {
  const size_t begin = at;
  while (at < text.size() && std::isalnum(static_cast<unsigned char>(text[at]))) ++at;
  return std::max(at, std::min(begin + 1, text.size()));
}

std::string piece(const std::string& text, Random& random) {
  if (text.empty()) return {};
  const size_t begin = word_at(text, random.below(text.size()));
  return text.substr(begin, word_end(text, begin + random.below(40)) - begin);
}

void change(std::string& text, const std::vector<std::string>& corpus,
            std::span<const std::string_view> words, Random& random) {
  const size_t at = word_at(text, random.below(text.size() + 1));
  const size_t end = std::min(word_end(text, at), text.size());
  switch (random.below(9)) {
    case 0:  // a byte
      if (at < text.size()) text[at] = static_cast<char>(random.next());
      break;
    case 1:
      text.erase(at, random.below(30));
      break;
    case 2:
      text.insert(at, words[random.below(words.size())]);
      break;
    case 3:
      text.replace(at, end - at, words[random.below(words.size())]);
      break;
    case 4:
      text.insert(at, piece(corpus[random.below(corpus.size())], random));
      break;
    case 5:
      text.replace(at, end - at, piece(text, random));
      break;
    case 6: {  // swap two words
      const std::string a = text.substr(at, end - at);
      const size_t other = word_at(text, random.below(text.size() + 1));
      const size_t length = std::min(word_end(text, other), text.size()) - other;
      if (other + length > at) break;  // only backwards: positions stay true
      const std::string b = text.substr(other, length);
      text.replace(at, a.size(), b);
      text.replace(other, length, a);
      break;
    }
    case 7: {  // many times the same
      const std::string one = text.substr(at, std::min<size_t>(end - at, 20));
      std::string many;
      for (size_t i = random.below(60); i > 0; --i) many += one;
      text.insert(at, many);
      break;
    }
    default:
      text.resize(at);
  }
}

}  // namespace

uint32_t Random::next() {
  const uint64_t old = state_;
  state_ = old * 6364136223846793005ull + 1442695040888963407ull;
  const auto shifted = static_cast<uint32_t>(((old >> 18u) ^ old) >> 27u);
  const auto turn = static_cast<uint32_t>(old >> 59u);
  return (shifted >> turn) | (shifted << ((32 - turn) & 31));
}

std::string mutate(const std::vector<std::string>& corpus, std::span<const std::string_view> words,
                   Random& random) {
  std::string text = corpus[random.below(corpus.size())];
  for (size_t i = 1 + random.below(8); i > 0; --i) change(text, corpus, words, random);
  constexpr size_t longest = 1u << 16;
  if (text.size() > longest) text.resize(longest);
  return text;
}

}  // namespace couplet::fuzz
