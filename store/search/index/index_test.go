package index

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/block/facts"
	"infomall/store/block/label"
	"infomall/store/disk"
	"infomall/store/memo"
	"infomall/store/segment"
	"infomall/store/urlkey"
	"infomall/store/words/match"
)

var (
	utf8Markup = Reading{Charset: "utf-8"}
	latin      = Reading{Charset: "windows-1252"}
	utf8Plain  = Reading{Charset: "utf-8", Plain: true}
)

// questions cover words, phrases, letters without blanks, prefixes, stems, NEAR and exact
// letters.
var questions = []string{"kafka", "北", "the topic", `"the topic"`, "北京", "京大", "top*", "k*", "NEAR(kafka topic, 3)", `="Kafka"`, "kafka -topic", "kafka OR 北", "v2.1", "~topics"}

var phrases = []string{"Kafka", "the topic", "kafka the topic of", "北京大学", "京 大", "v2.1", "topics, topology", "…", "", "caf\u00e9"}

// made is an index in a file, and what it was made from.
type made struct {
	file  *File
	runs  [][]blockOf // of all segments, one after the other
	pages [][]Page    // of each run; nil if it is lost
	// leaves has the leaves of each page of each run.
	leaves [][][]segment.Span
	// targets has the targets of each capture of each run; nil if they are not known.
	targets [][][]string
}

// blockOf is a block of a run in a test.
type blockOf struct {
	text    map[Reading]string
	anchors []string
	neutral bool
	skip    bool
}

// kept is a cache that the indexes of all tests share. They have the same name, and what is
// kept of one must not be taken for another.
var kept = memo.New(4 << 20)

// draw makes an index of drawn segments.
func draw(t *rapid.T, dir string) made {
	var m made
	var b bytes.Buffer
	w, err := NewBuilder(&b)
	if err != nil {
		t.Fatal(err)
	}
	text := func(what string) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(phrases), 0, 4).Draw(t, what), " ")
	}
	for number := range uint32(rapid.IntRange(1, 3).Draw(t, "segments")) {
		w.Begin(number, Name{Number: number + 7, Bytes: 100, CRC: 3})
		for run := range rapid.Uint32Range(0, 4).Draw(t, "runs") {
			readings := rapid.SliceOfNDistinct(rapid.SampledFrom([]Reading{utf8Markup, latin, utf8Plain}), 0, 3, rapid.ID).Draw(t, "readings")
			s := Source{Number: run}
			for _, r := range readings {
				s.Pages = append(s.Pages, Page{Kind: PageOwn, Reading: r, Title: text("title"), Cut: []facts.OutlineBlock{{Leaves: 2, Label: label.Nav}}, Print: rapid.Uint64().Draw(t, "print"), Printed: true})
			}
			s.Pages = append(s.Pages, Page{Kind: PageNone}, Page{Kind: PageUnknown}, Page{Kind: PageHeld, Reading: utf8Markup, Holder: Holder{segment.RunRef{Segment: 1, Run: 2}, 3}})
			s.Pages = append(s.Pages, Page{Kind: PageSame, Same: uint32(len(s.Pages) - 1)}, Page{Kind: PageEmpty})
			for i := range s.Pages {
				s.Leaves = append(s.Leaves, nil)
				if s.Pages[i].HasLeaves() {
					s.Leaves[i] = rapid.SliceOfN(rapid.Custom(drawSpan), 0, 3).Draw(t, "leaves")
				}
			}
			targets := make([][]string, len(s.Pages))
			for i := range targets {
				if rapid.IntRange(0, 5).Draw(t, "known") > 0 {
					targets[i] = append([]string{}, rapid.SliceOfN(rapid.SampledFrom(targetKeys), 0, 3).Draw(t, "targets")...)
				}
			}
			s.Targets = func(i int) ([]string, bool) { return targets[i], targets[i] != nil }
			var run []blockOf
			for range rapid.IntRange(0, 5).Draw(t, "blocks") {
				c := blockOf{text: make(map[Reading]string), neutral: rapid.Bool().Draw(t, "neutral"), skip: rapid.IntRange(0, 5).Draw(t, "skip") == 0}
				same := text("text")
				for _, r := range []Reading{utf8Markup, latin, utf8Plain} {
					if c.text[r] = same; !c.neutral || r.Plain {
						c.text[r] = text("text") // markup is read as it stands if it counts as plain text
					}
				}
				switch rapid.IntRange(0, 2).Draw(t, "links") {
				case 1:
					c.anchors = []string{same}
				case 2:
					c.anchors = []string{text("anchor"), text("anchor")}
				}
				run = append(run, c)
			}
			s.Blocks = len(run)
			s.Read = func(n int, as Reading) (string, []string) { return run[n].text[as], run[n].anchors }
			s.Neutral = func(n int) bool { return run[n].neutral }
			s.Skip = func(n int) bool { return run[n].skip }
			if rapid.IntRange(0, 9).Draw(t, "lost") == 0 {
				w.AddLost()
				run, s.Pages, s.Leaves, targets = nil, nil, nil, nil
			} else if err := w.AddRun(&s); err != nil {
				t.Fatal(err)
			}
			m.runs, m.pages, m.leaves = append(m.runs, run), append(m.pages, s.Pages), append(m.leaves, s.Leaves)
			m.targets = append(m.targets, targets)
			if rapid.IntRange(0, 5).Draw(t, "part") == 0 {
				w.endPart()
			}
			if rapid.IntRange(0, 3).Draw(t, "users") == 0 {
				w.endUsers()
			}
			if rapid.IntRange(0, 3).Draw(t, "end of pages") == 0 {
				w.endPages()
			}
			if rapid.IntRange(0, 3).Draw(t, "end of targets") == 0 {
				w.endTargets()
			}
			if rapid.IntRange(0, 3).Draw(t, "end of shapes") == 0 {
				w.endShapes()
			}
		}
	}
	if err := w.Finish(func(id uint32) uint32 { return id + 7 }); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "x"), b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if m.file, err = Open(disk.Inside(disk.OS, dir), "x", kept); err != nil {
		t.Fatal(err)
	}
	return m
}

