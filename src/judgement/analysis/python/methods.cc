// Evaluates methods of strings and containers.
#include <algorithm>

#include "judgement/analysis/python/eval.h"

namespace belljar::judgement::analysis::python {
namespace {

constexpr std::size_t kMaxSplit = 512;

using Change = std::string (*)(const std::string&);

std::string Lower(const std::string& given) {
  std::string text = given;
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  return text;
}

std::string Upper(const std::string& given) {
  std::string text = given;
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c & ~0x20) : c;
  return text;
}

std::string Swapped(const std::string& given) {
  std::string text = given;
  for (char& c : text) {
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) c = static_cast<char>(c ^ 0x20);
  }
  return text;
}

std::string Capital(const std::string& given) {
  std::string text = Lower(given);
  if (!text.empty()) text.front() = Upper(text.substr(0, 1)).front();
  return text;
}

std::string Same(const std::string& text) { return text; }

Change ChangeNamed(std::string_view method) {
  if (method == "lower" || method == "casefold") return Lower;
  if (method == "upper") return Upper;
  if (method == "swapcase") return Swapped;
  if (method == "capitalize" || method == "title") return Capital;
  if (method == "encode" || method == "as_posix" || method == "resolve" || method == "absolute" ||
      method == "expanduser" || method == "tobytes" || method == "expandtabs" ||
      method == "__str__") {
    return Same;
  }
  return nullptr;
}

ValuePtr Changed(ValueStore& store, ValuePtr object, Change change) {
  Value value;
  value.decoded = object->decoded;
  for (const std::string& text : object->texts) value.texts.push_back(change(text));
  return store.Keep(std::move(value));
}

// strip("x"), lstrip and rstrip.
ValuePtr Stripped(ValueStore& store, ValuePtr object, std::string_view method,
                  const Arguments& arguments) {
  const std::string* given = OnlyText(arguments.at(0));
  if (!arguments.positional.empty() && given == nullptr) return Decoded(store, object);
  const std::string_view off = given == nullptr ? std::string_view(" \t\r\n\f\v") : *given;
  Value value;
  value.decoded = object->decoded;
  for (const std::string& text : object->texts) {
    const std::size_t first = method == "rstrip" ? 0 : text.find_first_not_of(off);
    const std::size_t last = method == "lstrip" ? text.size() : text.find_last_not_of(off) + 1;
    value.texts.push_back(first < last ? text.substr(first, last - first) : "");
  }
  return store.Keep(std::move(value));
}

ValuePtr JoinedWith(ValueStore& store, const std::string& between, ValuePtr parts) {
  if (parts == nullptr) return nullptr;
  const std::vector<ValuePtr> elements = Elements(store, parts);
  std::string text;
  bool decoded = IsDecoded(parts);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (i > 0) text += between;
    const std::string* one = OnlyText(elements[i]);
    text += one == nullptr ? std::string(1, kUnknownPart) : *one;
    decoded = decoded || IsDecoded(elements[i]);
  }
  if (elements.empty()) decoded = decoded || IsDecoded(parts->others);
  const ValuePtr joined = elements.empty() ? nullptr : store.Text(std::move(text));
  return decoded ? Decoded(store, joined) : joined;
}

// bytes.decode(): the identity for common encodings, unknown for others.
ValuePtr DecodedText(ValueStore& store, ValuePtr object, const Arguments& arguments) {
  if (arguments.positional.empty()) return object;
  const std::string* codec = OnlyText(arguments.at(0));
  const bool usual =
      codec != nullptr && (codec->starts_with("utf-8") || *codec == "utf8" || *codec == "ascii" ||
                           codec->starts_with("latin") || codec->starts_with("iso-8859"));
  return usual ? object : Decoded(store, nullptr);
}

ValuePtr Replaced(ValueStore& store, ValuePtr object, const Arguments& arguments) {
  const std::string* from = OnlyText(arguments.at(0));
  const std::string* to = OnlyText(arguments.at(1));
  if (from == nullptr || to == nullptr || from->empty()) return Decoded(store, nullptr);
  Value value;
  value.decoded = object->decoded;
  for (std::string text : object->texts) {
    for (std::size_t at = text.find(*from); at != std::string::npos && text.size() < kMaxText;
         at = text.find(*from, at + to->size())) {
      text.replace(at, from->size(), *to);
    }
    value.texts.push_back(std::move(text));
  }
  return store.Keep(std::move(value));
}

