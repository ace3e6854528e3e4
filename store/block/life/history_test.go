package life

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/block/divide"
	"infomall/store/page/markup"
	"infomall/store/page/pagetest"
	"infomall/store/record"
	"infomall/store/record/message"
)

// firstTime is when the histories of the tests begin; each version comes a day
// after the one before.
const (
	firstTime record.Time = 1212307200000 // 2008-06-01T08:00:00Z
	aDay      record.Time = 24 * 60 * 60 * 1000
)

// version makes a version of a body that came with that Content-Type.
func version(day int, kind record.Kind, contentType, body string) Version {
	v := Version{
		Time:   firstTime + record.Time(day)*aDay,
		Kind:   kind,
		Digest: sha256.Sum256([]byte(body)),
		Size:   int64(len(body)),
	}
	v.Body, _ = divide.Open([]byte(body), divide.As{Mime: message.Mime(contentType), ContentType: contentType}, divide.Options{})
	return v
}

func htmlVersion(day int, body string) Version {
	return version(day, record.KindPage, pagetest.HTMLType, body)
}

// outline makes a version of a page whose leaves are the lines of body; the
// lines between "(" and ")" are leaves of a block.
func outline(day int, body string) Version {
	v := htmlVersion(day, body)
	tree := &divide.Tree{Page: markup.NewPlainTree([]byte(body)), Blocks: []divide.Block{{End: len(body)}}}
	open, at := 0, 0
	for line := range strings.Lines(body) {
		end := at + len(line)
		switch text := strings.TrimSuffix(line, "\n"); text {
		case "(":
			tree.Blocks = append(tree.Blocks, divide.Block{Start: at, Parent: open, Depth: tree.Blocks[open].Depth + 1})
			open = len(tree.Blocks) - 1
		case ")":
			tree.Blocks[open].End, tree.Blocks[open].Next = end, len(tree.Blocks)
			open = tree.Blocks[open].Parent
		default:
			n := len(tree.Blocks)
			tree.Blocks = append(tree.Blocks, divide.Block{Start: at, End: at + len(text), Parent: open, Next: n + 1, Depth: tree.Blocks[open].Depth + 1})
		}
		at = end
	}
	tree.Blocks[0].Next = len(tree.Blocks)
	for n := range tree.Blocks {
		for i, c := range tree.Children(n) {
			path := strconv.Itoa(i + 1)
			if n > 0 {
				path = tree.Blocks[n].Path + "." + path
			}
			tree.Blocks[c].Path = path
		}
	}
	v.Body = &divide.Body{Tree: tree, Charset: "utf-8"}
	return v
}

// printChanges lists what became of the leaves, but for those that are the same.
func printChanges(r *Revision, changes []Match) string {
	var out []string
	for _, m := range changes {
		switch m.Op {
		case Same:
		case Removed:
			out = append(out, "removed "+r.Before.Life[m.Old].Identity())
		default:
			out = append(out, m.Op.String()+" "+r.Life[m.New].Identity())
		}
	}
	return strings.Join(out, ", ")
}

