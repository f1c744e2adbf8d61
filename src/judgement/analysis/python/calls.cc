// Evaluates calls of well-known functions where the result reveals a name or a string.
#include <algorithm>
#include <unordered_map>

#include "foundation/base/text.h"
#include "judgement/analysis/name_memory.h"
#include "judgement/analysis/python/eval.h"
#include "judgement/analysis/python/names.h"

namespace belljar::judgement::analysis::python {
namespace {

using Call = ValuePtr (*)(Evaluator& evaluator, const Arguments& arguments);

ValuePtr First(Evaluator&, const Arguments& arguments) { return arguments.at(0); }

ValuePtr ImportedBy(Evaluator& evaluator, const Arguments& arguments) {
  const ValuePtr given = arguments.at(0) != nullptr ? arguments.at(0) : arguments.Named("name");
  if (given == nullptr) return nullptr;
  Value value;
  for (const std::string& text : given->texts) {
    if (!IsWhole(text) || text.empty()) continue;
    value.names.push_back(Canonical(text));
    // __import__("os.path") returns os.
    const std::size_t dot = text.find('.');
    if (dot != std::string::npos) value.names.push_back(Canonical(text.substr(0, dot)));
  }
  return value.names.empty() ? nullptr : evaluator.store().Keep(std::move(value));
}

ValuePtr GetAttribute(Evaluator& evaluator, const Arguments& arguments) {
  const ValuePtr names = arguments.at(1);
  ValuePtr value = arguments.at(2);
  if (names == nullptr) return value;
  for (const std::string& name : names->texts) {
    if (!IsWhole(name)) continue;
    const ValuePtr one = evaluator.AttributeOf(arguments.at(0), name);
    value = evaluator.store().Join(value, one);
  }
  return value;
}

ValuePtr Mapping(Evaluator& evaluator, const Arguments& arguments) {
  const ValuePtr object = arguments.at(0);
  if (arguments.positional.empty()) return evaluator.store().Name("@globals");
  if (object == nullptr) return nullptr;
  Value value = *object;
  for (std::string& name : value.names) name += ".__dict__";
  return evaluator.store().Keep(std::move(value));
}

ValuePtr OwnNames(Evaluator& evaluator, const Arguments&) {
  return evaluator.store().Name("@globals");
}

ValuePtr Getter(Evaluator& evaluator, const Arguments& arguments) {
  Value value;
  const ValuePtr names = arguments.at(0);
  if (names == nullptr) return nullptr;
  for (const std::string& name : names->texts) value.names.push_back("@attr:" + name);
  return evaluator.store().Keep(std::move(value));
}

ValuePtr ItemGetter(Evaluator& evaluator, const Arguments& arguments) {
  Value value;
  if (arguments.at(0) == nullptr) return nullptr;
  for (const std::string& key : arguments.at(0)->texts) value.names.push_back("@item:" + key);
  return evaluator.store().Keep(std::move(value));
}

// Follows the attribute path "a.b.c" from an object, as attrgetter does.
ValuePtr Walked(Evaluator& evaluator, ValuePtr object, std::string_view path) {
  while (!path.empty() && object != nullptr) {
    const std::size_t dot = path.find('.');
    object = evaluator.AttributeOf(object, path.substr(0, dot));
    path = dot == std::string_view::npos ? "" : path.substr(dot + 1);
  }
  return object;
}

// reduce(getattr, ["a", "b"], x) evaluates to x.a.b.
ValuePtr Reduced(Evaluator& evaluator, const Arguments& arguments) {
  const ValuePtr function = arguments.at(0);
  ValuePtr value = arguments.at(2);
  if (function == nullptr) return nullptr;
  for (const ValuePtr step : Elements(evaluator.store(), arguments.at(1))) {
    value = evaluator.CallValue(function, {{value, step}, {}});
  }
  return value;
}

// partial(f, x): the value of f joined with the result of f(x), since the partial may be called.
ValuePtr Partial(Evaluator& evaluator, const Arguments& arguments) {
  if (arguments.at(0) == nullptr) return nullptr;
  Arguments rest = arguments;
  rest.positional.erase(rest.positional.begin());
  const ValuePtr called = evaluator.CallValue(arguments.at(0), rest);
  Value value = *arguments.at(0);
  if (called != nullptr) {
    for (const std::string& name : called->names) value.names.push_back("@gives:" + name);
  }
  return evaluator.store().Keep(std::move(value));
}

ValuePtr EventLoop(Evaluator& evaluator, const Arguments&) {
  return evaluator.store().Name("asyncio.loop");
}

ValuePtr CurrentFolder(Evaluator& evaluator, const Arguments&) {
  return evaluator.store().Text(".");
}

std::string Utf8Of(double number) {
  const auto code = number >= 0 && number < 0x110000 ? static_cast<std::uint32_t>(number) : 0xFFFD;
  if (code < 0x80) return std::string(1, static_cast<char>(code));
  return std::string(1, kUnknownPart);
}

ValuePtr Character(Evaluator& evaluator, const Arguments& arguments) {
  Value value;
  value.decoded = true;
  if (arguments.at(0) != nullptr) {
    for (const double number : arguments.at(0)->numbers) value.texts.push_back(Utf8Of(number));
  }
  return evaluator.store().Keep(std::move(value));
}

ValuePtr CodeOf(Evaluator& evaluator, const Arguments& arguments) {
  const std::string* text = OnlyText(arguments.at(0));
  if (text == nullptr || text->size() != 1) return nullptr;
  return evaluator.store().Number(static_cast<unsigned char>(text->front()));
}

// bytes([111, 115]) is kept as a string.
ValuePtr Bytes(Evaluator& evaluator, const Arguments& arguments) {
  const ValuePtr given = arguments.at(0);
  if (given == nullptr || given->items.empty()) return given;
  std::string text;
  for (const ValuePtr item : given->items) {
    const double* number = OnlyNumber(item);
    text += number == nullptr ? std::string(1, kUnknownPart) : Utf8Of(*number);
  }
  return Decoded(evaluator.store(), evaluator.store().Text(std::move(text)));
}

ValuePtr Reversed(Evaluator& evaluator, const Arguments& arguments) {
  std::vector<ValuePtr> elements = Elements(evaluator.store(), arguments.at(0));
  if (elements.empty()) return arguments.at(0);
  std::reverse(elements.begin(), elements.end());
  Value value;
  value.items = std::move(elements);
  return evaluator.store().Keep(std::move(value));
}

ValuePtr Mapped(Evaluator& evaluator, const Arguments& arguments) {
  return evaluator.MapOver(arguments.at(0), arguments.at(1));
}

ValuePtr Second(Evaluator&, const Arguments& arguments) { return arguments.at(1); }

ValuePtr OnePart(Evaluator& evaluator, const Arguments& arguments) {
  return AnyPart(evaluator.store(), arguments.at(0));
}

// zip and enumerate yield tuples of any elements of their arguments.
ValuePtr Pairs(Evaluator& evaluator, const Arguments& arguments) {
  Value pair;
  for (const ValuePtr container : arguments.positional) {
    pair.items.push_back(AnyPart(evaluator.store(), container));
  }
  if (pair.items.size() == 1) pair.items.insert(pair.items.begin(), nullptr);
  Value value;
  value.others = evaluator.store().Keep(std::move(pair));
  return evaluator.store().Keep(std::move(value));
}

ValuePtr FromNamed(Evaluator& evaluator, const Arguments& arguments) {
  Value value = arguments.at(0) == nullptr ? Value() : *arguments.at(0);
  for (const auto& [name, part] : arguments.named) {
    if (part != nullptr) value.keyed.emplace(std::string(name), part);
  }
  return evaluator.store().Keep(std::move(value));
}

ValuePtr PathOf(Evaluator& evaluator, const Arguments& arguments) {
  ValuePtr path = arguments.positional.empty() ? evaluator.store().Text(".") : arguments.at(0);
  for (std::size_t i = 1; i < arguments.positional.size(); ++i) {
    path = JoinedPath(evaluator.store(), path, arguments.at(i));
  }
  return path;
}

ValuePtr Home(Evaluator& evaluator, const Arguments&) { return evaluator.store().Text("~"); }

ValuePtr Variable(Evaluator& evaluator, const Arguments& arguments) {
  const std::string* name = OnlyText(arguments.at(0));
  return name != nullptr && *name == "HOME" ? evaluator.store().Text("~") : nullptr;
}

// Decodes base64 of either alphabet, with or without padding; false if it is not base64.
bool FromBase64(const std::string& given, std::string& bytes) {
  std::string text = given;
  for (char& c : text) c = c == '-' ? '+' : c == '_' ? '/' : c;
  std::erase_if(text, [](char c) { return c == '\n' || c == ' ' || c == '\r'; });
  while (text.size() % 4 != 0) text += '=';
  return Base64Decode(text, bytes);
}

bool FromHex(std::string_view text, std::string& bytes) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'                     ? c - '0'
           : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10
                                                    : -1;
  };
  std::string clean;
  for (const char c : text) {
    if (c != ' ') clean += c;
  }
  if (clean.size() % 2 != 0) return false;
  for (std::size_t i = 0; i < clean.size(); i += 2) {
    const int high = digit(clean[i]);
    const int low = digit(clean[i + 1]);
    if (high < 0 || low < 0) return false;
    bytes += static_cast<char>(high * 16 + low);
  }
  return true;
}