ValuePtr Split(ValueStore& store, const std::string& text, ValuePtr by) {
  const std::string* given = OnlyText(by);
  const std::string between = given == nullptr || given->empty() ? " " : *given;
  Value value;
  std::size_t start = 0;
  while (value.items.size() < kMaxSplit) {
    const std::size_t end = text.find(between, start);
    value.items.push_back(store.Text(text.substr(start, end - start)));
    if (end == std::string::npos) break;
    start = end + between.size();
  }
  return store.Keep(std::move(value));
}

ValuePtr KeysOf(ValueStore& store, ValuePtr object) {
  Value keys;
  for (const auto& [key, part] : object->keyed) keys.items.push_back(store.Text(key));
  return keys.items.empty() ? nullptr : store.Keep(std::move(keys));
}

ValuePtr TextMethod(ValueStore& store, ValuePtr object, std::string_view method,
                    const Arguments& arguments) {
  const std::string& text = object->texts.front();
  if (const Change change = ChangeNamed(method)) return Changed(store, object, change);
  if (method == "strip" || method == "lstrip" || method == "rstrip") {
    return Stripped(store, object, method, arguments);
  }
  if (method == "decode") return DecodedText(store, object, arguments);
  if (method == "join") return JoinedWith(store, text, arguments.at(0));
  if (method == "joinpath") return JoinedPath(store, object, arguments.at(0));
  if (method == "replace") return Replaced(store, object, arguments);
  if (method == "split" || method == "rsplit") return Split(store, text, arguments.at(0));
  if (method == "format") return Formatted(store, text, arguments);
  if (method == "translate") return Decoded(store, nullptr);
  if (method == "removeprefix" || method == "removesuffix") return Decoded(store, object);
  return nullptr;
}

}  // namespace

ValuePtr Formatted(ValueStore& store, std::string_view text, const Arguments& arguments) {
  std::string made;
  std::size_t next = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '{' || text.substr(i).starts_with("{{")) {
      made += text[i];
      if (text[i] == '{') ++i;
      continue;
    }
    const std::size_t end = text.find('}', i);
    if (end == std::string_view::npos) break;
    const std::string_view field = text.substr(i + 1, end - i - 1);
    const std::string_view name = field.substr(0, field.find_first_of(":!.["));
    const bool numbered = !name.empty() && name.find_first_not_of("0123456789") == name.npos;
    ValuePtr value = nullptr;
    if (numbered && name.size() < 4) {
      value = arguments.at(static_cast<std::size_t>(std::stoi(std::string(name))));
    } else {
      value = name.empty() ? arguments.at(next++) : arguments.Named(name);
    }
    const std::string* known = field == name ? OnlyText(value) : nullptr;
    made += known == nullptr ? std::string(1, kUnknownPart) : *known;
    i = end;
  }
  return store.Text(std::move(made));
}

ValuePtr Evaluator::CallMethod(ValuePtr object, std::string_view method,
                               const Arguments& arguments) {
  if (!object->texts.empty()) return TextMethod(store_, object, method, arguments);
  if (object->decoded) return Decoded(store_, nullptr);
  if (method == "get" || method == "pop" || method == "__getitem__" || method == "setdefault") {
    if (arguments.positional.empty()) return AnyPart(store_, object);
    Value inside = *object;
    inside.names.clear();  // names are handled separately
    return PartOf(store_.Keep(std::move(inside)), arguments.at(0));
  }
  if (method == "keys") return KeysOf(store_, object);
  if (method == "values" || method == "items") {
    Value value;
    value.others = AnyPart(store_, object);
    if (method == "items") {
      Value pair;
      const ValuePtr keys = KeysOf(store_, object);
      pair.items = {AnyPart(store_, keys), value.others};
      value.others = store_.Keep(std::move(pair));
    }
    return store_.Keep(std::move(value));
  }
  if (method == "copy") return object;
  return nullptr;
}

}  // namespace belljar::judgement::analysis::python
