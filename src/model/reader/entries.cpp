// Sections and their repeated entries.
#include "model/reader/entries.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "model/reader/values.h"

namespace trammel::model {
namespace {

using ReadEntry = std::function<void(const YamlNode&, const YamlNode&)>;

// A whole number given by an expression of parameters and loop variables.
std::optional<long> whole_number(ModelContext& context, const YamlNode& at, const std::string& text) {
  YamlNode node = at;
  node.text = text;
  const auto value = read_number(context, node, "for", "1");
  if (!value) return std::nullopt;
  // 1e15: doubles still hold every whole number
  if (*value != std::floor(*value) || std::abs(*value) > 1e15) {
    context.error(at, fmt::format("'{}' is {}, not a whole number", text, *value),
                  "use whole numbers to count entries");
    return std::nullopt;
  }
  return static_cast<long>(*value);
}

// "B{i+1}" with i = 3: "B4"
bool fill_in(ModelContext& context, YamlNode& node) {
  std::size_t open = 0;
  while ((open = node.text.find('{', open)) != std::string::npos) {
    const std::size_t close = node.text.find('}', open);
    if (close == std::string::npos) {
      context.error(node, fmt::format("the brace in '{}' is not closed", node.text), "write {i}");
      return false;
    }
    const auto number = whole_number(context, node, node.text.substr(open + 1, close - open - 1));
    if (!number) return false;
    const std::string digits = std::to_string(*number);
    node.text.replace(open, close - open + 1, digits);
    open += digits.size();
  }
  return true;
}

bool fill_in_all(ModelContext& context, YamlNode& node) {
  if (node.is_scalar()) return fill_in(context, node);
  bool is_good = true;
  for (YamlNode& child : node.children) is_good = fill_in_all(context, child) && is_good;
  return is_good;
}

// The entries of one `for:`, loop by loop.
class Repeater {
 public:
  Repeater(ModelContext& context, const YamlNode& key, const YamlNode& value, const ReadEntry& read,
           std::size_t& total)
      : context_(context), key_(key), value_(value), loops_(*value.find("for")), read_(read), total_(total) {}

  void run() {
    if (is_sound() && is_bounded()) loop(0, false, [&](std::size_t) { return instance(); });
    context_.loop.clear();
    context_.instance = 0;
  }

 private:
  bool is_sound() {
    if (!loops_.is_map() || loops_.entries() == 0) {
      fail(loops_, fmt::format("for: expected a variable and its range, found {}", describe(loops_)),
           "write for: {i: 1..3}");
      return false;
    }
    for (std::size_t i = 0; i < loops_.entries(); ++i) {
      const YamlNode& name = loops_.key(i);
      const bool is_taken =
          context_.mechanism.parameters.count(name.text) > 0 || name.text == "t" || name.text == "pi";
      if (is_identifier(name.text) && !is_taken) continue;
      fail(name, fmt::format("'{}' cannot be a loop variable", name.text),
           is_taken ? "it has a meaning already: choose another" : "use letters, digits and _");
      return false;
    }
    if (key_.text.find('{') == std::string::npos) {
      fail(key_, fmt::format("every instance of '{}' would have this same name", key_.text),
           fmt::format("write \"{}{{{}}}\"", key_.text, loops_.key(0).text));
      return false;
    }
    return true;
  }

  struct Range {
    long first = 0, last = -1;
  };

  // first..last, both expressions of parameters and outer loop variables
  std::optional<Range> range(std::size_t depth) {
    const YamlNode& node = loops_.value(depth);
    const std::size_t dots = node.text.find("..");
    if (dots == std::string::npos) {
      fail(node, fmt::format("for: expected a range, found {}", describe(node)),
           "write first..last, as in 1..3");
      return std::nullopt;
    }
    const auto first = whole_number(context_, node, node.text.substr(0, dots));
    const auto last = whole_number(context_, node, node.text.substr(dots + 2));
    if (!first || !last) {
      context_.names_are_incomplete = true;
      return std::nullopt;
    }
    return Range{*first, *last};
  }

  // Calls visit(number of instances) for each innermost range without walking it, or visit(1) for each
  // instance. False if a range is wrong.
  bool loop(std::size_t depth, bool counts_only, const std::function<bool(std::size_t)>& visit) {
    const auto bounds = range(depth);
    if (!bounds) return false;
    const bool is_innermost = depth + 1 == loops_.entries();
    if (is_innermost && counts_only) {
      return visit(bounds->last < bounds->first ? 0
                                                : static_cast<std::size_t>(bounds->last - bounds->first) + 1);
    }
    context_.loop.emplace_back(loops_.key(depth).text, 0);
    bool goes_on = true;
    for (long i = bounds->first; goes_on && i <= bounds->last; ++i) {
      context_.loop.back().second = static_cast<double>(i);
      // An inner range may be empty: then only the turns of the outer loops tell how long this takes.
      if (counts_only && ++turns_ > kMaxInstances)
        goes_on = too_many();
      else
        goes_on = is_innermost ? visit(1) : loop(depth + 1, counts_only, visit);
    }
    context_.loop.pop_back();
    return goes_on;
  }

  // An entry that makes too many does not count: those after it may be sound.
  bool is_bounded() {
    const std::size_t before = total_;
    const bool is_good = loop(0, true, [&](std::size_t instances) {
      if (instances <= kMaxInstances - total_) {
        total_ += instances;
        return true;
      }
      return too_many();
    });
    if (!is_good) total_ = before;
    return is_good;
  }

  bool instance() {
    YamlNode key = key_, value = value_;
    if (fill_in(context_, key) && fill_in_all(context_, value)) {
      read_(key, value);
    } else {
      context_.names_are_incomplete = true;
    }
    ++context_.instance;
    return true;
  }

  bool too_many() {
    fail(loops_, fmt::format("this makes more than {} entries", kMaxInstances), "shorten the range");
    return false;
  }

  void fail(const YamlNode& at, std::string message, std::string remedy) {
    context_.names_are_incomplete = true;
    context_.error(at, std::move(message), std::move(remedy));
  }

  ModelContext& context_;
  const YamlNode& key_;
  const YamlNode& value_;
  const YamlNode& loops_;
  const ReadEntry& read_;
  std::size_t& total_;
  std::size_t turns_ = 0;  // of outer loops
};

}  // namespace

void for_each_entry(ModelContext& context, const YamlNode& root, const std::string& section,
                    const ReadEntry& read) {
  const YamlNode* entries = root.find(section);
  if (entries == nullptr || entries->is_null()) return;
  if (!entries->is_map()) {
    context.names_are_incomplete = true;
    context.error(*entries, fmt::format("{}: expected named entries, found {}", section, describe(*entries)),
                  entries->is_sequence() ? fmt::format("write {}: {{name: …}}, without dashes", section)
                                         : fmt::format("write {}: {{name: …}}", section));
    return;
  }
  for (std::size_t i = 0; i < entries->entries(); ++i) {
    const YamlNode& key = entries->key(i);
    const YamlNode& value = entries->value(i);
    context.entry = {key.line, key.column};
    if (value.find("for") != nullptr) {
      Repeater(context, key, value, read, context.instances).run();
    } else {
      read(key, value);
    }
  }
  context.entry = {};
}

}  // namespace trammel::model
