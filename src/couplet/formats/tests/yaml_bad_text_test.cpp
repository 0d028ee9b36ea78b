// Mistakes in model files, each with its place, what is said and how to mend it.
#include <gtest/gtest.h>

#include "couplet/formats/tests/bad_yaml.hpp"

namespace couplet::formats::bad_yaml {
namespace {

const std::vector<BadYaml> text_cases = {
    {"EmptyFile", "", "error: the file is empty", "begin with couplet: 1"},
    {"OnlyComments", "# nothing\n", "error: the file is empty", "begin with couplet: 1"},
    {"NotAMapping", "- 1\n- 2\n", "1:1: error: the model: expected a mapping, got a list",
     "write its keys, one per line: couplet,"},
    {"JustText", "hello\n", "1:1: error: the model: expected a mapping, got 'hello'",
     "write its keys, one per line: couplet,"},
    {"NoVersion", "name: x\n", "1:1: error: the model does not say its format version",
     "begin with couplet: 1"},
    {"OtherVersion", "couplet: 2\n", "1:10: error: expected format version 1, got '2'",
     "write couplet: 1"},
    {"SecondDocument", model("---\ncouplet: 1\n"), "2:1: error: a second YAML document starts here",
     "keep one model per file, without '---' between parts"},
    {"Tab", model("bodies:\n	arm: {mass: 1}\n"),
     "3:5: error: this is not YAML: illegal map value", "indent with spaces, not with tabs"},
    {"UnclosedBrace", model("bodies: {arm: {mass: 1\n"),
     "3:1: error: this is not YAML: end of map flow not found",
     "check indentation, quotes and brackets here and above"},
    {"DuplicateKey", model("name: a\nname: b\n"),
     "3:1: error: key 'name' is given twice, first in line 2", "keep one of them"},
    {"DuplicateBody", model("bodies:\n  a: {mass: 0}\n  a: {mass: 0}\n"),
     "4:3: error: key 'a' is given twice, first in line 3", "keep one of them"},
    {"Tag", "couplet: !!int 1\n",
     "1:10: error: the YAML tag 'tag:yaml.org,2002:int' has no meaning here",
     "remove it: the key decides how a value is read"},
    {"UnknownAlias", model("name: *x\n"),
     "2:7: error: this is not YAML: the referenced anchor is not defined",
     "check indentation, quotes and brackets here and above"},
    {"SelfAlias", model("bodies: &b {a: *b}\n"),
     "2:16: error: this alias stands for something that contains it",
     "an alias can repeat only what is complete before it"},
    {"ListAsKey", model("? [a]\n: b\n"), "2:3: error: expected a name as key, got a list",
     "write  key: value"},
    {"Bomb", bomb(), "7:17: error: the file has more than 5000000 values, aliases (*) expanded",
     "use subsystems instead of nested aliases"},
    {"MergeKey", model("bodies:\n  a: &a {mass: 0}\n  b: {<<: *a}\n"),
     "4:7: error: body 'b' has no key '<<'",
     "merge keys are not used; repeat a part as a subsystem"},
    {"UnknownTopKey", model("bodys: {}\n"), "2:1: error: the model has no key 'bodys'",
     "choose one of couplet, name,"},
    {"KeyWithoutValue", model("name:\n"), "2:1: error: the model: key 'name' has no value",
     "give a value, or remove the key"},
};

TEST(BadYaml, Text) { expect_messages(text_cases); }

const std::vector<BadYaml> names_cases = {
    {"DotInName", model("bodies:\n  a.b: {mass: 0}\n"),
     "3:3: error: the name 'a.b' of a body contains a dot",
     "use letters, digits, '_' and '-'; dots separate the parts of a path"},
    {"EmptyName", model("bodies:\n  '': {mass: 0}\n"), "3:3: error: the name '' of a body is empty",
     "use letters, digits, '_' and '-'; dots separate the parts of a path"},
    {"WorldAsBody", model("bodies:\n  world: {mass: 0}\n"),
     "3:3: error: the name 'world' of a body is taken by the inertial frame",
     "use letters, digits, '_' and '-'; dots separate the parts of a path"},
    {"ControlCharacterInName", model("bodies:\n  \"a\\x01b\": {mass: 0}\n"),
     "3:3: error: the name 'a\\x01b' of a body contains a control character, a quote or a "
     "backslash",
     "use letters, digits, '_' and '-'; dots separate the parts of a path"},
    {"BodiesAsList", model("bodies: [1, 2]\n"),
     "2:9: error: expected a mapping from names, got a list",
     "write  name of the body: …  for each body"},
};

TEST(BadYaml, Names) { expect_messages(names_cases); }

const std::vector<BadYaml> parameters_cases = {
    {"ParameterCycle", model("parameters:\n  a: b + 1\n  b: 2*c\n  c: a\n"),
     "3:3: error: parameters form a cycle: a → b → c → a", "give one of them a number"},
    {"ParameterOfItself", model("parameters: {a: a + 1}\n"),
     "2:14: error: parameters form a cycle: a → a", "give one of them a number"},
    {"ParameterUnknown", model("parameters:\n  length: 1\n  width: 2*lenght\n"),
     "4:12: error: unknown name 'lenght'", "did you mean 'length'?"},
    {"ParameterNamedT", model("parameters: {t: 1}\n"),
     "2:14: error: a parameter cannot be called 't': t is the time",
     "use letters, digits and '_', and begin with a letter"},
    {"ParameterNamedAsFunction", model("parameters: {sin: 1}\n"),
     "2:14: error: a parameter cannot be called 'sin': it is a function",
     "use letters, digits and '_', and begin with a letter"},
    {"ParameterWithSpace", model("parameters: {a b: 1}\n"),
     "2:14: error: a parameter cannot be called 'a b': expressions could not use it",
     "use letters, digits and '_', and begin with a letter"},
    {"ParameterOfWrongDimension",
     model("parameters: {w: 3 kg}\nbodies: {a: {mass: 0, points: {p: [w, 0, 0]}}}\n"),
     "3:36: error: expected a length (m), got 'w' (kg)",
     "give it in m, or a bare number in SI units"},
    {"ParameterIsList", model("parameters: {a: [1]}\n"),
     "2:17: error: expected a number, got a list",
     "write a number, or an expression of parameters"},
};

TEST(BadYaml, Parameters) { expect_messages(parameters_cases); }

const std::vector<BadYaml> expressions_cases = {
    {"UnknownName", revolute("torque: -2*q + tagret"), "5:62: error: unknown name 'tagret'",
     "choose one of t, q, v, arm.position.x, "},
    {"AmbiguousUnit",
     "couplet: 1\nparameters: {m: 2}\n" + revolute("torque: 3 N*m + m*q").substr(11),
     "6:59: error: 'm' is a unit and a name: which one is meant?",
     "put the name in front of the number, or spaces around the sign"},
    {"UnitWithoutNumber", revolute("torque: 2*mm"), "5:57: error: unknown name 'mm'",
     "a unit stands behind a number: 1 mm"},
    {"UnitNotNumberInProduct", revolute("torque: 3 N * m"), "5:61: error: unknown name 'm'",
     "a unit stands behind a number: 1 m"},
    {"UnknownCoordinate", revolute("torque: 2*pin.w"), "5:57: error: unknown name 'pin.w'",
     "did you mean 'pin.q'?"},
    {"UnclosedParenthesis", revolute("torque: 2*(q + 1"), "5:57: error: this '(' is not closed",
     "add a ')'"},
    {"UnknownFunction", revolute("torque: 2*sinus(q)"), "5:57: error: there is no function 'sinus'",
     "choose one of pow, sin, cos, tan, asin,"},
    {"MissingOperator", revolute("torque: 2*q v"),
     "5:59: error: expected an operator, found 'pin.v'", "write '*' in front of it to multiply"},
    {"EmptyExpression", revolute("torque: ''"), "5:55: error: the expression is empty",
     "write a number, a name or a formula"},
    {"ErrorBehindUnit", revolute("torque: 3 N*m + * q"),
     "5:63: error: expected a number, a name or '(', found '*'", "write an operand here"},
    {"ErrorInQuotes", revolute("torque: '2*q + ]'"), "5:62: error: ']' has no meaning here",
     "write unusual names in single quotes, or remove the character"},
    {"ErrorBehindUmlaut",
     model("bodies:\n  bäm: {mass: 1, shape: {sphere: 0.1}, points: {tip: [0, 0, 1]}}\njoints:\n  "
           "pin: {type: revolute, from: world, to: bäm, torque: x}\n"),
     "5:55: error: unknown name 'x'", "did you mean 't'?"},
    {"NestedTooDeep", revolute("torque: " + std::string(1001, '(') + "q" + std::string(1001, ')')),
     "5:1055: error: the expression is nested more than 1000 levels deep",
     "split it, or remove parentheses"},
    {"TorqueOnSlider", joint("{type: prismatic, from: world, to: arm, torque: 1}"),
     "5:48: error: prismatic joint 'pin' slides; it has no torque", "write force"},
    {"ForceAndTorque", revolute("force: 1, torque: 2"),
     "5:57: error: revolute joint 'pin' has both a force and a torque", "keep one of them"},
    {"RestWithoutStiffness", revolute("rest: 1"),
     "5:47: error: revolute joint 'pin' has a rest position but no stiffness",
     "add a stiffness, or remove the rest position"},
    {"StiffnessOnSpherical", joint("{type: spherical, from: world, to: arm, stiffness: [1, 1, 1]}"),
     "5:48: error: spherical joint 'pin' cannot have a stiffness: it has no angles",
     "write a torque as expression, or use springs between points"},
    {"DampingOfOne", joint("{type: planar, from: world, to: arm, damping: 1}"),
     "5:54: error: planar joint 'pin': expected 3 values for damping, got '1'",
     "write a list of 3"},
};

TEST(BadYaml, Expressions) { expect_messages(expressions_cases); }

}  // namespace
}  // namespace couplet::formats::bad_yaml
