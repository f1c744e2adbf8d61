// The input of a request: a JSON value for the program, and what it must look like. Also what is
// expected of the program's output and of its files.
//
// The program reads it from its standard input, as one JSON text and a newline; so everything that
// holds for standard input (its size, its place in the record, whether it is itself a program that
// the analysis has to read) holds for it, too. A request carries both, and Validate sees to it that
// they agree.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "policy/request.h"

namespace belljar::policy {

// What the program reads.
std::string InputText(const json::value& input);

// That every whole number of "input" in the text of a request is held as it is written: those
// beyond 64 bits would reach the program as floats. They are refused, by their place.
Result<> CheckInputNumbers(std::string_view json_text);

// Gives the request that input, in place of any other standard input.
void SetInput(Request& request, json::value input);

// That the schemas are schemas, and the input fits its own: "input.items[2].age: must be ...".
Result<> CheckInput(const Request& request);

// That the patterns of files are such.
Result<> CheckWrites(const Request& request);

// Readers of the keys, for the parser.
Result<> ReadInput(std::string_view key, const json::value& value, Request& request);
Result<> ReadInputSchema(std::string_view key, const json::value& value, Request& request);
Result<> ReadWrites(std::string_view key, const json::value& value, Request& request);
Result<> ReadText(std::string_view key, const json::value& value, Request& request);
Result<> ReadOutputSchema(std::string_view key, const json::value& value, Request& request);

}  // namespace belljar::policy