template <bool (*Decode)(const std::string&, std::string&)>
ValuePtr DecodedBy(Evaluator& evaluator, const Arguments& arguments) {
  Value value;
  value.decoded = true;
  if (arguments.at(0) != nullptr) {
    for (const std::string& text : arguments.at(0)->texts) {
      std::string bytes;
      if (IsWhole(text) && Decode(text, bytes)) value.texts.push_back(std::move(bytes));
    }
  }
  return evaluator.store().Keep(std::move(value));
}

bool HexText(const std::string& text, std::string& bytes) { return FromHex(text, bytes); }
bool NotKnown(const std::string&, std::string&) { return false; }

bool Rotated(const std::string& given, std::string& turned) {
  std::string text = given;
  for (char& c : text) {
    const char first = c >= 'a' && c <= 'z' ? 'a' : c >= 'A' && c <= 'Z' ? 'A' : 0;
    if (first != 0) c = static_cast<char>(first + (c - first + 13) % 26);
  }
  turned = std::move(text);
  return true;
}

ValuePtr ByCodec(Evaluator& evaluator, const Arguments& arguments) {
  const ValuePtr given = arguments.at(1) != nullptr ? arguments.at(1) : arguments.Named("encoding");
  const std::string* codec = OnlyText(given);
  if (codec == nullptr) return DecodedBy<NotKnown>(evaluator, arguments);
  if (codec->find("13") != std::string::npos) return DecodedBy<Rotated>(evaluator, arguments);
  if (codec->starts_with("hex")) return DecodedBy<HexText>(evaluator, arguments);
  if (codec->starts_with("base64")) return DecodedBy<FromBase64>(evaluator, arguments);
  if (codec->starts_with("utf") || codec->starts_with("ascii") || codec->starts_with("latin")) {
    return arguments.at(0);
  }
  return DecodedBy<NotKnown>(evaluator, arguments);
}