// TestHistory follows pages through a few versions: what is the same keeps its
// identity, and what comes back gets another.
func TestHistory(t *testing.T) {
	a, b, c, d := "alpha choir sings\n", "beta school learns\n", "gamma river flows\n", "delta market sells\n"
	tests := []struct {
		name     string
		level    int
		versions []Version
		want     []string // changes of each version but the first
	}{
		{"added on top", 0, []Version{outline(0, a+b+c), outline(1, d+a+b+c)}, []string{"added 20080602T080000-1"}},
		{"removed and back", 0, []Version{outline(0, a+b+c), outline(1, a+c), outline(2, a+b+c)},
			[]string{"removed 20080601T080000-2", "added 20080603T080000-2"}},
		{"edited keeps its name", 0, []Version{outline(0, a+b+c), outline(1, a+"beta school teaches\n"+c), outline(2, a+"beta school closes\n"+c)},
			[]string{"edited 20080601T080000-2", "edited 20080601T080000-2"}},
		{"moved", 0, []Version{outline(0, a+b+c+d), outline(1, b+c+d+a)}, []string{"moved 20080601T080000-1"}},
		{"only layout", 0, []Version{outline(0, a+b+c), outline(1, a+"("+"\n"+b+c+")\n")}, []string{""}},
		{"edited inside", 1, []Version{outline(0, "(\n"+a+b+")\n"+c), outline(1, "(\n"+a+"beta school teaches\n)\n"+c)},
			[]string{"edited 20080601T080000-1"}},
		{"added inside", 1, []Version{outline(0, "(\n"+a+b+")\n"+c), outline(1, "(\n"+a+d+b+")\n"+c)},
			[]string{"edited 20080601T080000-1"}},
		{"removed inside", 1, []Version{outline(0, "(\n"+a+b+")\n"+c), outline(1, "(\n"+b+")\n"+c)},
			[]string{"edited 20080601T080000-1"}},
		{"removed as a whole", 1, []Version{outline(0, "(\n"+a+b+")\n"+c), outline(1, c)},
			[]string{"removed 20080601T080000-1"}},
		{"from one block to another", 1, []Version{outline(0, "(\n"+a+b+")\n(\n"+c+d+")\n"), outline(1, "(\n"+a+")\n(\n"+b+c+d+")\n")},
			[]string{"moved 20080601T080000-1, moved 20080601T080000-4"}},
		{"wrapped", 1, []Version{outline(0, a+b+c), outline(1, a+"(\n"+b+c+")\n"), outline(2, a+"(\n"+c+b+")\n")},
			[]string{"moved 20080601T080000-2", "moved 20080601T080000-2"}},
		{"one becomes two", 1, []Version{outline(0, a+b+c), outline(1, a+"(\nbeta school learns\n"+d+")\n"+c), outline(2, a+"(\n"+d+")\n"+c)},
			[]string{"edited 20080601T080000-2", "edited 20080601T080000-2"}},
		{"gone and back", 0, []Version{htmlVersion(0, "<p>one"), version(1, record.KindMissing, pagetest.HTMLType, "<p>no such page"), htmlVersion(2, "<p>one")},
			[]string{"removed 20080601T080000-1", "added 20080603T080000-1"}},
		{"missing pages differ", 0, []Version{version(0, record.KindMissing, pagetest.HTMLType, "<p>one"), version(1, record.KindMissing, pagetest.HTMLType, "<p>two")},
			[]string{"edited 20080601T080000-1"}},
		{"from error to missing", 0, []Version{version(0, record.KindError, pagetest.HTMLType, "<p>one"), version(1, record.KindMissing, pagetest.HTMLType, "<p>two")},
			[]string{"edited 20080601T080000-1"}},
		{"images", 0, []Version{version(0, record.KindPage, "image/gif", "GIF89a1"), version(1, record.KindPage, "image/gif", "GIF89a2")},
			[]string{"edited 20080601T080000-1"}},
		{"nothing shown", 0, []Version{htmlVersion(0, "<br>"), htmlVersion(1, "<br><br>")},
			[]string{"edited 20080601T080000-1"}},
		{"from empty", 0, []Version{htmlVersion(0, ""), htmlVersion(1, "<p>one"), htmlVersion(2, "")},
			[]string{"added 20080602T080000-1", "removed 20080602T080000-1"}},
		{"page to image", 0, []Version{htmlVersion(0, "<p>one"), version(1, record.KindPage, "image/gif", "GIF89a1")},
			[]string{"added 20080602T080000-1, removed 20080601T080000-1"}},
		{"two at one moment", 0, []Version{htmlVersion(0, "<p>one"), htmlVersion(0, "<p>two"), htmlVersion(1, "<p>three")},
			[]string{"added 20080601T080000+1-1, removed 20080601T080000-1", "added 20080602T080000-1, removed 20080601T080000+1-1"}},
	}
	for _, tt := range tests {
		var h History
		for i, v := range tt.versions {
			r := h.Add(v)
			if i == 0 {
				if n := len(r.Leaves()); n > 0 {
					t.Errorf("%s: got %d changes in the first version, want none", tt.name, n)
				}
				continue
			}
			if got := printChanges(r, r.Changes(tt.level)); got != tt.want[i-1] {
				t.Errorf("%s, version %d: got %q, want %q", tt.name, i+1, got, tt.want[i-1])
			}
		}
	}
}

// TestHistoryOfPaper shows what the published example says: five days later only
// CC2 to CC6 differ, and each level tells so in its own terms.
func TestHistoryOfPaper(t *testing.T) {
	before, after := pagetest.Paper()
	open := func(day int, body string) Version {
		v := htmlVersion(day, body)
		v.Body, _ = divide.Open([]byte(body), divide.As{Mime: "text/html", ContentType: ""}, divide.Options{Profile: divide.Classic})
		return v
	}
	var h History
	h.Add(open(0, before))
	r := h.Add(open(5, after))
	for level, want := range []string{
		0: "C.C.2 C.C.3 C.C.4 C.C.5 C.C.6",
		1: "C",
		2: "C.C",
		3: "C.C.2 C.C.3 C.C.4 C.C.5 C.C.6",
	} {
		var got []string
		for _, m := range r.Changes(level) {
			if m.Op == Edited || m.Op == Added {
				got = append(got, r.Tree.Blocks[m.New].Path)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("level %d: got %q, want %q", level, got, want)
		}
	}
}

// drawNumber draws numbers for package pagetest.
func drawNumber(t *rapid.T) pagetest.Draw {
	return func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "n") }
}

func drawnPage(t *rapid.T) string { return pagetest.Edited(drawNumber(t)) }

