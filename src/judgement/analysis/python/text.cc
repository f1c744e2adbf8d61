// Evaluates strings and numbers: literals, operators and slices.
#include <algorithm>
#include <cmath>

#include "judgement/analysis/python/eval.h"

namespace belljar::judgement::analysis::python {
namespace {

constexpr std::size_t kMaxRepeated = 4096;

void AppendUtf8(std::string& text, std::uint32_t code) {
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0 | (code >> 6));
    text += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    text += static_cast<char>(0xE0 | (code >> 12));
    text += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    text += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x110000) {
    text += static_cast<char>(0xF0 | (code >> 18));
    text += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    text += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    text += static_cast<char>(0x80 | (code & 0x3F));
  }
}

std::uint32_t DigitsOf(std::string_view digits, int base) {
  std::uint32_t code = 0;
  for (const char c : digits) {
    const int lower = c | 0x20;
    const int digit = c >= '0' && c <= '9' ? c - '0' : lower - 'a' + 10;
    code = code * static_cast<std::uint32_t>(base) + static_cast<std::uint32_t>(digit);
  }
  return code;
}

void AppendEscape(std::string& text, std::string_view escape) {
  if (escape.size() < 2) return;
  const char mark = escape[1];
  static constexpr std::string_view kMarks = "abfnrtv\\'\"";
  static constexpr std::string_view kBytes = "\a\b\f\n\r\t\v\\'\"";
  if (mark == 'x' || mark == 'u' || mark == 'U') {
    AppendUtf8(text, DigitsOf(escape.substr(2), 16));
  } else if (mark >= '0' && mark <= '7') {
    AppendUtf8(text, DigitsOf(escape.substr(1), 8));
  } else if (mark == 'N') {
    text += kUnknownPart;
  } else if (mark != '\n') {
    const std::size_t at = kMarks.find(mark);
    text += at == std::string_view::npos ? mark : kBytes[at];
  }
}

bool IsRaw(std::string_view start) { return start.find_first_of("rR") != std::string_view::npos; }

// The content of a literal, with its escape sequences decoded.
void AppendContent(const Syntax& syntax, NodeId content, bool raw, std::string& text) {
  std::uint32_t at = syntax.at(content).start;
  const auto until = [&](std::uint32_t end) {
    text += syntax.source().substr(at, end - at);
    at = end;
  };
  for (NodeId part = syntax.at(content).first; part != kNoNode; part = syntax.at(part).next) {
    if (!syntax.Is(part, Py::kEscapeSequence) || raw) continue;
    until(syntax.at(part).start);
    AppendEscape(text, syntax.Text(part));
    at = syntax.at(part).end;
  }
  until(syntax.at(content).end);
}

std::optional<double> Compute(std::string_view operation, double a, double b) {
  const auto whole = [](double x) { return static_cast<std::int64_t>(x); };
  const bool small = std::abs(a) < 9e15 && std::abs(b) < 9e15;
  if (operation == "+") return a + b;
  if (operation == "-") return a - b;
  if (operation == "*") return a * b;
  if (operation == "**") return std::pow(a, b);
  if (operation == "/" && b != 0) return a / b;
  if (operation == "//" && b != 0) return std::floor(a / b);
  if (operation == "%" && b != 0) return a - b * std::floor(a / b);
  if (operation == "<<") return a * std::pow(2.0, b);
  if (operation == ">>") return std::floor(a / std::pow(2.0, b));
  if (!small) return std::nullopt;
  if (operation == "^") return static_cast<double>(whole(a) ^ whole(b));
  if (operation == "|") return static_cast<double>(whole(a) | whole(b));
  if (operation == "&") return static_cast<double>(whole(a) & whole(b));
  return std::nullopt;
}

ValuePtr Repeated(ValueStore& store, ValuePtr value, double times) {
  const std::string* text = OnlyText(value);
  if (text == nullptr || times < 0) return value;
  if (static_cast<double>(text->size()) * times > static_cast<double>(kMaxRepeated)) return value;
  std::string repeated;
  for (int i = 0; i < static_cast<int>(times); ++i) repeated += *text;
  return store.Text(std::move(repeated));
}