struct KnownCall {
  std::string_view name;
  Call call;
};

constexpr KnownCall kKnownCalls[] = {
    {"builtins.__import__", ImportedBy},
    {"importlib.import_module", ImportedBy},
    {"importlib.__import__", ImportedBy},
    {"pydoc.locate", ImportedBy},
    {"pkgutil.resolve_name", ImportedBy},
    {"builtins.getattr", GetAttribute},
    {"builtins.object.__getattribute__", GetAttribute},
    {"inspect.getattr_static", GetAttribute},
    {"builtins.vars", Mapping},
    {"inspect.getmembers", Mapping},
    {"builtins.globals", OwnNames},
    {"builtins.locals", OwnNames},
    {"operator.attrgetter", Getter},
    {"operator.methodcaller", Getter},
    {"operator.itemgetter", ItemGetter},
    {"functools.reduce", Reduced},
    {"functools.partial", Partial},
    {"asyncio.get_event_loop", EventLoop},
    {"asyncio.get_running_loop", EventLoop},
    {"asyncio.new_event_loop", EventLoop},
    {"unittest.mock._importer", ImportedBy},
    {"pathlib.Path.cwd", CurrentFolder},
    {"os.getcwd", CurrentFolder},
    {"os.path.expandvars", First},
    {"builtins.input", [](Evaluator& at, const Arguments&) { return at.store().Text("\x1a"); }},
    {"builtins.chr", Character},
    {"builtins.ord", CodeOf},
    {"builtins.str", First},
    {"builtins.list", First},
    {"builtins.tuple", First},
    {"builtins.set", First},
    {"builtins.sorted", First},
    {"builtins.iter", First},
    {"functools.lru_cache", First},
    {"copy.copy", First},
    {"copy.deepcopy", First},
    {"itertools.chain", First},
    {"builtins.bytes", Bytes},
    {"builtins.bytearray", Bytes},
    {"builtins.memoryview", First},
    {"builtins.reversed", Reversed},
    {"builtins.map", Mapped},
    {"builtins.filter", Second},
    {"typing.cast", Second},
    {"builtins.next", OnePart},
    {"builtins.max", OnePart},
    {"builtins.min", OnePart},
    {"random.choice", OnePart},
    {"builtins.zip", Pairs},
    {"builtins.enumerate", Pairs},
    {"builtins.dict", FromNamed},
    {"types.SimpleNamespace", FromNamed},
    {"os.path.join", PathOf},
    {"pathlib.Path", PathOf},
    {"pathlib.PurePath", PathOf},
    {"pathlib.PosixPath", PathOf},
    {"os.path.expanduser", First},
    {"os.path.abspath", First},
    {"os.path.normpath", First},
    {"os.path.realpath", First},
    {"os.fspath", First},
    {"pathlib.Path.home", Home},
    {"os.getenv", Variable},
    {"os.environ.get", Variable},
    {"base64.b64decode", DecodedBy<FromBase64>},
    {"base64.urlsafe_b64decode", DecodedBy<FromBase64>},
    {"base64.standard_b64decode", DecodedBy<FromBase64>},
    {"base64.decodebytes", DecodedBy<FromBase64>},
    {"binascii.a2b_base64", DecodedBy<FromBase64>},
    {"binascii.unhexlify", DecodedBy<HexText>},
    {"binascii.a2b_hex", DecodedBy<HexText>},
    {"builtins.bytes.fromhex", DecodedBy<HexText>},
    {"builtins.bytearray.fromhex", DecodedBy<HexText>},
    {"base64.b16decode", DecodedBy<HexText>},
    {"base64.b32decode", DecodedBy<NotKnown>},
    {"base64.a85decode", DecodedBy<NotKnown>},
    {"base64.b85decode", DecodedBy<NotKnown>},
    {"zlib.decompress", DecodedBy<NotKnown>},
    {"gzip.decompress", DecodedBy<NotKnown>},
    {"bz2.decompress", DecodedBy<NotKnown>},
    {"lzma.decompress", DecodedBy<NotKnown>},
    {"codecs.decode", ByCodec},
    {"codecs.encode", ByCodec},
};