// drawLife draws the versions of a page, of which two and two have the same time.
func drawLife(t *rapid.T) []Version {
	pool := rapid.SliceOfN(rapid.Custom(drawnPage), 1, 4).Draw(t, "pages")
	out := make([]Version, rapid.IntRange(2, 6).Draw(t, "versions"))
	for i := range out {
		kind := rapid.SampledFrom([]record.Kind{record.KindPage, record.KindPage, record.KindPage, record.KindMissing}).Draw(t, "kind")
		body := pagetest.Mutate(drawNumber(t), rapid.SampledFrom(pool).Draw(t, "page"))
		contentType := rapid.SampledFrom([]string{pagetest.HTMLType, pagetest.HTMLType, pagetest.HTMLType, "text/plain", "image/gif"}).Draw(t, "type")
		out[i] = version(i/2, kind, contentType, body)
	}
	return out
}

// TestHistoryAgrees draws lives of pages and shows at every version what History
// promises: LayoutOnly says of two pages whether there is a block at any level,
// and so at all, that was added, edited or removed; each cut accounts for all
// blocks of both versions; identities are unique in every cut, and those of
// blocks paired as leaves go on.
func TestHistoryAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h History
		seen := map[string]record.Time{}
		var before Version
		for day, v := range drawLife(t) {
			r := h.Add(v)
			if r.Before != nil && v.Kind == record.KindPage && before.Kind == record.KindPage {
				want := sameBlocks(digestsOf(r.Before), digestsOf(r))
				if got := !changed(r, 0); got != want {
					t.Fatalf("version %d: changes say layout only %v, digests %v", day, got, want)
				}
			}
			for level := range r.Tree.Level() + 2 {
				checkCut(t, r, level)
			}
			if r.sameShape() {
				traced := *r
				if got := traced.trace(); !slices.Equal(got[1:], r.Life[1:]) {
					t.Fatalf("version %d: the lives of blocks in the same places are %v, traced %v", day, r.Life, got)
				}
			}
			for _, l := range r.Life[1:] {
				if at, ok := seen[l.Identity()]; ok && at != l.FirstSeen {
					t.Fatalf("version %d: %s first seen %d, before it was %d", day, l.Identity(), l.FirstSeen, at)
				}
				seen[l.Identity()] = l.FirstSeen
			}
			before = v
		}
	})
}

func digestsOf(r *Revision) (digests []record.Digest) {
	for _, l := range r.Made {
		digests = append(digests, l.Digest)
	}
	return digests
}

// changed reports whether a cut has a block that was added, edited or removed.
func changed(r *Revision, level int) bool {
	for _, m := range r.Changes(level) {
		if m.Op >= Edited {
			return true
		}
	}
	return false
}

func checkCut(t *rapid.T, r *Revision, level int) {
	names := map[string]bool{}
	for _, n := range r.Tree.Cut(level) {
		id := r.Life[n].Identity()
		if id == "" || names[id] {
			t.Fatalf("level %d: identity %q of block %d is empty or stands twice", level, id, n)
		}
		names[id] = true
	}
	if got, want := changed(r, level), changed(r, 0); got != want {
		t.Fatalf("level %d: changed %v, leaves %v", level, got, want)
	}
	if len(r.Leaves()) == 0 || r.Hidden() {
		return
	}
	var got []int
	for _, m := range r.Changes(level) {
		if m.New >= 0 {
			got = append(got, m.New)
		}
		if m.Op <= Moved && level == 0 && r.digest(m.New) != r.Before.digest(m.Old) {
			t.Fatalf("%s block %d differs", m.Op, m.New)
		}
		if m.Similarity < 0 || m.Similarity > 1 {
			t.Fatalf("level %d: block %d is alike by %v", level, m.New, m.Similarity)
		}
	}
	if want := r.Tree.Cut(level); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("level %d: changes tell of blocks %v, want %v", level, got, want)
	}
}

// TestLayoutOnly shows what counts as layout.
func TestLayoutOnly(t *testing.T) {
	item := func(name string) string {
		return "<div><h2>" + name + "</h2><p>" + strings.Repeat(name+" is in the paper again. ", 20) + "</p></div>\n"
	}
	before := item("Alpha choir") + item("Beta school") + item("Gamma river") + "</body></html>"
	head := "<html><head><meta name=date content=1></head><body>\n"
	whole := head + before
	tests := []struct {
		name, old, new, contentType string
		want                        bool
	}{
		{"equal", whole, whole, pagetest.HTMLType, true},
		{"the head", whole, strings.Replace(whole, "content=1", "content=2", 1), pagetest.HTMLType, true},
		{"blocks in another order", whole, head + item("Gamma river") + item("Alpha choir") + item("Beta school") + "</body></html>", pagetest.HTMLType, true},
		{"another word", whole, strings.Replace(whole, "Beta", "Eta", 1), pagetest.HTMLType, false},
		{"one more", whole, head + item("Gamma river") + before, pagetest.HTMLType, false},
		{"images", "GIF89a1", "GIF89a2", "image/gif", false},
		{"nothing shown", "<br>", "<br><br>", pagetest.HTMLType, false},
		{"emptied", whole, "", pagetest.HTMLType, false},
	}
	for _, tt := range tests {
		if got := LayoutOnly([]byte(tt.old), []byte(tt.new), tt.contentType, tt.contentType); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}
