package store

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"testing"

	"infomall/store/block/divide"
	"infomall/store/block/facts"
	"infomall/store/block/life"
	"infomall/store/derive"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/segment"
)

// checkKept compares what is kept of every version with what its URL's whole
// history says. It gives how many folds are believed.
func checkKept(v *Snapshot) (believed int, err error) {
	ctx := context.Background()
	var h life.History
	key := ""
	scan := record.Scan{From: record.MinTime, To: record.MaxTime, Columns: record.ColChange | record.ColKind | record.ColDigest | record.ColSense}
	for b, err := range v.Scan(ctx, scan) {
		if err != nil {
			return 0, err
		}
		for i := range b.N {
			if b.Key[i] != key {
				h, key = life.History{}, b.Key[i]
			}
			if b.Change[i] == record.ChangeSame {
				continue
			}
			p, err := v.Payload(ctx, b.Ref[i])
			if err != nil {
				return 0, err
			}
			if p.NoBody != "" {
				continue
			}
			version := life.Version{Time: b.Time[i], Kind: b.Kind[i], Digest: b.Digest[i], Size: p.Size}
			var reading *facts.Reading
			if page, ok := divide.Open(p.Body, divide.AsOf(&p), divide.Options{}); ok {
				reading = facts.NewReader().Read(page)
				version.Body = page
			}
			rev := h.Add(version)
			if content := rev.Before == nil || rev.Sense(facts.KeptLevel).Substantial; b.Sense[i] != record.SenseUnknown && content != (b.Sense[i] == record.SenseContent) {
				return 0, fmt.Errorf("%s at %d: sense %d, but substantial is %v", b.URLs()[i], b.Time[i], b.Sense[i], content)
			}
			kept, err := v.Kept(ctx, b.Ref[i])
			if err != nil {
				return 0, err
			}
			if err := checkFacts(v, b.Ref[i], kept.Page, reading, &p); err != nil {
				return 0, fmt.Errorf("%s at %d: %w", b.URLs()[i], b.Time[i], err)
			}
			if kept.Fold == nil {
				continue
			}
			switch knew, err := v.Knew(ctx, b.Ref[i], b.Key[i], b.Time[i]); {
			case err != nil:
				return 0, err
			case !knew:
			case !bytes.Equal(kept.Fold, rev.AppendFold(nil, reading)):
				return 0, fmt.Errorf("%s at %d: a fold is believed that is not that of the history", b.URLs()[i], b.Time[i])
			default:
				believed++
			}
		}
	}
	return believed, nil
}

// knownSenses returns of how many versions the sense is known.
func knownSenses(t *testing.T, v *Snapshot) (known int) {
	t.Helper()
	for b, err := range v.Scan(context.Background(), record.Scan{From: record.MinTime, To: record.MaxTime, Columns: record.ColChange | record.ColSense}) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.N {
			if b.Change[i] != record.ChangeSame && b.Sense[i] != record.SenseUnknown {
				known++
			}
		}
	}
	return known
}

// checkFacts compares the facts of a page with the page.
func checkFacts(v *Snapshot, ref record.Ref, encoded []byte, r *facts.Reading, p *record.Payload) error {
	if encoded == nil {
		return nil
	}
	kept, err := facts.Read(encoded)
	if err != nil {
		return err
	}
	// Facts that were computed again may contain the facts of the leaves.
	if want := derive.NewReader().As(segment.ID{}, p.Body, divide.Sent(p.Head, p.Mime)).Facts; !kept.Inline() && !bytes.Equal(encoded, want) {
		return fmt.Errorf("facts %x, want %x", encoded, want)
	}
	var leaves [][]byte
	if !kept.Inline() {
		if leaves, err = v.LeafFacts(context.Background(), ref); err != nil {
			return err
		}
	}
	got, err := kept.Links(leaves)
	if err != nil {
		return fmt.Errorf("links of %d leaves: %w", len(leaves), err)
	}
	want := facts.Links(r.Body)
	for i := range want {
		want[i].Offset = 0
	}
	if len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
		return fmt.Errorf("links %+v, want %+v", got, want)
	}
	return nil
}

