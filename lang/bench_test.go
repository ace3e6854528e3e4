package lang

import (
	"fmt"
	"strings"
	"testing"

	"infomall/lang/scan"
)

// benchStatements are of the sizes that people write.
var benchStatements = []string{
	"SELECT * FROM 'pku.edu.cn'",
	"SELECT url, time, status FROM captures IN 'pku.edu.cn' BETWEEN 2008-06 AND 2008-08 WHERE status = 200 AND changed",
	"SELECT host, count(*) AS n FROM versions IN 'pku.edu.cn', '*.tsinghua.edu.cn' SINCE 2008 LATEST WHERE kind = 'page' GROUP BY host HAVING count(*) > 10 ORDER BY n DESC LIMIT 20;",
	"SELECT 标题 FROM pages WHERE title CONTAINS '北京大学' OR mime NOT IN ('text/html', 'text/plain')",
	"SHOW PAGE 'http://www.pku.edu.cn/' AT 2008-07-01T12:00 AS raw;",
	"IMPORT '/data/2008/*.raw' FORMAT tianwang AS summer",
	"SET timezone = 'Asia/Shanghai'",
	"DESCRIBE versions",
	"EXPLAIN ANALYZE SELECT count(DISTINCT url) FROM 'a.cn/' .. 'm.cn/' AT NOW - 7d",
	"SELECT url FROM versions WHERE CASE WHEN bytes > 64KB THEN TRUE ELSE bytes // 2 + 1 < 100 END",
}

// BenchmarkParse parses statements one at a time, as the shell does.
func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		if _, err := Parse(benchStatements[n%len(benchStatements)], "b.iql"); err != nil {
			b.Fatal(err)
		}
		n++
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "statements/s")
}

// BenchmarkScript parses a script of a thousand statements.
func BenchmarkScript(b *testing.B) {
	var script strings.Builder
	for i := range 1000 {
		script.WriteString(strings.TrimSuffix(benchStatements[i%len(benchStatements)], ";") + ";\n")
	}
	b.SetBytes(int64(script.Len()))
	for b.Loop() {
		if _, err := Parse(script.String(), "b.iql"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkScan cuts the same script into tokens only.
func BenchmarkScan(b *testing.B) {
	src := strings.Repeat(strings.Join(benchStatements, ";\n")+";\n", 100)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		s := scan.New(src, "")
		for s.Next() {
		}
	}
}

// BenchmarkFault explains a misspelt and a misplaced word.
func BenchmarkFault(b *testing.B) {
	for name, src := range map[string]string{
		"misspelt":  "SELECT url, title FORM 'pku.edu.cn' WHERE status = 200",
		"misplaced": "SELECT url, title FROM 'pku.edu.cn' WHERE status = 200 status",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := Parse(src, ""); err == nil {
					b.Fatal("no error")
				}
			}
		})
	}
}

// BenchmarkBrackets refuses what is nested too deep, however deep it is.
func BenchmarkBrackets(b *testing.B) {
	for _, n := range []int{10_000, 5_000_000} {
		for _, sign := range []string{"(", "(SELECT "} {
			src := "SELECT " + strings.Repeat(sign, n/len(sign))
			b.Run(fmt.Sprintf("%s%d", sign, n), func(b *testing.B) {
				for b.Loop() {
					if _, err := Parse(src, ""); err == nil {
						b.Fatal("no error")
					}
				}
			})
		}
	}
}
