// Package regionstest writes small files of regions for tests: QQWry files and MaxMind DB
// files.
package regionstest