// storyOf is a page of stories, each a block with a link; one that ends in ! was
// edited.
func storyOf(names string) string {
	var b bytes.Buffer
	for _, n := range names {
		if n == '!' {
			fmt.Fprintf(&b, "<p>And then there was more to tell.</p>")
			continue
		}
		fmt.Fprintf(&b, "<h2>Story %c</h2><p>Of %c it is told, in more words than a heading has, that <a href=/%c>the rest</a> came later.</p>", n, n, n)
	}
	return b.String()
}

// TestKeptInOrder imports a history as it went, month by month: the folds of all
// versions are there, and believed.
func TestKeptInOrder(t *testing.T) {
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	bodies := []string{storyOf("abc"), storyOf("ab!c"), storyOf("xab!c"), storyOf("abc"), "", storyOf("ac")}
	for i, body := range bodies {
		var month []*visit
		for u := range 3 {
			month = append(month, &visit{
				url: fmt.Sprintf("http://www.example.com/%d", u), time: day0 + record.Time(i*25+u)*dayMillis, status: 200, body: body,
			})
		}
		put(t, a, month)
	}
	v, err := a.Snapshot(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	if got, err := checkKept(v); err != nil || got != 3*len(bodies) {
		t.Errorf("%d folds are believed, want %d: %v", got, 3*len(bodies), err)
	}
	if got := knownSenses(t, v); got != 3*len(bodies) {
		t.Errorf("%d senses are known, want %d", got, 3*len(bodies))
	}
}

// TestKeptThroughMerge imports a history month by month, merges and seals its
// pools, and copies the archive: what is kept of the versions goes along, and is
// believed as before.
func TestKeptThroughMerge(t *testing.T) {
	ctx := context.Background()
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	bodies := []string{storyOf("abc"), storyOf("ab!c"), storyOf("xab!c"), storyOf("abc"), storyOf("ac"), storyOf("bac")}
	for i, body := range bodies {
		put(t, a, []*visit{
			{url: "http://www.example.com/", time: day0 + record.Time(i*10)*dayMillis, status: 200, body: body},
			{url: "http://www.example.com/b", time: day0 + record.Time(i*10+1)*dayMillis, status: 200, body: body + "b"},
		})
	}
	check := func(what string, a *Archive) {
		t.Helper()
		v, err := a.Snapshot(ctx)
		if err != nil {
			t.Fatal(err)
		}
		defer v.Close()
		if got, err := checkKept(v); err != nil || got != 2*len(bodies) {
			t.Errorf("%s: %d folds are believed, want %d: %v", what, got, 2*len(bodies), err)
		}
		if got := knownSenses(t, v); got != 2*len(bodies) {
			t.Errorf("%s: %d senses are known, want %d", what, got, 2*len(bodies))
		}
	}
	check("imported", a)
	for _, seal := range []bool{false, true} {
		for _, pool := range poolNames(t, a) {
			if _, err := a.Merge(ctx, task.MergeOptions{Pools: []string{pool}, Seal: seal}); err != nil {
				t.Fatal(err)
			}
		}
		check(fmt.Sprintf("merged, sealed %v", seal), a)
	}
	b := openAt(filepath.Join(t.TempDir(), "copy"), Options{})
	defer b.Close()
	copyTo(t, a, place(b.Local()))
	check("copied", b)
}

// TestKeptOutOfOrder imports a version between two others. The fold of the one
// behind it is not believed any more; the others, and that of the next import,
// are.
func TestKeptOutOfOrder(t *testing.T) {
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	at := func(day int, body string) *visit {
		return &visit{url: "http://www.example.com/", time: day0 + record.Time(day)*dayMillis, status: 200, body: storyOf(body)}
	}
	for _, want := range []struct {
		visit    *visit
		believed int
	}{{at(0, "abc"), 1}, {at(60, "ab!c"), 2}, {at(30, "xabc"), 2}, {at(80, "ab"), 3}} {
		put(t, a, []*visit{want.visit})
		v, err := a.Snapshot(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if got, err := checkKept(v); err != nil || got != want.believed {
			t.Errorf("after day %d: %d folds are believed, want %d: %v", (want.visit.time-day0)/dayMillis, got, want.believed, err)
		}
		v.Close()
	}
}