// The operator % of strings: "%s/%s" % (a, b)
ValuePtr PercentFormatted(ValueStore& store, ValuePtr format, ValuePtr values) {
  const std::string* text = OnlyText(format);
  if (text == nullptr) return nullptr;
  std::string made;
  std::int64_t used = 0;
  for (std::size_t i = 0; i < text->size(); ++i) {
    if ((*text)[i] != '%' || i + 1 >= text->size()) {
      made += (*text)[i];
      continue;
    }
    const char mark = (*text)[++i];
    if (mark == '%') {
      made += '%';
      continue;
    }
    const bool several = values != nullptr && !values->items.empty();
    const ValuePtr value = several ? AtIndex(values, used++) : values;
    const std::string* part = OnlyText(value);
    const double* number = OnlyNumber(value);
    if (mark == 's' && part != nullptr) {
      made += *part;
    } else if (mark == 'c' && number != nullptr) {
      AppendUtf8(made, static_cast<std::uint32_t>(*number));
    } else {
      made += kUnknownPart;
    }
  }
  return store.Text(std::move(made));
}

// The indices that a slice selects from a sequence of `size` elements, in order.
std::vector<std::size_t> Sliced(const SliceBounds& bounds, std::int64_t size) {
  const std::int64_t step = bounds[2].value_or(1);
  const bool back = step < 0;
  const auto clamp = [&](std::int64_t at) {
    return std::clamp<std::int64_t>(at < 0 ? at + size : at, back ? -1 : 0, back ? size - 1 : size);
  };
  const std::int64_t first = bounds[0] ? clamp(*bounds[0]) : (back ? size - 1 : 0);
  const std::int64_t last = bounds[1] ? clamp(*bounds[1]) : (back ? -1 : size);
  std::vector<std::size_t> places;
  for (std::int64_t at = first; back ? at > last : at < last; at += step) {
    places.push_back(static_cast<std::size_t>(at));
  }
  return places;
}

}  // namespace

ValuePtr Evaluator::EvalString(NodeId node) {
  std::string text;
  bool raw = false;
  bool decoded = false;
  for (NodeId part = syntax_.at(node).first; part != kNoNode; part = syntax_.at(part).next) {
    if (syntax_.Is(part, Py::kStringStart)) raw = IsRaw(syntax_.Text(part));
    if (syntax_.Is(part, Py::kStringContent)) AppendContent(syntax_, part, raw, text);
    if (!syntax_.Is(part, Py::kInterpolation)) continue;
    const ValuePtr value = Eval(syntax_.Named(part, 0));
    const std::string* known = OnlyText(value);
    decoded = decoded || IsDecoded(value);
    if (known != nullptr && text.size() + known->size() <= kMaxText) {
      text += *known;
    } else {
      text += kUnknownPart;
    }
  }
  const ValuePtr value = store_.Text(std::move(text));
  return decoded ? Decoded(store_, value) : value;
}

ValuePtr Evaluator::EvalConcatenated(NodeId node) {
  std::string text;
  for (const NodeId part : syntax_.NamedChildren(node)) {
    const std::string* known = OnlyText(Eval(part));
    if (known != nullptr && text.size() <= kMaxText) text += *known;
  }
  return store_.Text(std::move(text));
}

ValuePtr Decoded(ValueStore& store, ValuePtr value) {
  Value decoded = value == nullptr ? Value() : *value;
  decoded.decoded = true;
  return store.Keep(std::move(decoded));
}

ValuePtr Concatenated(ValueStore& store, ValuePtr a, ValuePtr b) {
  static const Value kNothing;
  const Value& left = a == nullptr ? kNothing : *a;
  const Value& right = b == nullptr ? kNothing : *b;
  Value value;
  value.decoded = left.decoded || right.decoded;
  if (!left.texts.empty() || !right.texts.empty()) {
    static const Few<std::string> kUnknown{std::string(1, kUnknownPart)};
    for (const std::string& start : left.texts.empty() ? kUnknown : left.texts) {
      for (const std::string& end : right.texts.empty() ? kUnknown : right.texts) {
        if (value.texts.size() >= kMaxAlternatives || start.size() + end.size() > kMaxText) break;
        value.texts.push_back(start + end);
      }
    }
  }
  if (left.items.size() + right.items.size() <= kMaxItems) {
    value.items = left.items;
    value.items.insert(value.items.end(), right.items.begin(), right.items.end());
  }
  value.others = store.Join(left.others, right.others);
  return value == kNothing ? nullptr : store.Keep(std::move(value));
}

ValuePtr JoinedPath(ValueStore& store, ValuePtr a, ValuePtr b) {
  const std::string* end = OnlyText(b);
  if (end != nullptr && end->starts_with('/')) return b;
  if (a == nullptr || a->texts.empty()) return nullptr;
  return Concatenated(store, Concatenated(store, a, store.Text("/")), b);
}