// targetKeys are keys of URLs. The last ones fill several blocks.
var targetKeys = func() []string {
	keys := []string{"cn.a /", "cn.a /b", "cn.a /b?c", "cn.b /"}
	for n := range 3 {
		keys = append(keys, fmt.Sprintf("com.%d /%s", n, strings.Repeat("x", blockBytes/2)))
	}
	return keys
}()

// TestLinking compares which captures link to some URLs by an index with the targets of
// each.
func TestLinking(t *testing.T) {
	dir := t.TempDir()
	found := 0
	rapid.Check(t, func(rt *rapid.T) {
		m := draw(rt, dir)
		var ranges []urlkey.Range
		for _, key := range targetKeys {
			if rapid.Bool().Draw(rt, "asked") {
				ranges = append(ranges, urlkey.Range{From: key, To: key + "\x00"})
			}
		}
		if rapid.IntRange(0, 3).Draw(rt, "more") == 0 {
			ranges = []urlkey.Range{{From: "cn.a /b", To: rapid.SampledFrom([]string{"", "cn.b", "com.1"}).Draw(rt, "to")}}
		}
		want := make(map[[2]int]bool)
		for run, list := range m.targets {
			for i, keys := range list {
				asked := slices.ContainsFunc(keys, func(key string) bool {
					return slices.ContainsFunc(ranges, func(r urlkey.Range) bool { return r.Contains(key) })
				})
				if keys == nil || asked {
					want[[2]int{run, i}] = true
				}
			}
		}
		got := make(map[[2]int]bool)
		if err := m.file.Linking(context.Background(), ranges, func(run, n uint32) { got[[2]int{int(run), int(n)}] = true }); err != nil {
			rt.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			rt.Fatalf("%v link to %q, want %v", got, ranges, want)
		}
		found += len(got)
	})
	if found == 0 {
		t.Error("no capture links")
	}
}

// drawSpan draws leaves of a page.
func drawSpan(t *rapid.T) segment.Span {
	ref := segment.RunRef{Segment: rapid.Uint32Range(0, 2).Draw(t, "segment"), Run: rapid.Uint32Range(0, 1).Draw(t, "run")}
	return segment.Span{BlockRef: segment.BlockRef{Segment: ref.Segment, Run: ref.Run, N: rapid.Uint32Range(0, 4).Draw(t, "leaf")}, Count: rapid.Uint32Range(1, 3).Draw(t, "count")}
}

