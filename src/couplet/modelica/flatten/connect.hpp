// Connections: from connect equations to sets of variables that are equal or sum to zero.
// [Modelica 3.6, chapter 9]
#pragma once

#include <map>
#include <unordered_map>

#include "couplet/modelica/flatten/flat.hpp"
#include "couplet/modelica/typing/typer.hpp"

namespace couplet::modelica {

/// One side of a connection: a connector, or one element of an array that is a connector itself.
struct End {
  Component* component = nullptr;
  int element = -1;      // linear, from 0; -1: all of it
  bool outside = false;  // a connector of the class that has the connect equation, seen from inside
};

struct Connection {
  End a, b;
  Component* origin = nullptr;  // whose class has the connect equation
  const ClassInst* scope = nullptr;
  Range range = {};
  std::vector<const Component*> broken = {};  // overconstrained parts: equalityConstraint() = 0
};

struct Edge {  // Connections.branch(a, b)
  Component* a = nullptr;
  Component* b = nullptr;
};

struct Root {
  Component* node = nullptr;
  double priority = 0;
};

struct Wanted {  // a member that an expandable connector needs
  Component* bus = nullptr;
  Symbol member;
  Component* like = nullptr;
  bool whole = false;  // all of an array, else one element of it
  int count = 0;       // of an array of connectors of components: a[:].u; else 0
  int element = -1;
};

struct Undeclared {  // connect(bus1.x, bus2.x): neither has an x
  const ClassInst* scope = nullptr;
  Range range;
  Symbol member;
};

struct Connections {
  std::vector<Connection> connections;
  std::vector<Undeclared> undeclared;
  std::vector<Wanted> wanted;
  std::vector<Edge> branches;
  std::vector<Component*> roots;
  std::vector<Root> potential_roots;
};

struct StreamNode {  // a stream variable in a connection set
  Component* variable = nullptr;
  int element = -1;  // of an array; -1: all of it
  bool outside = false;
  const Connection* connection = nullptr;  // the first that names it
};
using StreamSet = std::vector<StreamNode>;

struct StreamSets {
  std::vector<StreamSet> sets;
  std::map<std::pair<Component*, int>, size_t> inside;  // the set in which it is inside
  std::set<Component*> split;                           // arrays that are connected by elements
};

/// What the connection graph says about overconstrained connectors.
struct ConnectionResults {
  std::unordered_map<const Component*, int> depth;          // from the root; 0: is root
  std::unordered_map<const Component*, Component*> branch;  // the other end of Connections.branch
};

/// All connect equations and Connections.* calls, with loops unrolled and conditions decided.
Connections collect_connections(Context& context);

/// Gives expandable connectors the members that connections ask for; says whether something
/// changed.
bool grow_expandable(Context& context, const Connections& connections);
void remove_unused_members(Context& context, const Connections& connections);

/// Finds a spanning tree and marks the connections that close loops as broken.
ConnectionResults solve_graph(Context& context, Connections& connections);

/// Equations of all connections, and `flow = 0` for what is not connected. Sets of stream variables
/// are returned: see streams.hpp.
StreamSets add_connection_equations(Context& context, const Connections& connections,
                                    FlatModel& model);

/// Calls visit(component) for the model and every component in it, parents first.
template <class Visit>
void visit_components(Context& context, Component* c, Visit visit) {
  std::vector<Component*> stack = {c};
  while (!stack.empty()) {
    Component* next = stack.back();
    stack.pop_back();
    visit(next);
    const std::vector<Component*> inside = children(context, next);
    stack.insert(stack.end(), inside.rbegin(), inside.rend());
  }
}

}  // namespace couplet::modelica
