// Package worker has questions answered by many processes that see the same archive. One
// process asks and any number of workers answer. Package session divides the plan of a query
// into parts by ranges of URL keys; this package gives the parts to workers and takes their
// answers.
//
// # Words
//
//	question  a node of the plan of a query, whose rows are computed in parts
//	part      the rows of the URLs in some ranges of keys
//	task      the order to compute one part; a message to a worker
//	attempt   one run of a task by one worker; a part may have several attempts
//	record    one row, or the state of one group, see op.Runner.Part
//	slot      a worker computes as many tasks at once as it has slots
//
// # Tasks
//
// A task has the text of the query, its settings and parameters, the state of the archive, a
// digest of the plan, and the ranges of keys. The worker plans the query for itself. It
// refuses the task if it sees another state of the archive or makes another plan. So all
// parts of an answer are of one state.
//
// # Answers
//
// An answer is a sequence of messages:
//
//	kind     1 byte: records, alive, end, refused, fault or failed
//	attempt  8 bytes, big endian, as are all numbers
//	number   4 bytes: 0, 1, 2 and so on
//	crc      4 bytes: CRC-32C of all other bytes of the message
//	content  records: bytes of records, each after its length as a uvarint; a record may
//	         continue in the next message
//	         end: the number of records, 8 bytes, and their CRC-32C, 4 bytes
//	         refused, fault, failed: why, as text
//
// An answer counts only if its end has come, and all numbers and checksums are right. The
// first whole answer of a part wins, and the other attempts are cancelled. A worker that is
// silent for too long is taken for dead, and its task goes to another worker. When no part
// waits, a part that takes longer than most is also given to a second worker.
//
// A fault is an error of the query, such as a sum that is too great, or damage to the archive.
// The process that asks then computes the part itself. So the error names the place in its
// script, and the rows that damage leaves out are those that it leaves out without workers.
//
// The way messages take is a Transport; package nats has the one for NATS.
package worker