// TestUsers compares what a question finds in the leaves of each capture, by the users of
// the leaves, with what it finds in the texts of these leaves. It also shows that UsedLeaf.Most and
// Page.Terms bound how often a page has a word and how many words it has.
func TestUsers(t *testing.T) {
	dir := t.TempDir()
	found, documents, shared, repeated, allTerms := 0, 0, 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		m := draw(rt, dir)
		text := func(ref segment.RunRef, n uint32, as Reading) string {
			for _, g := range m.file.Segments {
				if g.Number == ref.Segment+7 && ref.Run < g.Runs && int(n) < len(m.runs[g.First+ref.Run]) {
					return m.runs[g.First+ref.Run][n].text[as]
				}
			}
			return ""
		}
		for _, question := range questions {
			q, err := match.Parse(question)
			if err != nil {
				rt.Fatal(err)
			}
			h, err := m.file.Find(context.Background(), q, q.Parts(), true, func(run, block uint32, as Reading) (string, error) { return m.runs[run][block].text[as], nil })
			if err != nil {
				rt.Fatal(err)
			}
			noted, err := m.file.Find(context.Background(), q, q.Parts(), false, func(run, block uint32, as Reading) (string, error) { return m.runs[run][block].text[as], nil })
			if err != nil {
				rt.Fatal(err)
			}
			if _, ok := q.OneWord(); ok != (noted.one != nil) {
				rt.Fatalf("%s is one word: %t, but its documents were noted: %t", question, ok, noted.one != nil)
			}
			if !slices.Equal(noted.some, h.some) || noted.Len() != h.Len() {
				rt.Fatalf("%s is in the documents %b, want %b", question, noted.some, h.some)
			}
			for n := 0; n < len(m.pages); {
				b := m.file.UsersOf(uint32(n))
				u, err := m.file.ReadUsers(b)
				if err != nil {
					rt.Fatal(err)
				}
				got, most := make([]match.Sum, b.Captures), make([]int32, b.Captures) // most: of the first atom
				add := func(used *UsedLeaves, n uint32, p *match.Part) {
					list := []Captures{{Count: 1}}
					var one bool
					if list[0].From, one = used.Only(n); !one {
						list = u.List(used.List())
					}
					for _, c := range list {
						for i := range c.Count {
							got[c.From+i].Add(p)
							if p.Counts != nil {
								most[c.From+i] += p.Counts[0] * int32(used.Most)
							}
						}
					}
				}
				for _, used := range u.Documents {
					shared += int(used.Count) - 1
					for n := used.N; n < used.N+used.Count; n++ {
						if documents++; h.Part(int(n)) != nil {
							add(&used, n, h.Part(int(n)))
						}
					}
				}
				for i, named := range b.Named {
					for _, used := range u.Leaves[i] {
						for n := used.N; n < used.N+used.Count; n++ {
							add(&used, n, q.Part(text(named.RunRef, n, m.file.Readings[named.Reading])))
						}
					}
				}
				for n = b.First; n < b.End; n++ {
					for i, p := range m.pages[n] {
						at := i
						if p.Kind == PageSame {
							at = int(p.Same)
						}
						var want match.Sum
						count, terms := int32(0), 0
						for _, s := range m.leaves[n][at] {
							for k := range s.Count {
								part := q.Part(text(segment.RunRef{Segment: s.Segment, Run: s.Run}, s.N+k, m.pages[n][at].Reading))
								want.Add(part)
								if terms += int(part.Terms); part.Counts != nil {
									count += part.Counts[0]
								}
							}
						}
						if got[0] != want {
							rt.Fatalf("%s in capture %d of run %d: %+v, want %+v", question, i, n, got[0], want)
						}
						if most[0] < count {
							rt.Fatalf("%s is in capture %d of run %d at most %d times, want %d", question, i, n, most[0], count)
						}
						if p := &m.pages[n][at]; p.Terms > terms {
							rt.Fatalf("capture %d of run %d has %d terms or more, want %d", i, n, p.Terms, terms)
						} else if p.Terms == terms {
							allTerms += terms
						}
						if !want.None() {
							found++
						}
						if most[0] == count && count > 1 {
							repeated++
						}
						got, most = got[1:], most[1:]
					}
				}
			}
		}
	})
	if found == 0 || documents == 0 || shared == 0 || repeated == 0 || allTerms == 0 {
		t.Errorf("something is found in %d captures, by %d documents, of which %d have no element of their own; the count of %d is exact, and %d terms are counted", found, documents, shared, repeated, allTerms)
	}
}

