#!/bin/bash
# A look around inside a cell, in bash.   ./dev run examples/tour.sh

show() { printf '  %-28s %s\n' "$1" "$2"; }

# probe NAME COMMAND...: tries what a cell must not be able to do, and prints how it ended.
probe() {
  local name=$1 said
  shift
  said=$("$@" 2>&1)
  case $? in
    0) show "$name" "REACHED: ${said:-done}" ;;
    127) show "$name" "could not be tried: $said" ;;
    *) show "$name" "refused: ${said##*: }" ;;
  esac
}

read_the_passwords() { wc -c </etc/shadow; }
use_the_network() { exec 3<>/dev/udp/192.0.2.1/9; }  # opening it sends nothing
change_a_program() { : >>/usr/bin/env; }             # opened for writing, and left as it is
make_a_device() { mknod tour.dev c 1 3 && rm tour.dev; }

see_other_processes() {
  local pids=(/proc/[0-9]*)
  echo "${#pids[@]} processes are in sight"
  ((${#pids[@]} > 6))
}

echo "what it can do"
show "compute" "$(factor 1000000016000000063)"
echo "written inside" >tour.txt
show "write and list files" "$PWD holds $(ls tour.txt): $(cat tour.txt)"
rm tour.txt
show "use pipes" "$(seq 1 20 | sort -r | head -n 3 | tr '\n' ' ')"

echo "what it sees of itself"
show "user, process, host" "uid $(id -u), pid $$, $(uname -n)"

echo "what is refused"
probe "use the network" use_the_network
probe "read /etc/shadow" read_the_passwords
probe "change a program" change_a_program
probe "see the host's processes" see_other_processes
probe "make a device" make_a_device
