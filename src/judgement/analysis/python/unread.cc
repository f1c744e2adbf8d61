// Names in what the grammar could not read: a row of tokens without a tree, which the interpreter
// may well read. (A line that ends behind a dot within parentheses is Python, and the grammar tears
// it apart.) In a text with errors, dotted names and imports that go through such a place are put
// together from their tokens. Calls are not: what is handed to a torn call is not looked at.
#include "judgement/analysis/python/check.h"
#include "judgement/analysis/python/names.h"

namespace belljar::judgement::analysis::python {
namespace {

struct Torn {
  enum class Kind : std::uint8_t { kName, kModule, kMemberOfUnknown };
  Kind kind;
  NodeId at;
  std::string name;
};

class TornNames {
 public:
  TornNames(const Syntax& syntax, Evaluator& evaluator) : syntax_(syntax), evaluator_(evaluator) {}

  std::vector<Torn> All() {
    for (NodeId id = 0; id < syntax_.size(); ++id) {
      const Node& node = syntax_.at(id);
      const bool is_token = node.first == kNoNode && node.end > node.start;
      if (!is_token || node.kind == kCommentKind) continue;
      if (import_ == Import::kNone || !GoOnImport(id)) GoOnName(id);
    }
    EndModule();
    return std::move(found_);
  }

 private:
  enum class Import : std::uint8_t { kNone, kModules, kFrom, kMembers };

  bool IsTorn(NodeId token) const {
    const NodeId parent = syntax_.at(token).parent;
    return parent == kNoNode || syntax_.at(parent).kind == kErrorKind;
  }

  void GoOnName(NodeId token) {
    const std::string_view text = syntax_.Text(token);
    const bool behind_name = last_ == "name" || last_ == ")" || last_ == "]";
    if (syntax_.Is(token, Py::kIdentifier)) {
      const bool is_member = last_ == "." && has_object_;
      torn_ = IsTorn(token) || (is_member && torn_);
      value_ =
          is_member ? evaluator_.AttributeOf(value_, Normalised(text)) : evaluator_.Eval(token);
      if (is_member && torn_) AddMember(token);
      has_object_ = true;
      last_ = "name";
      return;
    }
    const bool takes_member = text == "." && behind_name;
    if (last_ != "name") value_ = nullptr;
    torn_ = takes_member && ((last_ == "name" && torn_) || IsTorn(token));
    has_object_ = takes_member;
    last_ = text;
    if (!IsTorn(token) || syntax_.at(token).named) return;
    if (text == "import") import_ = Import::kModules;
    if (text == "from") import_ = Import::kFrom;
  }

  void AddMember(NodeId token) {
    const bool is_known = value_ != nullptr && !value_->names.empty();
    if (!is_known) {
      found_.push_back({Torn::Kind::kMemberOfUnknown, token, Normalised(syntax_.Text(token))});
      return;
    }
    for (const std::string& name : value_->names) {
      found_.push_back({Torn::Kind::kName, token, name});
    }
  }

  // False: the token is no part of the import.
  bool GoOnImport(NodeId token) {
    const std::string_view text = syntax_.Text(token);
    const bool skips = std::exchange(is_alias_, text == "as");
    if (syntax_.Is(token, Py::kIdentifier)) return skips || ImportName(token);
    if (text == "as" || text == "(") return true;
    if (text == "." && import_ != Import::kMembers) {
      module_ += '.';
      return true;
    }
    if (text == "," && import_ != Import::kFrom) {
      EndModule();
      return true;
    }
    if (text == "import" && import_ == Import::kFrom) {
      EndModule();
      import_ = Import::kMembers;
      return true;
    }
    if (import_ != Import::kFrom) EndModule();
    import_ = Import::kNone;
    module_.clear();
    return false;
  }

  bool ImportName(NodeId token) {
    const std::string name = Normalised(syntax_.Text(token));
    if (import_ == Import::kMembers) {
      found_.push_back({Torn::Kind::kName, token, Canonical(from_ + "." + name)});
      return true;
    }
    if (!module_.empty() && module_.back() != '.') {  // the next statement
      EndModule();
      import_ = Import::kNone;
      return false;
    }
    if (module_.empty()) module_at_ = token;
    module_ += name;
    return true;
  }

  void EndModule() {
    from_ = std::exchange(module_, "");
    if (import_ == Import::kNone || import_ == Import::kMembers) return;
    if (!from_.empty() && from_.front() != '.') {
      found_.push_back({Torn::Kind::kModule, module_at_, from_});
    }
  }

  const Syntax& syntax_;
  Evaluator& evaluator_;
  std::vector<Torn> found_;
  // The dotted name so far.
  std::string_view last_;  // token; "name" for any identifier
  bool has_object_ = false;
  bool torn_ = false;
  ValuePtr value_ = nullptr;
  // The import so far.
  Import import_ = Import::kNone;
  bool is_alias_ = false;
  std::string module_;
  std::string from_;
  NodeId module_at_ = kNoNode;
};

}  // namespace

void Checks::Unread() {
  for (const Torn& torn : TornNames(syntax_, evaluator_).All()) {
    if (torn.kind == Torn::Kind::kModule) {
      Module(torn.at, torn.name);
    } else if (torn.kind == Torn::Kind::kName) {
      OneName(torn.at, torn.name);
    } else if (IsDangerousMember(torn.name) && scopes_.FindAttribute(torn.name) == nullptr) {
      report_.Say("py-unclear", syntax_.PlaceOf(torn.at), torn.name,
                  "\"" + torn.name + "\" is taken of an object that is not known");
    }
    const Rule* rule =
        torn.kind == Torn::Kind::kMemberOfUnknown ? RuleOfAttribute(torn.name) : nullptr;
    if (rule != nullptr) report_.Add(*rule, syntax_.PlaceOf(torn.at), torn.name);
  }
}

}  // namespace belljar::judgement::analysis::python
