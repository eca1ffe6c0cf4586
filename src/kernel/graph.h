// Graph: a formula as it was recorded, and Recorded, the scalar that records it.
//
// Code that is written over its scalar type, run with Recorded, leaves its operations in a Graph: each once
// (equal operations of equal operands are one node), numbers folded, x·1, x + 0 and the like removed.
// derivative() differentiates nodes; emit.h writes them as source. Griewank & Walther (2008), ch. 6.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace trammel::kernel {

enum class Op : std::uint8_t {
  number,  // value
  input,   // of the array `a`, entry `b`
  add,
  subtract,
  multiply,
  divide,
  negate,
  // of one operand
  sqrt,
  exp,
  log,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  abs,
  floor,
  round,
  // of two
  atan2,
  pow,
  min,
  max,
  less,        // true or false
  less_equal,  // the same
  equal,       // the same
  // of three: a where c holds, else b
  select
};

struct GraphNode {
  Op op = Op::number;
  int a = -1, b = -1, c = -1;
  double value = 0;
  int label = 0;  // what it belongs to, of Graph::labels()
};

class Graph;
class Numbers;

// A number, or a node of a Graph.
class Recorded {
 public:
  Recorded() = default;
  Recorded(double value);  // NOLINT: numbers of formulas are written as such
  Recorded(Graph& graph, int node) : graph_(&graph), node_(node) {}

  bool is_number() const { return graph_ == nullptr; }
  bool is(double value) const { return graph_ == nullptr && value_ == value; }
  double value() const { return value_; }
  Graph* graph() const { return graph_; }
  int node() const { return node_; }

  Recorded& operator+=(const Recorded& other);
  Recorded& operator-=(const Recorded& other);
  Recorded& operator*=(const Recorded& other);

 private:
  Graph* graph_ = nullptr;
  int node_ = -1;
  double value_ = 0;
};

class Graph {
 public:
  // kept: false: of a graph without nodes; its inputs are numbers without a value.
  explicit Graph(bool kept = true) : kept_(kept) {}
  // The entry of an array that the source is given.
  Recorded input(const std::string& array, int entry);
  // What the nodes that follow belong to, for a reader of the source.
  void label(const std::string& text);
  // Of a node: op(a, b, c), or what is known to be the same.
  Recorded operation(Op op, const Recorded& a, const Recorded& b = {}, const Recorded& c = {});

  const std::vector<GraphNode>& nodes() const { return nodes_; }
  const std::vector<std::string>& labels() const { return labels_; }
  const std::vector<std::string>& arrays() const { return arrays_; }
  Recorded at(int node) { return {*this, node}; }

 private:
  int number(double value);
  int node_of(const Recorded& x);
  int keep(const GraphNode& node);

  std::vector<GraphNode> nodes_;
  std::vector<std::string> labels_{""}, arrays_;
  int label_ = 0;
  bool kept_;
  std::map<std::tuple<Op, int, int, int, double>, int> known_;
};

// The numbers that code makes into Recorded, in their order, while this is in scope. Operations and
// derivatives make none: the same code makes as many of every mechanism that differs in numbers alone.
class Numbers {
 public:
  Numbers();
  // Number k becomes entry constant[k] of the array c, or stays where that is negative.
  Numbers(Graph& graph, const std::vector<int>& constant);
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;
  ~Numbers();

  const std::vector<double>& list() const { return list_; }

  // While operations are carried out.
  class Pause {
   public:
    Pause();
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;
    ~Pause();

   private:
    Numbers* paused_;
  };

 private:
  friend class Recorded;
  Recorded take(double value);

  Graph* graph_ = nullptr;
  const std::vector<int>* constant_ = nullptr;
  std::vector<double> list_;
};

Recorded operator+(const Recorded& a, const Recorded& b);
Recorded operator-(const Recorded& a, const Recorded& b);
Recorded operator*(const Recorded& a, const Recorded& b);
Recorded operator/(const Recorded& a, const Recorded& b);
Recorded operator-(const Recorded& a);
Recorded sqrt(const Recorded& x);
Recorded exp(const Recorded& x);
Recorded log(const Recorded& x);
Recorded sin(const Recorded& x);
Recorded cos(const Recorded& x);
Recorded tan(const Recorded& x);
Recorded asin(const Recorded& x);
Recorded acos(const Recorded& x);
Recorded atan(const Recorded& x);
Recorded sinh(const Recorded& x);
Recorded cosh(const Recorded& x);
Recorded tanh(const Recorded& x);
Recorded abs(const Recorded& x);
Recorded floor(const Recorded& x);
Recorded round(const Recorded& x);
Recorded atan2(const Recorded& y, const Recorded& x);
Recorded pow(const Recorded& x, const Recorded& exponent);
Recorded min(const Recorded& a, const Recorded& b);
Recorded max(const Recorded& a, const Recorded& b);
Recorded less(const Recorded& a, const Recorded& b);
Recorded less_equal(const Recorded& a, const Recorded& b);
Recorded equal(const Recorded& a, const Recorded& b);
Recorded select(const Recorded& condition, const Recorded& a, const Recorded& b);

// Σ ∂x/∂input · seed over the inputs that have one: the derivative of several formulas along a direction.
// Each node is differentiated once.
class Tangents {
 public:
  explicit Tangents(Graph& graph) : graph_(graph) {}
  void seed(const Recorded& input, const Recorded& value);
  Recorded of(const Recorded& x);

 private:
  Recorded of_node(int node);
  Recorded chain(const GraphNode& node, const Recorded& value);

  Graph& graph_;
  std::vector<bool> known_;
  std::vector<Recorded> tangent_;
};

// ∂x/∂input of one formula, for all these inputs.
std::vector<Recorded> gradient(Graph& graph, const Recorded& x, const std::vector<Recorded>& inputs);

}  // namespace trammel::kernel
