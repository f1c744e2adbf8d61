// The process in which one job is done, and nothing else ever is.
//
// A value can have a gigabyte, and libpq takes a row whole before anybody can look at it; a file
// may have been made to find the mistakes of the library that reads it; a server may stop in the
// middle of a word. Here all of it meets a process of its own, with little memory, that is killed
// when its time is over. What it is to do comes by its standard input, so that neither arguments
// nor variables show a password.
//
//   in:   the job as a line of JSON; later, for a write, the line "commit"
//   out:  {"answer": {…}} or {"error": {"kind", "message"}}; after "commit" another one
//
// When its input ends, it gives up what is under way and ends.
#pragma once

namespace belljar::database {

// The whole of the process; its exit status.
int ServeJob();

}  // namespace belljar::database
