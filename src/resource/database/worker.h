// The worker process, which executes a single job.
//
// It isolates Belljar from the database: a value can be a gigabyte large, and libpq holds a row in
// memory before its size can be checked; a database file may be crafted to exploit bugs of SQLite;
// a server may stop in the middle of a message. The worker has little memory, and is killed when
// its time is over. The job is passed on standard input, so that no password appears in arguments
// or environment variables.
//
//   in:   the job as a line of JSON; later, for a write, the line "commit"
//   out:  {"answer": {…}} or {"error": {"kind", "message"}}; after "commit" another one
//
// When its standard input ends, it cancels the statement and exits.
#pragma once

namespace belljar::resource::database {

// The main function of the process; returns its exit status.
int ServeJob();

}  // namespace belljar::resource::database
