#include "judgement/analysis/javascript/builtins.h"

#include <algorithm>
#include <cmath>

#include "foundation/base/json.h"
#include "judgement/analysis/javascript/names.h"
#include "judgement/analysis/javascript/path.h"
#include "judgement/analysis/javascript/text.h"

namespace belljar::judgement::analysis::javascript {
namespace {

constexpr std::size_t kMaxJson = 64 * 1024;

// Converts a JSON document to a value.
ValuePtr FromDocument(ValueStore& store, const json::value& document) {
  if (document.is_string()) {
    const auto& text = document.get_string();
    return store.Text({text.data(), text.size()});
  }
  if (document.is_number()) return store.Number(document.to_number<double>());
  Value value;
  if (document.is_object()) {
    for (const auto& [key, part] : document.get_object()) {
      value.keyed[{key.data(), key.size()}] = FromDocument(store, part);
    }
  } else if (document.is_array()) {
    for (const json::value& part : document.get_array()) {
      value.items.push_back(FromDocument(store, part));
    }
  } else {
    return nullptr;
  }
  return store.Keep(std::move(value));
}

bool IsTypedArray(std::string_view name) {
  return name.starts_with("Uint8") || name.starts_with("Uint16") || name.starts_with("Uint32") ||
         name.starts_with("Int8") || name.starts_with("Int16") || name.starts_with("Int32") ||
         name.starts_with("Float");
}

}  // namespace

ValuePtr Builtins::Result() {
  ValuePtr result = OfMethod();
  if (call_.callee == nullptr) return result;
  for (const std::string& name : call_.callee->names) result = eval_.Join(result, OfName(name));
  return result;
}

ValuePtr Builtins::OfName(std::string_view name) {
  for (const auto part : {&Builtins::OfLoader, &Builtins::OfObject, &Builtins::OfContainer,
                          &Builtins::OfText, &Builtins::OfSystem}) {
    const ValuePtr result = (this->*part)(name);
    if (result != nullptr) return result;
  }
  return nullptr;
}

// The module object for each possible specifier.
ValuePtr Builtins::OfLoader(std::string_view name) {
  if (name == "node:module.createRequire" || name == "node:module.createRequireFromPath") {
    return eval_.store().Name("require");
  }
  if (name == "node:module" && call_.is_new) return eval_.store().Name("module");
  if (name == "require.resolve" || name == "import.meta.resolve") return call_.Argument(0);
  if (name != "require" && name != "import") return nullptr;
  const ValuePtr specifier = call_.Argument(0);
  if (specifier == nullptr) return nullptr;
  ValuePtr modules = nullptr;
  for (const std::string& text : specifier->texts) {
    modules = eval_.Join(modules, eval_.store().Name(ModuleName(text)));
  }
  return modules;
}

ValuePtr Builtins::OfObject(std::string_view name) {
  const ValuePtr first = call_.Argument(0);
  if (name == "Object.values" || name == "Object.keys" || name == "Object.entries") {
    return Entries(first, name.substr(7));
  }
  if (name == "Object.assign") {
    ValuePtr all = nullptr;
    for (const ValuePtr part : call_.arguments) all = eval_.Join(all, part);
    return all;
  }
  if (name == "Object.freeze" || name == "Object.seal" || name == "structuredClone" ||
      name == "Object" || name == "node:util.promisify" || name == "Promise.resolve" ||
      name == "Promise.all" || name == "Promise.race" || name == "Proxy") {
    return first;
  }
  if (name == "Object.create") return Derived(first);
  if (name == "Object.fromEntries") return Mapping(first);
  if (name == "Object.getPrototypeOf" || name == "Reflect.getPrototypeOf") {
    return eval_.PrototypeOf(first);
  }
  if (name == "Object.getOwnPropertyDescriptor" || name == "Reflect.getOwnPropertyDescriptor") {
    return Descriptor();
  }
  if (name == "Reflect.get") {
    const std::string* key = TextArgument(1);
    return key == nullptr ? eval_.AnyOf(first) : eval_.Member(first, *key);
  }
  if (name == "JSON.parse") return FromJson();
  return nullptr;
}

// Models Object.create: a new object that inherits from the prototype. Writes to it do not change
// the prototype, but the prototype is reachable from it.
ValuePtr Builtins::Derived(ValuePtr prototype) {
  if (prototype == nullptr) return eval_.store().Keep({});
  const auto& names = prototype->names;
  const bool is_prototype =
      !names.empty() && std::all_of(names.begin(), names.end(), [](const std::string& name) {
        return name.ends_with(".prototype");
      });
  if (!is_prototype || !prototype->functions.empty()) return prototype;
  Value object = *prototype;
  object.names.clear();
  object.keyed["constructor"] = eval_.Member(prototype, "constructor");
  object.keyed["__proto__"] = prototype;
  return eval_.store().Keep(std::move(object));
}

ValuePtr Builtins::Descriptor() {
  const std::string* key = TextArgument(1);
  const ValuePtr member =
      key == nullptr ? eval_.AnyOf(call_.Argument(0)) : eval_.Member(call_.Argument(0), *key);
  Value descriptor;
  descriptor.keyed["value"] = member;
  return eval_.store().Keep(std::move(descriptor));
}

ValuePtr Builtins::Entries(ValuePtr object, std::string_view which) {
  if (object == nullptr) return nullptr;
  std::vector<ValuePtr> list;
  for (const auto& [key, part] : object->keyed) {
    if (list.size() >= kMaxItems || !eval_.Charge(1)) break;
    const ValuePtr name = eval_.store().Text(key);
    if (which == "keys") list.push_back(name);
    if (which == "values") list.push_back(part);
    if (which == "entries") list.push_back(eval_.ListOf({name, part}));
  }
  if (list.empty() && which == "values") return object->items.empty() ? nullptr : object;
  return eval_.ListOf(std::move(list));
}

// Models Object.fromEntries and Map: builds a mapping from pairs of key and value.
ValuePtr Builtins::Mapping(ValuePtr pairs) {
  Value mapping;
  if (pairs == nullptr) return eval_.store().Keep({});
  for (const ValuePtr pair : pairs->items) {
    if (pair == nullptr || pair->items.size() < 2) continue;
    const std::string* key = OnlyText(pair->items[0]);
    if (key != nullptr) mapping.keyed[*key] = pair->items[1];
    if (key == nullptr) mapping.others = eval_.Join(mapping.others, pair->items[1]);
  }
  return eval_.store().Keep(std::move(mapping));
}

ValuePtr Builtins::OfContainer(std::string_view name) {
  const ValuePtr first = call_.Argument(0);
  if (name == "Map" || name == "WeakMap") return Mapping(first);
  if (name == "Set") return first == nullptr ? eval_.store().Keep({}) : first;
  if (name == "Array.of") return eval_.ListOf(call_.arguments);
  if (name == "Array.from") {
    const ValuePtr list = eval_.ListOf(eval_.ItemsOf(first));
    if (call_.arguments.size() < 2) return list;
    Call mapped;
    mapped.receiver = list;
    mapped.method = "map";
    mapped.arguments = {call_.Argument(1)};
    return Builtins(eval_, mapped).Result();
  }
  if (name == "Array") {
    return eval_.ListOf(call_.arguments.size() == 1 ? std::vector<ValuePtr>{} : call_.arguments);
  }
  if (IsTypedArray(name)) return first;
  if (name == "URL") return FromUrl();
  return nullptr;
}

ValuePtr Builtins::Decoded(std::string text) {
  Value value;
  if (!eval_.Charge(1 + text.size() / 16)) return nullptr;
  if (text.size() > kMaxText) text.resize(kMaxText);
  value.texts.push_back(std::move(text));
  value.decoded = true;
  return eval_.store().Keep(std::move(value));
}

ValuePtr Builtins::OfText(std::string_view name) {
  const std::string* text = TextArgument(0);
  const bool decodes =
      name == "atob" || name == "unescape" || name == "decodeURIComponent" || name == "decodeURI";
  if (decodes && text == nullptr) {
    if (name != "atob") return nullptr;
    Value unknown;
    unknown.decoded = true;
    return eval_.store().Keep(std::move(unknown));
  }
  if (name == "atob") return Decoded(FromLatin1(DecodeBase64(*text)));
  if (decodes) return Decoded(DecodePercent(*text));
  if (name == "String.fromCharCode" || name == "String.fromCodePoint") return FromCodes();
  if (name == "Buffer.from" || name == "Buffer") return FromBuffer();
  if (name == "Buffer.concat") return nullptr;
  if (name == "TextDecoder") return eval_.store().Name("TextDecoder()");
  if (name == "TextDecoder().decode") return BytesOf(call_.Argument(0));
  if (name == "String") return eval_.Concat(eval_.store().Text(""), call_.Argument(0));
  if (name == "String.raw") {
    const std::vector<ValuePtr> parts = eval_.ItemsOf(call_.Argument(0));
    return parts.empty() ? nullptr : parts.front();
  }
  const bool parses = name == "parseInt" || name == "Number" || name == "Number.parseInt";
  if (!parses || text == nullptr) return nullptr;
  const double base = NumberArgument(1, 10);
  if (base != 10) {
    const long parsed = std::strtol(text->c_str(), nullptr, static_cast<int>(std::fmod(base, 37)));
    return eval_.store().Number(static_cast<double>(parsed));
  }
  const auto number = ParseNumber(*text);
  return number ? eval_.store().Number(*number) : nullptr;
}

ValuePtr Builtins::FromCodes() {
  std::string text;
  bool is_known = true;
  for (const ValuePtr argument : call_.arguments) {
    const double* code = OnlyNumber(argument);
    is_known = is_known && code != nullptr && *code >= 0 && *code < 0x110000;
    if (is_known) AppendCode(text, static_cast<std::uint32_t>(*code));
  }
  if (!is_known || call_.arguments.empty()) text = kHole;
  return Decoded(std::move(text));
}

// Byte arrays are represented as strings.
ValuePtr Builtins::BytesOf(ValuePtr list) {
  if (list == nullptr) return nullptr;
  if (!list->texts.empty()) return list;
  std::string bytes;
  for (const ValuePtr item : list->items) {
    const double* byte = OnlyNumber(item);
    if (byte == nullptr || !(std::fabs(*byte) < 65536)) return nullptr;
    bytes += static_cast<char>(static_cast<int>(*byte) & 0xFF);
  }
  return bytes.empty() ? nullptr : Decoded(std::move(bytes));
}

ValuePtr Builtins::FromBuffer() {
  const std::string* text = TextArgument(0);
  const std::string* coding = TextArgument(1);
  const bool is_coded = coding != nullptr && (coding->starts_with("base64") || *coding == "hex");
  if (text == nullptr) {
    if (!is_coded) return BytesOf(call_.Argument(0));
    Value unknown;
    unknown.decoded = true;
    return eval_.store().Keep(std::move(unknown));
  }
  if (!is_coded) return call_.Argument(0);
  return Decoded(*coding == "hex" ? DecodeHex(*text) : DecodeBase64(*text));
}

ValuePtr Builtins::FromJson() {
  const std::string* text = TextArgument(0);
  if (text == nullptr || text->size() > kMaxJson || !eval_.Charge(text->size())) return nullptr;
  const auto document = ParseJson(*text, kMaxNesting * 2);
  return document ? FromDocument(eval_.store(), *document) : nullptr;
}

ValuePtr Builtins::FromUrl() {
  const std::string* text = TextArgument(0);
  if (text == nullptr) return nullptr;
  Value url;
  url.texts.push_back(PathOfUrl(*text));
  const ValuePtr path = eval_.store().Text(url.texts.front());
  for (const char* part : {"pathname", "href"}) url.keyed[part] = path;
  return eval_.store().Keep(std::move(url));
}

ValuePtr Builtins::OfSystem(std::string_view name) {
  if (name.starts_with("node:path.")) return Paths(name.substr(10));
  if (name == "node:url.fileURLToPath") return call_.Argument(0);
  if (name == "node:os.homedir") return eval_.store().Text("~");
  if (name == "node:os.tmpdir") return eval_.store().Text("/tmp");
  if (name == "process.cwd") return eval_.store().Text(".");
  if (name == "node:os.userInfo") {
    Value user;
    user.keyed["homedir"] = eval_.store().Text("~");
    return eval_.store().Keep(std::move(user));
  }
  return nullptr;
}

ValuePtr Builtins::Paths(std::string_view name) {
  std::vector<std::string> parts;
  bool is_decoded = false;
  for (const ValuePtr argument : call_.arguments) {
    const std::string* text = OnlyText(argument);
    parts.push_back(text == nullptr ? std::string(1, kHole) : *text);
    is_decoded = is_decoded || IsDecoded(argument);
  }
  std::string path;
  if (name == "join" || name == "normalize") {
    path = JoinPaths(parts);
  } else if (name == "resolve") {
    path = ResolvePaths(parts);
  } else if (name == "dirname" && !parts.empty()) {
    path = JoinPaths({parts.front(), ".."});
  } else {
    return nullptr;
  }
  return is_decoded ? Decoded(std::move(path)) : eval_.store().Text(std::move(path));
}

bool IsBuiltinMethod(std::string_view name) {
  static constexpr std::string_view kNames =
      " "
      "toString valueOf hasOwnProperty isPrototypeOf propertyIsEnumerable "
      "toLocaleString at concat copyWithin entries every fill filter find findIndex "
      "findLast findLastIndex flat flatMap forEach includes indexOf join keys "
      "lastIndexOf map pop push reduce reduceRight reverse shift slice some sort splice "
      "toReversed toSorted toSpliced unshift values charAt charCodeAt codePointAt "
      "endsWith localeCompare match matchAll normalize padEnd padStart repeat replace "
      "replaceAll search split startsWith substr substring toLowerCase toUpperCase trim "
      "trimEnd trimStart toFixed toPrecision toExponential add has get set delete clear "
      "then catch finally exec test getTime getDate getDay getFullYear getHours "
      "getMonth toISOString toJSON next bind call apply subarray write readUInt8 equals ";
  const std::string wanted = " " + std::string(name) + " ";
  return name.find(' ') == std::string_view::npos && kNames.find(wanted) != std::string_view::npos;
}

}  // namespace belljar::judgement::analysis::javascript
