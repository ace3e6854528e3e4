package repl

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The page of BenchmarkBlame has blameVersions versions, ten in each pool. It begins with
// blameParagraphs paragraphs of 40 words, which are about 25 KB of text.
const (
	blameVersions   = 600
	blameParagraphs = 110
)

// BenchmarkBlame asks who wrote each word of a page with 600 versions: a process from its
// start to its end, and git for the same texts with a word a line. In each version one word
// of one paragraph is another, and in every twelfth a paragraph more.
func BenchmarkBlame(b *testing.B) {
	dir := b.TempDir()
	texts := blameTexts()
	archive, file := filepath.Join(dir, "archive"), filepath.Join(dir, "in.warc")
	var warc bytes.Buffer
	for i, t := range texts {
		page := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html><body><div><p>" + strings.Join(t, "</p></div>\n<div><p>") + "</p></div></body></html>"
		fmt.Fprintf(&warc, "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/\r\nWARC-Date: %d-%02d-%02dT10:00:00Z\r\n"+
			"Content-Type: application/http\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", 2008+i/120, 1+i/10%12, 1+2*(i%10), len(page), page)
	}
	if err := os.WriteFile(file, warc.Bytes(), 0o666); err != nil {
		b.Fatal(err)
	}
	run := func(b *testing.B, name string, args ...string) (out []byte, cpu float64) {
		cmd := osexec.Command(name, args...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			b.Fatalf("%s %.200s: %v", name, args, err)
		}
		return out, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	}
	run(b, "infomall", "-a", archive, "-c", "IMPORT '"+file+"'")
	words := len(strings.Fields(strings.Join(texts[len(texts)-1], " ")))
	for _, c := range []struct {
		name string
		args []string
	}{
		{"infomall", []string{"-a", archive, "--no-header", "-c", "BLAME 'http://a.example/' AS words"}},
		{"git", []string{"blame", "-w", "--first-parent", "page"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			if c.name == "git" {
				if _, err := osexec.LookPath("git"); err != nil {
					b.Skip("git is not installed")
				}
				commit := func(i int) {
					page := strings.ReplaceAll(strings.Join(texts[i], " "), " ", "\n") + "\n"
					if err := os.WriteFile(filepath.Join(dir, "page"), []byte(page), 0o666); err != nil {
						b.Fatal(err)
					}
					run(b, "git", "add", "page")
					run(b, "git", "-c", "user.name=a", "-c", "user.email=a@a.example", "commit", "-q", "-m", fmt.Sprint(i))
				}
				os.RemoveAll(filepath.Join(dir, ".git"))
				run(b, "git", "init", "-q")
				for i := range texts {
					commit(i)
				}
			}
			cpu := 0.0
			for b.Loop() {
				out, seconds := run(b, c.name, c.args...)
				if got := bytes.Count(out, []byte("\n")); got != words {
					b.Fatalf("%d words, want %d", got, words)
				}
				cpu += seconds
			}
			b.ReportMetric(cpu*1000/float64(b.N), "cpu-ms/process")
		})
	}
}

// blameTexts returns the paragraphs of each version.
func blameTexts() [][]string {
	r := rand.New(rand.NewPCG(1, 2))
	paragraph := func() string {
		var words []string
		for range 40 {
			words = append(words, fmt.Sprintf("w%d", r.IntN(5000)))
		}
		return strings.Join(words, " ")
	}
	var now []string
	for range blameParagraphs {
		now = append(now, paragraph())
	}
	texts := make([][]string, blameVersions)
	for i := range texts {
		at := r.IntN(len(now))
		words := strings.Fields(now[at])
		words[r.IntN(len(words))] = fmt.Sprintf("v%d", i)
		now[at] = strings.Join(words, " ")
		if i%12 == 11 {
			now = append(now, paragraph())
		}
		texts[i] = append([]string(nil), now...)
	}
	return texts
}
