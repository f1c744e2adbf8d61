#!/bin/bash
# Fetches the parsers of user code: tree-sitter and its grammars, C sources out of npm packages that
# are pinned by digest in pinned.txt.
#
# usage: fetch.sh FOLDER [--check]     into FOLDER/NAME; --check: only says whether all are there
set -uo pipefail
folder=$1
pinned=$(dirname "${BASH_SOURCE[0]}")/pinned.txt

is_there() {
  [[ $(cat "$folder/$1/.pinned" 2>/dev/null) == "$2 $3" ]]
}

# fetch NAME VERSION SHA512
fetch() {
  local name=$1 version=$2 digest=$3 work=$folder/.incoming
  echo "fetching $name $version"
  rm -rf "$work" && mkdir -p "$work" || return 1
  npm pack --silent --pack-destination "$work" "$name@$version" || return 1
  if ! echo "$digest  $work/$name-$version.tgz" | sha512sum --check --status; then
    echo "$name $version is not the one that pinned.txt names: its digest is another"
    return 1
  fi
  # With the time of now: the packages say 1985, and a build would take what it has for newer.
  tar -xzmf "$work/$name-$version.tgz" -C "$work" || return 1
  rm -rf "${folder:?}/$name" && mv "$work/package" "$folder/$name" || return 1
  echo "$version $digest" >"$folder/$name/.pinned"
}

while read -r name version digest; do
  [[ $name != '#'* ]] || continue
  is_there "$name" "$version" "$digest" && continue
  [[ ${2:-} != --check ]] || exit 1
  fetch "$name" "$version" "$digest" || exit 1
done <"$pinned"
rm -rf "$folder/.incoming"
