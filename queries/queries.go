// Package queries holds the scripts that come with the program, and a small
// site's captures to try them on. Each script's header comment says what it
// answers and which parameters it wants.
package queries

import "embed"

// FS holds the scripts, and in the folder demo the Tianwang files that tour.iql
// imports, with site.txtar from which they are made.
//
//go:embed *.iql demo
var FS embed.FS
