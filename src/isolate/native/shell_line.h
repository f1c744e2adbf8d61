// Words that are safe to put into a line for a shell.
#pragma once

#include <string>
#include <string_view>

namespace belljar::isolate {

// One word of a shell line, whatever it holds; without quotes where it needs none.
std::string Quoted(std::string_view text);

// `name` if it is a plain file's name that the driver does not use itself, else another one.
std::string FileNameFor(const std::string& name);

}  // namespace belljar::isolate