// TestIndex compares what an index says of each block with what the text of the block says.
func TestIndex(t *testing.T) {
	dir := t.TempDir()
	known, linked := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		m := draw(rt, dir)
		if err := m.file.Check(context.Background()); err != nil {
			rt.Fatal(err)
		}
		for n, want := range m.pages {
			pages, first, err := m.file.PagesOf(uint32(n))
			if err != nil {
				rt.Fatal(err)
			}
			got := make([]Page, pages.Len(n-int(first)))
			for i := range got {
				got[i] = pages.Page(n-int(first), i)
			}
			if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
				rt.Fatalf("the pages of run %d are %+v, want %+v", n, got, want)
			}
		}
		for _, question := range questions {
			q, err := match.Parse(question)
			if err != nil {
				rt.Fatal(err)
			}
			h, err := m.file.Find(context.Background(), q, q.Parts(), true, func(run, block uint32, as Reading) (string, error) { return m.runs[run][block].text[as], nil })
			if err != nil {
				rt.Fatal(err)
			}
			for n, run := range m.runs {
				any := m.file.Any(h, uint32(n))
				for _, as := range []Reading{utf8Markup, latin, utf8Plain} {
					leaves, err := m.file.Matches(q, h, uint32(n), as)
					if err != nil {
						rt.Fatal(err)
					}
					checkSums(rt, leaves, len(q.Atoms()))
					for b, c := range run {
						l, want := Leaf{}, q.Part(c.text[as])
						if b < leaves.Len() {
							l = leaves.Leaf(b)
						}
						if l.Part == nil {
							if !c.skip && m.file.Knows(uint32(n), as) {
								rt.Fatalf("%s: block %d of run %d is not known in %v", question, b, n, as)
							}
							continue
						}
						known++
						if !reflect.DeepEqual(l.Part, want) {
							rt.Fatalf("%s in %q: %+v, want %+v", question, c.text[as], l.Part, want)
						}
						if !want.Plain() && !any {
							rt.Fatalf("%s: the question is said to find nothing in run %d, which has %q", question, n, c.text[as])
						}
						if !l.Links || want.Counts == nil {
							continue
						}
						counts := make([]int, len(q.Atoms()))
						for _, a := range c.anchors {
							q.Count(a, counts)
						}
						for a, count := range counts {
							got := 0
							if l.Linked != nil {
								got = int(l.Linked[a])
							}
							if linked += got; got != count {
								rt.Fatalf("%s: the links %q of %q have atom %d %d times, want %d", question, c.anchors, c.text[as], a, got, count)
							}
						}
					}
				}
			}
		}
	})
	if known == 0 || linked == 0 {
		t.Errorf("%d blocks are known, and %d words in links", known, linked)
	}
}