const std::unordered_map<std::string_view, Call>& KnownCalls() {
  static const auto calls = [] {
    std::unordered_map<std::string_view, Call> by_name;
    for (const KnownCall& known : kKnownCalls) by_name.emplace(known.name, known.call);
    return by_name;
  }();
  return calls;
}

constexpr std::string_view kTakingMethods[] = {".get", ".pop", ".__getitem__", ".setdefault"};

// How a call of a well-known name is evaluated: by a function, or by code that looks at the name.
struct Known {
  Call call = nullptr;
  bool by_its_name = false;
};

Known Know(std::string_view name) {
  const auto found = KnownCalls().find(name);
  if (found != KnownCalls().end()) return {found->second, false};
  const auto ends = [&](std::string_view method) { return name.ends_with(method); };
  return {nullptr, name.starts_with('@') || !ClassMadeBy(name).empty() ||
                       std::ranges::any_of(kTakingMethods, ends) || ends(".__getattribute__") ||
                       ends(".__getattr__")};
}

}  // namespace

ValuePtr CallNamed(Evaluator& evaluator, std::string_view name, const Arguments& arguments) {
  thread_local NameMemory<Known> remembered;
  const Known known = remembered.Get(name, Know);
  if (known.call != nullptr) return known.call(evaluator, arguments);
  if (!known.by_its_name) return nullptr;
  if (name.starts_with("@attr:")) {
    return Walked(evaluator, arguments.at(0), name.substr(6));
  }
  if (name.starts_with("@item:")) {
    const ValuePtr key = evaluator.store().Text(std::string(name.substr(6)));
    return evaluator.PartOf(arguments.at(0), key);
  }
  if (name.starts_with("@gives:")) return evaluator.store().Name(std::string(name.substr(7)));
  const std::string_view made = ClassMadeBy(name);
  if (!made.empty()) return evaluator.store().Name(std::string(made));
  // Lookups in module dictionaries: sys.modules.get("os"), globals().get("eval"), vars(m).get("f")
  for (const std::string_view method : kTakingMethods) {
    if (!name.ends_with(method)) continue;
    const std::string_view container = name.substr(0, name.size() - method.size());
    if (container != "sys.modules" && container != "@globals" && container != "builtins" &&
        !container.ends_with(".__dict__")) {
      continue;
    }
    return evaluator.PartOf(evaluator.store().Name(std::string(container)), arguments.at(0));
  }
  if (name.ends_with(".__getattribute__") || name.ends_with(".__getattr__")) {
    const std::size_t dot = name.rfind('.');
    const ValuePtr object = evaluator.store().Name(std::string(name.substr(0, dot)));
    return GetAttribute(evaluator, {{object, arguments.at(0)}, {}});
  }
  return nullptr;
}

}  // namespace belljar::judgement::analysis::python
