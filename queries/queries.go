// Package queries holds the scripts that come with the program, and captures of a
// small site for trying them. The header comment of each script says which
// question the script answers and which parameters it needs.
package queries

import "embed"

// FS holds the scripts. Its folder demo holds the Tianwang files (captures)
// that tour.iql imports, and site.txtar, from which these files are made. It also holds
// news.warc.gz, captures of four sites with news, which is made from news.txtar.
//
//go:embed *.iql demo
var FS embed.FS
