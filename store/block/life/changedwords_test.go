package life

import (
	"bytes"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infomall/store/page/pagetest"
	"infomall/store/words"
)

// bodyPairs calls f with up to most pairs of bodies that follow one another in
// the history of a page of a git bundle, taken from all of it.
func bodyPairs(t *testing.T, bundle string, most int, f func(old, new []byte)) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skipf("no git to read the bundle with: %v", err)
	}
	repo := filepath.Join(t.TempDir(), "r.git")
	git := func(stdin string, args ...string) []byte {
		cmd := exec.Command("git", append([]string{"--git-dir", repo}, args...)...)
		cmd.Stdin = strings.NewReader(stdin)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %s: %v", args[0], err)
		}
		return out
	}
	if out, err := exec.Command("git", "clone", "-q", "--bare", bundle, repo).CombinedOutput(); err != nil {
		t.Fatalf("clone %s: %v\n%s", bundle, err, out)
	}
	var pairs [][2]string
	for line := range strings.Lines(string(git("", "log", "--reverse", "--format=", "--raw", "--no-abbrev", "--no-renames", "--diff-filter=M", "main", "--", "*.html"))) {
		if fields := strings.Fields(line); len(fields) >= 5 {
			pairs = append(pairs, [2]string{fields[2], fields[3]})
		}
	}
	step := (len(pairs) + most - 1) / most
	var names strings.Builder
	for i := 0; i < len(pairs); i += step {
		names.WriteString(pairs[i][0] + "\n" + pairs[i][1] + "\n")
	}
	objects := bytes.NewReader(git(names.String(), "cat-file", "--batch"))
	next := func() []byte {
		var name, kind string
		var size int
		if _, err := fmt.Fscanf(objects, "%s %s %d\n", &name, &kind, &size); err != nil {
			t.Fatal(err)
		}
		body := make([]byte, size+1)
		if _, err := io.ReadFull(objects, body); err != nil {
			t.Fatal(err)
		}
		return body[:size]
	}
	for range strings.Count(names.String(), "\n") / 2 {
		old := next()
		f(old, next())
	}
}

func wordsIn(text string) (n int) {
	for range words.Of(text) {
		n++
	}
	return n
}

// TestSharedChangedWords compares how many words are in blocks that changed
// with how many came or went, over versions of real pages that follow one
// another: blocks are small enough, and cut so, that an edit is told from what
// stands around it. And no version whose words changed has no such block.
func TestSharedChangedWords(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the history of sites")
	}
	for _, site := range []struct {
		name string
		most float64 // words in changed blocks for each changed word, median
	}{{"kafka", 3}, {"fp-volksstimme.de", 5}} {
		var ratios []float64
		bodyPairs(t, filepath.Join(pagetest.Shared(t), "sites", site.name+".bundle"), 100, func(old, new []byte) {
			var h History
			h.Add(htmlVersion(1, string(old)))
			r := h.Add(htmlVersion(2, string(new)))
			if r.Body == nil || r.Before.Body == nil {
				return
			}
			changed := 0
			for _, e := range Diff(r.Before.Body.Page.Text("utf-8"), r.Body.Page.Text("utf-8")) {
				if e.Op != Same {
					changed += wordsIn(e.Text)
				}
			}
			inBlocks, blocks := 0, 0
			for _, m := range r.Leaves() {
				words := 0
				if m.Op == Added || m.Op == Edited {
					words = wordsIn(r.Text(m.New))
				}
				if m.Op == Removed || m.Op == Edited {
					words = max(words, wordsIn(r.Before.Text(m.Old)))
				}
				if m.Op != Same {
					inBlocks += words
					blocks++
				}
			}
			if changed == 0 {
				return
			}
			if blocks == 0 {
				t.Errorf("%s: %d words changed, and no block: %.80q", site.name, changed, new)
			}
			ratios = append(ratios, float64(inBlocks)/float64(changed))
		})
		if len(ratios) == 0 {
			t.Fatalf("%s: no version has other words", site.name)
		}
		slices.Sort(ratios)
		median := ratios[len(ratios)/2]
		t.Logf("%s: %d versions with other words, median %.2f", site.name, len(ratios), median)
		if median > site.most {
			t.Errorf("%s: the median is %.2f, want at most %.0f", site.name, median, site.most)
		}
	}
}
