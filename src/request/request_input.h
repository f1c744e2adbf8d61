// The input of a request: a JSON value for the program, its schema, and the schemas and patterns of
// what the program is expected to print and write.
//
// The program reads the input from its standard input as one JSON text and a newline. So all rules
// for standard input apply to it too: its size limit, its place in the audit record, and analysis
// when the input is itself a program. A Request holds both the value and the standard input, and
// Validate checks that they agree.
#pragma once

#include <string>
#include <string_view>

#include "foundation/base/json.h"
#include "foundation/base/result.h"
#include "request/request.h"

namespace belljar::request {

// The text that the program reads.
std::string InputText(const json::value& input);

// Checks that the parsed JSON value holds every integer of "input" exactly. Integers beyond 64 bits
// would reach the program as floats; they are refused with an error that names their place.
Result<> CheckInputNumbers(std::string_view json_text);

// Sets the input and replaces any other standard input.
void SetInput(Request& request, json::value input);

// Checks that the schemas are valid and that the input matches its own: "input.items[2].age: must
// be ...".
Result<> CheckInput(const Request& request);

// Checks the patterns of "writes".
Result<> CheckWrites(const Request& request);

// Readers of these keys, for the parser.
Result<> ReadInput(std::string_view key, const json::value& value, Request& request);
Result<> ReadInputSchema(std::string_view key, const json::value& value, Request& request);
Result<> ReadWrites(std::string_view key, const json::value& value, Request& request);
Result<> ReadText(std::string_view key, const json::value& value, Request& request);
Result<> ReadOutputSchema(std::string_view key, const json::value& value, Request& request);

}  // namespace belljar::request
