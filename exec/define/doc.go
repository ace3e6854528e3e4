// Package define has the statements that give names to things and take the names away:
// CREATE VIEW, CREATE METADATA, SAVE, RULE, DROP VIEW, DROP METADATA, DROP RULE and UNSCHEDULE. What they
// define is stored in the archive as the text of the statement; package session reads it.
// definition.go has what these statements share.
package define
