// Package exec has the one list of all statements, and makes the sessions that run them.
// Each statement has one file in a package below this one. The exceptions are RUN,
// SCHEDULE, WATCH and the statements that run them, because they run other statements:
// their files are here.
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
//
// A watch is a query that is stored in the same way. A run of a watch keeps the new rows
// of the query, see package watch, and then runs the statement after THEN.
package exec
