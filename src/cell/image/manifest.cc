#include "cell/image/manifest.h"

#include <optional>

#include "foundation/base/json.h"

namespace belljar::cell::image {
namespace {

constexpr std::int64_t kFormat = 1;

json::array Texts(const std::vector<std::string>& texts) {
  return json::array(texts.begin(), texts.end());
}

Error Damaged(std::string_view key) {
  return Error(Kind::kInvalid, "image.json has no proper \"" + std::string(key) + "\"");
}

// Removes fields from the object; remembers the first one that is missing.
class FieldReader {
 public:
  explicit FieldReader(const json::object& object) : object_(object) {}

  std::string Text(std::string_view key) {
    const json::value* value = object_.if_contains(key);
    if (value != nullptr && value->is_string()) return std::string(value->get_string());
    Fail(key);
    return "";
  }

  std::string TextIfThere(std::string_view key) { return object_.contains(key) ? Text(key) : ""; }

  std::vector<std::string> List(std::string_view key) {
    std::vector<std::string> texts;
    const json::value* value = object_.if_contains(key);
    if (value == nullptr || !value->is_array()) Fail(key);
    if (failed_) return texts;
    for (const json::value& item : value->get_array()) {
      if (!item.is_string()) Fail(key);
      if (item.is_string()) texts.emplace_back(item.get_string());
    }
    return texts;
  }

  std::uint64_t Number(std::string_view key) {
    const json::value* value = object_.if_contains(key);
    boost::system::error_code ec;
    const auto number = value == nullptr ? 0 : value->to_number<std::uint64_t>(ec);
    if (value == nullptr || ec) Fail(key);
    return number;
  }

  const std::optional<Error>& failed() const { return failed_; }

 private:
  void Fail(std::string_view key) {
    if (!failed_) failed_ = Damaged(key);
  }

  const json::object& object_;
  std::optional<Error> failed_;
};

}  // namespace

std::string WriteManifest(const Image& image) {
  const json::object object{{"format", kFormat},
                            {"source", image.source},
                            {"origin", image.origin},
                            {"python", image.python},
                            {"python_version", image.python_version},
                            {"python_paths", Texts(image.python_paths)},
                            {"node", image.node},
                            {"node_version", image.node_version},
                            {"bash", image.bash},
                            {"preimport", Texts(image.preimport)},
                            {"files", image.files},
                            {"bytes", image.bytes},
                            {"created", image.created}};
  return json::serialize(object) + "\n";
}

Result<Image> ParseManifest(std::string_view text) {
  const json::value value = BJ_TRY(ParseJson(text));
  if (!value.is_object()) return Error(Kind::kInvalid, "image.json is no object");
  FieldReader fields(value.get_object());
  if (fields.Number("format") != kFormat) return Damaged("format");
  Image image;
  image.source = fields.Text("source");
  image.origin = fields.TextIfThere("origin");
  image.python = fields.Text("python");
  image.python_version = fields.Text("python_version");
  image.python_paths = fields.List("python_paths");
  image.node = fields.Text("node");
  image.node_version = fields.Text("node_version");
  image.bash = fields.Text("bash");
  image.preimport = fields.List("preimport");
  image.files = fields.Number("files");
  image.bytes = fields.Number("bytes");
  image.created = fields.Text("created");
  if (fields.failed()) return *fields.failed();
  return image;
}

}  // namespace belljar::cell::image
