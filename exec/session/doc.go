// Package session is what every statement needs: the archive, the settings, the clock,
// the definitions, and how a result is made. It declares the interfaces of the archive,
// of the crawler and of the log of jobs; other packages implement them. It knows no
// statement: package exec hands it the list of them.
//
// # How a statement runs
//
// Each type of statement has a Spec, which says what others must know of it, and how it
// is read. To read a statement is to check its clauses, to find the values of its
// parameters, and to plan its queries. Nothing is read from the archive for that but
// definitions. The result is a Deed, and there are two ways to go on:
//
//	statement --Read--> Deed --Run----> Result
//	                         --Would--> lines for EXPLAIN
//
// --check and SCHEDULE stop after Read. So they refuse what Run would refuse before it
// touches anything.
//
// # Words
//
// A definition is what the archive stores under a name for later statements: a view, a
// metadata column, a saved query or a schedule.
//
// A setting is a value that SET changes. A parameter is a value that statements name
// with a dollar sign.
//
// A job is a noted run of a statement that works on the archive, such as IMPORT.
package session
