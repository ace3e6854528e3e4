package blame

import (
	"bufio"
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"infomall/store/block/divide"
	"infomall/store/block/life"
	"infomall/store/record"
)

var (
	gitPages = flag.Int("blame.pages", 100, "how many pages of each site, those with most versions, TestGit looks at")
	gitEvery = flag.Int("blame.every", 5, "TestGit compares one in so many of these pages with git; 1 compares 300 pages in all")
)

// gitSites are the histories of sites.
var gitSites = []string{"kafka", "httpd", "fp-fr.de", "fp-volksstimme.de", "fp-compact-online.de", "stalker", "cdr"}

// gitLeast is the least share of the words, and of the lines, for which a Page and
// "git blame" must name the same version.
const gitLeast = 0.98

// gitLeastChosen is gitLeast for one in five of the pages, which have fewer versions
// than the very first pages.
const gitLeastChosen = 0.99

// TestGit compares the origins of words with "git blame -w" of a derived history,
// which has a word of the page's text on each line, and the origins of lines with
// "git blame -w -M" of a history of the page's lines. A word that a version has
// more than once counts as equal if git names our version for any of its places.
// The test logs what differs, by reason.
func TestGit(t *testing.T) {
	if testing.Short() {
		t.Skip("reads real sites' histories; not with -short")
	}
	dir := os.Getenv("INFOMALL_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared")
	}
	dir, err := filepath.Abs(filepath.Join(dir, "data", "sites")) // git runs in other folders
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no test data: %v (INFOMALL_SHARED names its folder)", err)
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not there")
	}
	for _, c := range []struct {
		unit  Unit
		sites []string
		flags []string
	}{
		{Words, gitSites, []string{"-w"}},
		{Lines, []string{"kafka", "httpd"}, []string{"-w", "-M"}},
	} {
		all := newTally()
		for _, site := range c.sites {
			tally := newTally()
			compareSite(t, filepath.Join(dir, site+".bundle"), c.unit, c.flags, tally)
			t.Logf("%s, git blame %s: %s", site, strings.Join(c.flags, " "), tally)
			all.join(tally)
		}
		t.Logf("all, git blame %s: %s", strings.Join(c.flags, " "), all)
		least := gitLeast
		if *gitEvery == 5 {
			least = gitLeastChosen
		}
		if all.share() < least {
			t.Errorf("%.4f of the pieces have the version that git blame %v names, want %v", all.share(), c.flags, least)
		}
	}
}

// tally counts pieces.
type tally struct {
	pages, equal, all int
	reasons           map[string]int // pieces that differ, by reason
}

func newTally() *tally { return &tally{reasons: make(map[string]int)} }

func (c *tally) share() float64 { return float64(c.equal) / float64(max(1, c.all)) }

func (c *tally) join(d *tally) {
	c.pages, c.equal, c.all = c.pages+d.pages, c.equal+d.equal, c.all+d.all
	for why, n := range d.reasons {
		c.reasons[why] += n
	}
}

func (c *tally) String() string {
	var list []string
	for why, n := range c.reasons {
		list = append(list, fmt.Sprintf("%d %s", n, why))
	}
	slices.Sort(list)
	return fmt.Sprintf("%d pages, %d of %d equal (%.4f); %s", c.pages, c.equal, c.all, c.share(), strings.Join(list, ", "))
}

// gitRepo is a git repository.
type gitRepo struct {
	t    *testing.T
	path string
}

func (g gitRepo) run(in io.Reader, args ...string) []byte {
	g.t.Helper()
	c := exec.Command("git", append([]string{"-C", g.path}, args...)...)
	var complaint bytes.Buffer
	c.Stdin, c.Stderr = in, &complaint
	out, err := c.Output()
	if err != nil {
		g.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, complaint.Bytes())
	}
	return out
}

// bodies calls f with the content of each blob, in order.
func (g gitRepo) bodies(blobs []string, f func(i int, body []byte)) {
	g.t.Helper()
	out := bufio.NewReader(bytes.NewReader(g.run(strings.NewReader(strings.Join(blobs, "\n")+"\n"), "cat-file", "--batch")))
	for i := range blobs {
		head, err := out.ReadString('\n')
		if err != nil {
			g.t.Fatal(err)
		}
		size, err := strconv.Atoi(strings.Fields(head)[2])
		if err != nil {
			g.t.Fatal(err)
		}
		body := make([]byte, size+1)
		if _, err := io.ReadFull(out, body); err != nil {
			g.t.Fatal(err)
		}
		f(i, body[:size])
	}
}

// noBlob is the ID of the blob of a page that was deleted.
const noBlob = ""

// histories returns the blobs of each page, the oldest first, of the pages with
// most versions.
func (g gitRepo) histories() [][]string {
	g.t.Helper()
	versions := make(map[string][]string)
	for line := range strings.Lines(string(g.run(nil, "log", "--reverse", "--first-parent", "--raw", "--no-abbrev", "--no-renames", "--root", "--format=", "main"))) {
		f := strings.Fields(line) // :100644 100644 old new M path
		if len(f) < 6 || !strings.Contains(f[5], ".") || strings.HasSuffix(f[5], ".json") {
			continue
		}
		blob := f[3]
		if f[4] == "D" {
			blob = noBlob
		}
		versions[f[5]] = append(versions[f[5]], blob)
	}
	var names []string
	for name, list := range versions {
		for len(list) > 0 && list[len(list)-1] == noBlob {
			list = list[:len(list)-1] // the last version with text is compared
		}
		if versions[name] = list; len(list) > 1 {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(versions[b]), len(versions[a])), cmp.Compare(a, b))
	})
	var out [][]string
	for _, name := range names {
		out = append(out, versions[name])
	}
	return out
}

