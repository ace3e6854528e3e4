// Package access applies the access rules of an archive: what --serve and --mcp do not
// show. Guard wraps an archive, so that sessions that use the result see only what the
// rules leave. The archivist's own sessions use the archive itself.
//
// # Words
//
//	rule      a RULE statement that the archive stores among its definitions
//	hidden    not shown: a rule with BLOCK or EXCLUDE, or a younger capture under EMBARGO
//	decides   of the rules about a capture, the one with the longest scope decides
//	mentions  a text, such as a statement in the log of jobs, mentions a hidden URL
//
// Captures are hidden in one place, the snapshot: see relation.Snapshot.Hide. What is not
// made from captures, such as the log of a crawl, is filtered here.
package access
