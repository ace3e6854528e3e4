// Package work has the relations of the archive itself and of the work on it: pools and
// files, crawls, jobs, schedules, watches, rules and the history of the prompt. Each
// file declares one relation. Package relation defines what a relation is, and package all lists
// the relations.
package work
