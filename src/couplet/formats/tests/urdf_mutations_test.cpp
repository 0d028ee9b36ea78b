// Sample robots, whole and damaged: what is whole reads without a warning, what is damaged is read
// or refused with a message, and never anything else.
#include <gmock/gmock.h>

#include <functional>
#include <pugixml.hpp>
#include <random>

#include "urdf_reading.hpp"

namespace couplet::formats {
namespace {

const std::vector<std::string> samples = {"arm7", "gripper", "quadruped"};

/// Reads, and looks at everything that refers to something. Any exception but UserError is a
/// failure.
bool reads_or_refuses(const std::string& text) {
  const Reading r = read(text);
  if (!r.error.empty()) return r.error.find("error: ") != r.error.npos;
  const auto in = [](int index, const auto& list) {
    return index >= 0 && static_cast<size_t>(index) < list.size();
  };
  for (const model::Point& p : r.model.points)
    if (!in(p.body, r.model.bodies) || !p.X_BP.R.allFinite()) return false;
  for (const model::Joint& j : r.model.joints) {
    if (!in(j.from, r.model.points) || !in(j.to, r.model.points)) return false;
    if (!j.R_axes.isUnitary(1e-12)) return false;
    if (j.mimic && (!in(j.mimic->joint, r.model.joints) ||
                    r.model.joints[static_cast<size_t>(j.mimic->joint)].mimic))
      return false;
  }
  return r.model.joints.size() + 1 == r.model.bodies.size();  // a tree
}

double total_mass(const model::Model& model) {
  double mass = 0;
  for (const model::Body& body : model.bodies) mass += body.mass.mass;
  return mass;
}

int freedoms(const model::Model& model) {
  int n = 0;
  for (const model::Joint& joint : model.joints)
    if (!joint.mimic) n += info(joint.type).nv;
  return n;
}

TEST(UrdfSamples, ReadWithoutAWarning) {
  struct Case {
    const char* name;
    bool floating;
    int freedoms;
    double mass;
  };
  for (const Case& c : {Case{"arm7", false, 7, 19.32}, Case{"gripper", false, 2, 1.09},
                        Case{"quadruped", true, 18, 14.59}}) {
    const Reading r = read(sample(c.name), {.floating_base = c.floating});
    EXPECT_EQ(r.error + r.warnings(), "") << c.name;
    EXPECT_EQ(r.model.name, c.name);
    EXPECT_EQ(freedoms(r.model), c.freedoms) << c.name;
    EXPECT_NEAR(total_mass(r.model), c.mass, 1e-12) << c.name;
    EXPECT_TRUE(reads_or_refuses(sample(c.name)));
  }
}

// pinion = 83.3 right + 0.1, right = left
TEST(UrdfSamples, ThePinionFollowsTheDrivenFinger) {
  const Reading r = read(sample("gripper"));
  const model::Mimic& mimic = r.joint("pinion_turn").mimic.value();
  EXPECT_EQ(mimic.joint, r.model.find_joint("left_finger_slide"));
  EXPECT_NEAR(mimic.ratio, 1 / 0.012, 1e-12);
  EXPECT_EQ(mimic.offset, 0.1);
}

// The tube of the upper arm lies along -y of its link: its smallest moment of inertia is about y.
TEST(UrdfSamples, RotatedTubesLieAlongTheirLinks) {
  const math::Mat3 inertia = read(sample("arm7")).body("upper_arm").mass.inertia;
  EXPECT_NEAR(inertia(0, 0), 0.0202533, 1e-15);
  EXPECT_NEAR(inertia(1, 1), 0.00558, 1e-15);
  EXPECT_NEAR(inertia(2, 2), 0.0202533, 1e-15);
}

/// Calls `damage` for the n-th element of the document, n = 0, 1, …, each time on a fresh copy.
void for_each_element(const std::string& text,
                      const std::function<void(pugi::xml_document&, pugi::xml_node)>& damage) {
  for (int n = 0;; ++n) {
    pugi::xml_document document;
    document.load_string(text.c_str());
    int seen = 0;
    const pugi::xml_node found = document.find_node(
        [&](pugi::xml_node node) { return node.type() == pugi::node_element && seen++ == n; });
    if (!found) return;
    damage(document, found);
  }
}

bool survives(const pugi::xml_document& document) {
  std::stringstream text;
  document.save(text);
  return reads_or_refuses(text.str());
}

TEST(UrdfMutations, EachElementDeletedInTurn) {
  for (const std::string& name : samples)
    for_each_element(sample(name), [&](pugi::xml_document& document, pugi::xml_node element) {
      element.parent().remove_child(element);
      EXPECT_TRUE(survives(document)) << name;
    });
}

TEST(UrdfMutations, EachAttributeDeletedEmptiedAndSpoiledInTurn) {
  for (const std::string& name : samples)
    for_each_element(sample(name), [&](pugi::xml_document& document, pugi::xml_node element) {
      for (pugi::xml_attribute attribute : element.attributes()) {
        const std::string value = attribute.value();
        for (const char* spoiled : {"", "nan", "-1", "0 0 0", "1e999", "a", "${x}"}) {
          attribute.set_value(spoiled);
          EXPECT_TRUE(survives(document)) << name << " " << attribute.name() << "=" << spoiled;
        }
        attribute.set_value(value.c_str());
      }
      while (pugi::xml_attribute first = element.first_attribute()) {
        element.remove_attribute(first);
        EXPECT_TRUE(survives(document)) << name;
      }
    });
}

TEST(UrdfMutations, EachElementTwice) {
  for (const std::string& name : samples)
    for_each_element(sample(name), [&](pugi::xml_document& document, pugi::xml_node element) {
      element.parent().append_copy(element);
      EXPECT_TRUE(survives(document)) << name;
    });
}

TEST(UrdfMutations, CutAtEveryByte) {
  const std::string text = sample("gripper");
  for (size_t size = 0; size < text.size(); ++size)
    ASSERT_TRUE(reads_or_refuses(text.substr(0, size))) << size;
}

TEST(UrdfMutations, RandomDamage) {
  const std::vector<std::string> tokens = {"<",
                                           ">",
                                           "\"",
                                           "'",
                                           "/>",
                                           "</",
                                           "<!--",
                                           "-->",
                                           "<![CDATA[",
                                           "<!DOCTYPE",
                                           "&",
                                           "&#0;",
                                           "&#xffffffff;",
                                           "]]>",
                                           "<?",
                                           "?>",
                                           "nan",
                                           "1e999",
                                           "-0",
                                           std::string(1, '\0'),
                                           "\xff",
                                           "\xe2\x86",
                                           "<link name=\"a\"/>",
                                           "<joint>",
                                           "</robot>",
                                           "world",
                                           "${x}",
                                           "\n",
                                           "\t"};
  std::mt19937 random(20240229);
  const auto below = [&](size_t n) {
    return std::uniform_int_distribution<size_t>(0, n - 1)(random);
  };
  for (const std::string& name : samples) {
    const std::string original = sample(name);
    for (int round = 0; round < 1500; ++round) {
      std::string text = original;
      for (size_t k = below(4) + 1; k > 0; --k) {
        const size_t at = below(text.size()), length = below(60);
        switch (below(5)) {
          case 0:
            text[at] = static_cast<char>(below(256));
            break;
          case 1:
            text.erase(at, length);
            break;
          case 2:
            text.insert(at, tokens[below(tokens.size())]);
            break;
          case 3:
            text.insert(at, original.substr(below(original.size()), length * 10));
            break;
          case 4:
            text.replace(at, length, tokens[below(tokens.size())]);
            break;
        }
        if (text.empty()) text = "<";
      }
      ASSERT_TRUE(reads_or_refuses(text)) << name << " round " << round << "\n" << text;
    }
  }
}

}  // namespace
}  // namespace couplet::formats
