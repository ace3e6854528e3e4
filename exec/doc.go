// Package exec has the one list of all statements, and makes the sessions that run them.
// Each statement has one file in a package below this one. The exceptions are RUN,
// SCHEDULE and RUN SCHEDULE, which run other statements: their files are here.
//
// # Words
//
// A statement is what a user writes up to a semicolon: a value of package lang/ast. Its
// Spec declares it, see package session.
//
// A script is a text of several statements. RUN runs a script from a file, a script that
// comes with the program, or a saved query.
//
// A schedule is a statement that is stored in the archive together with a rule that says
// when it runs and with the settings that it runs with. A run of a schedule is noted as a
// job, together with the time of the next run.
package exec
