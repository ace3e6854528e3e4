package block

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"

	"infomall/store/page"
)

func TestZZDump(t *testing.T) {
	level, _ := strconv.Atoi(os.Getenv("ZZLEVEL"))
	files, _ := filepath.Glob("/tmp/bd/*/*/index.html.orig")
	sort.Strings(files)
	out, _ := os.Create(os.Getenv("ZZOUT"))
	w := csv.NewWriter(out)
	w.Write([]string{"url", "block", "label", "text"})
	for _, f := range files {
		body, _ := os.ReadFile(f)
		tr := Divide(page.NewTree(body), Options{})
		url := "http://" + strings.Split(f, "/")[3] + "/"
		for _, n := range tr.Cut(level) {
			b := tr.Blocks[n]
			w.Write([]string{url, b.Path, "main", tr.Page.TextRange(b.Start, b.End, "utf-8")})
		}
	}
	w.Flush()
	out.Close()
}