// compareSite compares the pages of the history in a bundle.
func compareSite(t *testing.T, bundle string, unit Unit, flags []string, sum *tally) {
	t.Helper()
	site := gitRepo{t, t.TempDir()}
	site.run(nil, "clone", "-q", "--bare", bundle, ".")
	derived := gitRepo{t, t.TempDir()}
	derived.run(nil, "init", "-q", "--bare", ".")
	var stream bytes.Buffer
	var last [][]Piece // of each page
	for i, blobs := range site.histories() {
		if i == *gitPages {
			break
		}
		if i%*gitEvery == *gitEvery-1 {
			last = append(last, follow(t, site, blobs, unit, len(last), &stream))
		}
	}
	derived.run(&stream, "fast-import", "--quiet")
	for n, pieces := range last {
		if len(pieces) == 0 {
			continue
		}
		sum.pages++
		compare(pieces, derived.blame(n, flags), derived.blame(n, slices.Concat(flags, []string{"-M3"})), sum)
	}
}

// follow reads the versions of page n and writes the derived history to stream, as
// the branch of the page's number, for git fast-import. It returns the pieces of the
// last version. The time of a version is its number.
func follow(t *testing.T, site gitRepo, blobs []string, unit Unit, n int, stream *bytes.Buffer) []Piece {
	t.Helper()
	page := Page{Unit: unit}
	var history life.History
	at := 0
	add := func(v life.Version) {
		v.Time = record.Time(at) * 1000
		r := history.Add(v)
		page.Add(VersionOf(r, v.Time-1000))
		var text bytes.Buffer
		for _, p := range pieces(&page) {
			fmt.Fprintf(&text, "%s\n", p.Word)
		}
		message := strconv.Itoa(at)
		fmt.Fprintf(stream, "commit refs/heads/p%d\ncommitter t <t@t> %d +0000\ndata %d\n%s\n", n, at, len(message), message)
		fmt.Fprintf(stream, "M 100644 inline page\ndata %d\n%s\n", text.Len(), text.Bytes())
		at++
	}
	var present []string
	for _, b := range blobs {
		if b != noBlob {
			present = append(present, b)
		}
	}
	next := 0
	gone := func() {
		for next < len(blobs) && blobs[next] == noBlob {
			add(life.Version{Kind: record.KindMissing})
			next++
		}
	}
	site.bodies(present, func(i int, body []byte) {
		gone()
		v := life.Version{Kind: record.KindPage, Size: int64(len(body))}
		v.Body, _ = divide.Open(body, divide.As{Mime: "text/html", ContentType: "text/html; charset=utf-8"}, divide.Options{})
		add(v)
		next++
	})
	gone()
	return pieces(&page)
}

// pieces returns the pieces of the page that have words.
func pieces(p *Page) (out []Piece) {
	for _, l := range p.Leaves() {
		for i := range l.Pieces {
			if l.Pieces[i].HasWord() {
				out = append(out, l.Pieces[i])
			}
		}
	}
	return out
}

// blame returns the number of the version that git names for each line of page n.
func (g gitRepo) blame(n int, flags []string) []int {
	g.t.Helper()
	args := append(append([]string{"blame", "--porcelain"}, flags...), fmt.Sprintf("refs/heads/p%d", n), "--", "page")
	number := make(map[string]int)
	var out []int
	commit := ""
	for line := range strings.Lines(string(g.run(nil, args...))) {
		switch f := strings.Fields(line); {
		case strings.HasPrefix(line, "\t"):
			out = append(out, number[commit])
		case len(f) > 2 && len(f[0]) == 40:
			commit = f[0]
		case len(f) == 2 && f[0] == "summary":
			n, err := strconv.Atoi(f[1])
			if err != nil {
				g.t.Fatal(err)
			}
			number[commit] = n
		}
	}
	return out
}

// compare adds to sum how many pieces have the version that git names, and why
// others do not. moved has the versions that git names if it follows text of three
// letters or more that moves within the page.
func compare(pieces []Piece, git, moved []int, sum *tally) {
	if len(pieces) != len(git) {
		sum.all += len(pieces)
		sum.reasons["lines missing in git"] += len(pieces)
		return
	}
	places := make(map[string][]int) // for each word, the versions that git names
	for i := range pieces {
		places[pieces[i].Word] = append(places[pieces[i].Word], git[i])
	}
	for i := range pieces {
		sum.all++
		ours := int(pieces[i].Last.Time / 1000)
		switch {
		case slices.Contains(places[pieces[i].Word], ours):
			sum.equal++
		case ours == moved[i]:
			sum.reasons["moved within the page, which git finds with -M3"]++
		case ours < git[i]:
			sum.reasons["older here: a block kept its identity, or a moved text its age"]++
		default:
			sum.reasons["newer here: git takes single words, or short lines, of other blocks as the same"]++
		}
	}
}