// a + b + c …: the tree is as deep as there are operands, so it is walked iteratively.
ValuePtr Evaluator::EvalSum(NodeId node) {
  std::vector<NodeId> parts;
  const auto is_sum = [&](NodeId one) {
    if (!syntax_.Is(one, Py::kBinaryOperator)) return false;
    const NodeId operation = syntax_.Field(one, kOperator);
    return operation != kNoNode && syntax_.Text(operation) == "+";
  };
  while (is_sum(node)) {
    parts.push_back(syntax_.Field(node, kRight));
    node = syntax_.Field(node, kLeft);
  }
  ValuePtr sum = Eval(node);
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    ValuePtr next = Eval(*part);
    // A run of constants is concatenated at once, because each intermediate string would be stored.
    const std::string* text = OnlyText(next);
    if (text != nullptr && !next->decoded) {
      std::string joined = *text;
      while (part + 1 != parts.rend() && joined.size() < kMaxText) {
        const ValuePtr further = Eval(*(part + 1));
        const std::string* more = OnlyText(further);
        if (more == nullptr || further->decoded) break;
        joined += *more;
        ++part;
      }
      next = store_.Text(std::move(joined));
    }
    const double* a = OnlyNumber(sum);
    const double* b = OnlyNumber(next);
    sum = a != nullptr && b != nullptr ? store_.Number(*a + *b) : Concatenated(store_, sum, next);
  }
  return sum;
}

ValuePtr Evaluator::EvalBinary(NodeId node) {
  const NodeId operation_node = syntax_.Field(node, kOperator);
  if (operation_node == kNoNode) return nullptr;
  const std::string_view operation = syntax_.Text(operation_node);
  if (operation == "+") return EvalSum(node);
  const ValuePtr left = Eval(syntax_.Field(node, kLeft));
  const ValuePtr right = Eval(syntax_.Field(node, kRight));
  const double* a = OnlyNumber(left);
  const double* b = OnlyNumber(right);
  if (a != nullptr && b != nullptr) {
    const auto number = Compute(operation, *a, *b);
    return number ? store_.Number(*number) : nullptr;
  }
  if (operation == "*" && b != nullptr) return Repeated(store_, left, *b);
  if (operation == "*" && a != nullptr) return Repeated(store_, right, *a);
  if (operation == "%") return PercentFormatted(store_, left, right);
  if (operation == "/") return JoinedPath(store_, left, right);
  if (operation == "|") return store_.Join(left, right);  // union of mappings
  return nullptr;
}

std::vector<ValuePtr> Elements(ValueStore& store, ValuePtr value) {
  if (value == nullptr) return {};
  if (!value->items.empty() && value->items.size() <= kMaxFollowed) return value->items;
  std::vector<ValuePtr> elements;
  const std::string* text = OnlyText(value);
  if (text == nullptr || text->size() > kMaxFollowed || !IsWhole(*text)) return elements;
  for (const char c : *text) elements.push_back(store.Text(std::string(1, c)));
  return elements;
}

ValuePtr Evaluator::EvalSlice(ValuePtr container, NodeId slice) {
  if (container->texts.size() > 1) {
    ValuePtr all = nullptr;
    for (const std::string& text : container->texts) {
      all = store_.Join(all, EvalSlice(store_.Text(text), slice));
    }
    return all;
  }
  const std::vector<ValuePtr> elements = Elements(store_, container);
  if (elements.empty()) return container;
  const auto bounds = EvalBounds(slice);
  if (!bounds) return container;
  Value value;
  std::string text;
  const bool is_text = OnlyText(container) != nullptr;
  for (const std::size_t at : Sliced(*bounds, static_cast<std::int64_t>(elements.size()))) {
    const std::string* one = OnlyText(elements[at]);
    if (is_text && one != nullptr) text += *one;
    value.items.push_back(elements[at]);
  }
  return is_text ? store_.Text(std::move(text)) : store_.Keep(std::move(value));
}

// Start, stop and step, separated by colons; nullopt if one of them is unknown.
std::optional<SliceBounds> Evaluator::EvalBounds(NodeId slice) {
  constexpr double kMost = 1e15;
  SliceBounds bounds;
  std::size_t which = 0;
  for (NodeId part = syntax_.at(slice).first; part != kNoNode; part = syntax_.at(part).next) {
    if (!syntax_.at(part).named) {
      if (++which > 2) return std::nullopt;
      continue;
    }
    const double* number = OnlyNumber(Eval(part));
    const bool whole =
        number != nullptr && std::abs(*number) < kMost && std::floor(*number) == *number;
    if (!whole) return std::nullopt;
    bounds[which] = static_cast<std::int64_t>(*number);
  }
  return bounds[2] == 0 ? std::nullopt : std::optional(bounds);
}

}  // namespace belljar::judgement::analysis::python
