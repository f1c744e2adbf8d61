// Origin: a fingerprint of what a default image was made of. If it differs from today's, the image
// is out of date.
//
// It is a hash over the recipe (the lists of names in this program) and over the host's
// interpreters, C library and package database: the files that their names lead to, with size and
// time. It costs some dozens of lookups and reads no file, so every start can compute it. Changes
// that none of these show, such as a package put into site-packages by hand, go unnoticed until the
// next `belljar image build default`.
//
// The hash detects changes, it is no protection against attackers: an attacker who can write to the
// host's /usr or to the store needs no collision.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cell/image/paths.h"

namespace belljar::cell::image {

// The names that this program would take from any host.
std::vector<std::string_view> DefaultRecipe();

std::string OriginOf(const Root& host, std::span<const std::string_view> recipe);

// The origin for this host and this program.
std::string HostOrigin();

}  // namespace belljar::cell::image
