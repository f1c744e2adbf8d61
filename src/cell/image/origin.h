// What a default image was made of, as a short text: whether it is out of date is one comparison.
//
// A hash over the recipe (the lists of names in this program) and over the host's interpreters, C
// library and package database: which files their names lead to, of what size and time. It costs
// some dozens of lookups and reads no file, so every start can ask. What none of these show, such
// as a package that was put into site-packages by hand, goes unnoticed until the next
// `belljar image build default`.
//
// The hash guards against change, not against an enemy: who can write to the host's /usr or to the
// store needs no collision.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cell/image/paths.h"

namespace belljar::cell::image {

// What this program would take from a host, whichever it is.
std::vector<std::string_view> DefaultRecipe();

std::string OriginOf(const Root& host, std::span<const std::string_view> recipe);

// Of this host and this program.
std::string HostOrigin();

}  // namespace belljar::cell::image