// sample is an index in bytes.
func sample(t testing.TB) []byte {
	var b bytes.Buffer
	w, err := NewBuilder(&b)
	if err != nil {
		t.Fatal(err)
	}
	w.Begin(7, Name{Number: 7, Bytes: 100, CRC: 3})
	s := Source{
		Blocks: 3, Neutral: func(n int) bool { return n > 0 }, Skip: func(n int) bool { return n == 2 },
		Read: func(n int, as Reading) (string, []string) {
			return fmt.Sprint("kafka topic 北京 ", n), []string{"topic", "kafka"}
		},
		Targets: func(i int) ([]string, bool) { return []string{"cn.a /", fmt.Sprint("cn.b /", i)}, i < 2 },
		Pages:   []Page{{Kind: PageOwn, Reading: utf8Markup, Title: "a title", Cut: []facts.OutlineBlock{{Leaves: 1}}}, {Kind: PageOwn, Reading: latin}, {Kind: PageNone}},
		Leaves:  [][]segment.Span{{{BlockRef: segment.BlockRef{Segment: 7}, Count: 2}}, {{BlockRef: segment.BlockRef{Segment: 7, N: 1}, Count: 1}}, nil},
	}
	for range 3 {
		if err := w.AddRun(&s); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(func(uint32) uint32 { return 7 }); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// readAll reads all of an index, and asks it.
func readAll(b []byte) (string, error) {
	f, err := newFile("x", memory(b), int64(len(b)), func() error { return nil }, nil)
	if err != nil {
		return "", err
	}
	said := fmt.Sprint(f.Segments, f.Readings, f.Others)
	for _, question := range []string{"kafka topic", "to*", "京"} {
		q, err := match.Parse(question)
		if err != nil {
			return "", err
		}
		h, err := f.Find(context.Background(), q, q.Parts(), true, nil)
		if err != nil {
			return "", err
		}
		err = f.Linking(context.Background(), []urlkey.Range{{From: "cn.b"}}, func(run, n uint32) { said += fmt.Sprint(run, n) })
		if err != nil {
			return "", err
		}
		for i := range f.users {
			u, err := f.ReadUsers(&f.users[i])
			if err != nil {
				return "", err
			}
			said += fmt.Sprint(f.users[i], u)
		}
		for n := range f.Runs {
			pages, _, err := f.PagesOf(uint32(n))
			if err != nil {
				return "", err
			}
			leaves, err := f.Matches(q, h, uint32(n), utf8Markup)
			if err != nil {
				return "", err
			}
			said += fmt.Sprint(*pages, f.Runs[n])
			for n := range leaves.Len() {
				if l := leaves.Leaf(n); l.Part != nil {
					said += fmt.Sprint(*l.Part, l.Linked)
				}
			}
		}
	}
	return said, f.Check(context.Background())
}

// checkSums compares Next and Sum of m, for ranges of blocks that rt draws, with what the method
// Leaf says of each block. The query has this number of atoms.
func checkSums(rt *rapid.T, m *Matches, atoms int) {
	from := rapid.IntRange(0, m.Len()).Draw(rt, "from")
	to := rapid.IntRange(from, m.Len()).Draw(rt, "to")
	next, terms, read := to, 0, false
	counts, linked := make([]int, atoms), make([]int, atoms)
	for n := from; n < to; n++ {
		if next == to && m.Finds(n) {
			next = n
		}
		l := m.Leaf(n)
		if l.Part == nil {
			read = true
			continue
		}
		if !m.Finds(n) && !l.Part.Plain() {
			rt.Fatalf("the query is said to find nothing in block %d", n)
		}
		terms += int(l.Part.Terms)
		if l.Part.Counts == nil {
			continue
		}
		read = read || !l.Links
		for a := range atoms {
			counts[a] += int(l.Part.Counts[a])
			if l.Linked != nil {
				linked[a] += int(l.Linked[a])
			}
		}
	}
	if got := m.Next(from, to); got != next {
		rt.Fatalf("Next(%d, %d) is %d, want %d", from, to, got, next)
	}
	if from == to && m.Len() == 0 {
		return // a run without texts has no sums
	}
	for _, looked := range []int{from - to, m.Len()} { // Sum looks at each block, or adds up rows of m.sums
		m.looked = looked
		gotCounts, gotLinked := make([]int, atoms), make([]int, atoms)
		got, ok := m.Sum(from, to, gotCounts, gotLinked)
		if ok == read {
			rt.Fatalf("Sum(%d, %d) is known: %v, want %v", from, to, ok, !read)
		}
		if ok && (got != terms || !slices.Equal(gotCounts, counts) || !slices.Equal(gotLinked, linked)) {
			rt.Fatalf("Sum(%d, %d) is %d %v %v, want %d %v %v", from, to, got, gotCounts, gotLinked, terms, counts, linked)
		}
	}
}

// TestDamage changes each byte of an index, and cuts it at each place. It is then refused,
// or says the same as before.
func TestDamage(t *testing.T) {
	whole := sample(t)
	want, err := readAll(whole)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(b []byte, what string, at int) {
		got, err := readAll(b)
		var fault *segment.Error
		switch {
		case err == nil && got != want:
			t.Errorf("%s byte %d: it says something else", what, at)
		case err != nil && !errors.Is(err, ErrOther) && !(errors.As(err, &fault) && fault.File == "x" && strings.Contains(err.Error(), "REINDEX SEARCH")):
			t.Errorf("%s byte %d: %v", what, at, err)
		}
	}
	for i := range whole {
		b := bytes.Clone(whole)
		b[i] ^= 0x40
		refused(b, "change of", i)
		refused(whole[:i], "cut before", i)
	}
	if _, err := readAll(whole[:len(whole)-1]); err == nil {
		t.Error("an index without its last byte is taken")
	}
}

// FuzzTable reads tables that are damaged but have a right checksum.
func FuzzTable(f *testing.F) {
	whole := sample(f)
	table, rest := tableOf(f, whole)
	f.Add(table)
	w, err := NewBuilder(&bytes.Buffer{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, table []byte) {
		_, _ = readAll(append(bytes.Clone(rest), w.endOf(table)...)) // it must not panic
	})
}

// tableOf returns the table of an index, decompressed, and what stands before it.
func tableOf(t testing.TB, b []byte) (table, rest []byte) {
	size := int(b[len(b)-8]) | int(b[len(b)-7])<<8
	from := len(b) - tailSize - size
	table, err := decoder().DecodeAll(b[from:][:size], nil)
	if err != nil {
		t.Fatal(err)
	}
	return table, b[:from]
}
