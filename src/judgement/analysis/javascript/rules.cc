#include <array>

#include "judgement/analysis/rule.h"

namespace belljar::judgement::analysis {
namespace javascript {
namespace {

constexpr Language kJs = Language::kJavaScript;

constexpr std::array kRules = std::to_array<Rule>({
    {"js-import", kJs, Class::kImport, Severity::kNote, "loads a module",
     "A module brings in what it can do. Which may be loaded is for the policy to say.",
     "Load only what the task needs.", "const path = require('node:path');",
     "const local = require('./local');"},
    {"js-dynamic-import", kJs, Class::kDynamicCode, Severity::kWarning,
     "loads a module whose name is not in the text",
     "Which code runs is decided while the program runs, so that nobody can read it before.",
     "Write the module's name as a constant; choose between modules that are all named.",
     "require(process.argv[2]);",
     "const tools = { a: require('./a'), b: require('./b') };\ntools[process.argv[2]];"},
    {"js-eval", kJs, Class::kDynamicCode, Severity::kWarning, "runs text as code",
     "Code that is made while the program runs can do anything, and was read by nobody.",
     "Write the code as code; read data with JSON.parse.", "eval(process.argv[2]);",
     "JSON.parse(process.argv[2]);"},
    {"js-process", kJs, Class::kProcess, Severity::kDanger, "starts other programs or threads",
     "Another program is not bound by what was read here.",
     "Do the work in the program itself; ask for a tool if one is needed.",
     "require('child_process').execSync('id');", "const childProcess = { exec: (text) => text };"},
    {"js-network", kJs, Class::kNetwork, Severity::kDanger, "talks to the network",
     "Data can leave, and instructions can come in.",
     "Work with the files of the task; ask for a host to be allowed.",
     "fetch('https://example.com/');", "const fetch = (name) => name;\nfetch('local');"},
    {"js-native", kJs, Class::kNative, Severity::kDanger, "opens a door to machine code",
     "Machine code is not read by the analysis, and does not keep to the language.",
     "Use modules that are written in JavaScript.", "process.binding('fs');",
     "const process = { binding: (name) => name };\nprocess.binding('fs');"},
    {"js-wasm", kJs, Class::kNative, Severity::kWarning, "runs WebAssembly",
     "What is in a WebAssembly module cannot be read here.",
     "Write it in JavaScript, or ask for the module to be looked at.",
     "WebAssembly.instantiate(bytes);", "WebAssembly.validate(bytes);"},
    {"js-module-internals", kJs, Class::kIntrospection, Severity::kDanger,
     "reaches into how modules are loaded, or into the engine",
     "Behind these are all modules, loaded or not, whatever the text says that it loads.",
     "Load what is needed by name.", "process.mainModule.require('fs');",
     "if (require.main === module) console.log('main');"},
    {"js-global-lookup", kJs, Class::kIntrospection, Severity::kWarning,
     "takes an unnamed member of the global object, or of process, require or module",
     "Everything that the language offers can be reached that way, under a name that is not in "
     "the text.",
     "Name the member; keep your own things in an object of your own.",
     "globalThis[process.argv[2]]();", "const own = { a: 1 };\nown[process.argv[2]];"},
    {"js-prototype", kJs, Class::kTampering, Severity::kDanger, "changes what all code shares",
     "Prototypes, builtins and loaded modules are used by everything that runs afterwards.",
     "Write a function, or a class of your own.", "Array.prototype.last = () => 1;",
     "class List extends Array {}\nList.prototype.last = () => 1;"},
    {"js-obfuscation", kJs, Class::kObfuscation, Severity::kDanger,
     "decodes text, and uses it as code or as a name",
     "Text is encoded to keep readers from seeing it; honest names have no need for that.",
     "Write names and code as they are.", "require(atob('ZnM='));",
     "console.log(atob('aGVsbG8='));"},
    {"js-file-outside", kJs, Class::kFiles, Severity::kWarning, "uses files outside the workspace",
     "There are other people's files, credentials and the system.",
     "Keep to /workspace and /tmp, with paths relative to the workspace.",
     "require('fs').readFileSync('/etc/passwd');", "require('fs').readFileSync('data/input.txt');"},
    {"js-bomb", kJs, Class::kBomb, Severity::kWarning, "never ends, or grows without bound",
     "It takes memory and time until it is stopped.",
     "Give loops a condition, and things that grow a bound.",
     "const all = [];\nwhile (true) all.push(all.length);",
     "const all = [];\nwhile (true) { all.push(1); if (all.length > 9) break; }"},
    {"js-process-control", kJs, Class::kProcess, Severity::kWarning,
     "changes processes: signals, users, the working folder",
     "Other processes may be stopped, or this one may become another user.",
     "End by returning, or by process.exit.", "process.kill(process.ppid);", "process.exit(0);"},
    {"js-environment", kJs, Class::kIntrospection, Severity::kWarning,
     "reads the whole environment, or credentials in it",
     "The environment often has keys and passwords in it.",
     "Read the one variable that is needed, by its name.",
     "console.log(JSON.stringify(process.env));", "console.log(process.env.LANG);"},
    {"js-environment-write", kJs, Class::kTampering, Severity::kWarning,
     "changes how programs are started",
     "These variables make other programs load code, or trust what they should not.",
     "Pass options to the one program that needs them.",
     "process.env.NODE_OPTIONS = '--require ./x.js';", "process.env.NODE_ENV = 'test';"},
    {"js-missing-module", kJs, Class::kMissing, Severity::kWarning,
     "loads a module that is not there",
     "The program will end at that line; it is told before anything has run. Looked for in Node "
     "itself, in the image, and in the files that come along; one in a try with a catch may be "
     "missing.",
     "Bring it along as files in node_modules, or use an image that has it (--image).",
     "require('no-such-module');",
     "try { require('no-such-module'); } catch { console.log('without'); }"},
    {"js-syntax", kJs, Class::kSyntax, Severity::kWarning, "cannot be read",
     "What does not parse is not understood, and will not run.", "Correct the place that is named.",
     "const = 1;", "const one = 1;"},
    {"js-unclear", kJs, Class::kUnclear, Severity::kWarning, "could not be judged",
     "It is too large, too deep or too roundabout to be read in bounded time.",
     "Write it shorter and plainer, or in several parts.",
     "{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{"
     "{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{"
     "}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}"
     "}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}",
     "{ { console.log(1); } }"},
});

}  // namespace
}  // namespace javascript

std::span<const Rule> JavaScriptRules() { return javascript::kRules; }

}  // namespace belljar::judgement::analysis
