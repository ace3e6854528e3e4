package life

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/block/about"
	"infomall/store/block/divide"
	"infomall/store/block/facts"
	"infomall/store/page/pagetest"
	"infomall/store/record"
	"infomall/store/words"
)

// TestFoldsGoOn draws lives of pages. At every version the fold that is kept
// says what History found, and a History that resumes with the fold of the
// version before comes to the same as one that saw all.
func TestFoldsGoOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var whole, resumed History
		reader := facts.NewReader()
		for i, v := range drawLife(t) {
			var reading *facts.Reading
			if v.Body != nil {
				reading = reader.Read(v.Body)
				v.Made = reading.Made
			}
			r := whole.Add(v)
			again := resumed.Add(v)
			if !reflect.DeepEqual(again.Life, r.Life) {
				t.Fatalf("version %d: lives after resuming\n got %v\nwant %v", i, again.Life, r.Life)
			}
			for level := range r.Tree.Level() + 2 {
				if got, want := again.Changes(level), r.Changes(level); !reflect.DeepEqual(got, want) {
					t.Fatalf("version %d, level %d: changes after resuming\n got %v\nwant %v", i, level, got, want)
				}
			}
			f, err := ReadFold(r.AppendFold(nil, reading), v.Time)
			if err != nil {
				t.Fatalf("version %d: %v", i, err)
			}
			checkFold(t, f, r, reading)
			resumed = History{}
			if resumed.Resume(v, f) == nil {
				t.Fatalf("version %d: a History does not resume with its own fold", i)
			}
		}
	})
}

// checkFold compares what is kept of a version with the version.
func checkFold(t *rapid.T, f *Fold, r *Revision, reading *facts.Reading) {
	want := record.NoTime
	if r.Before != nil {
		want = r.Before.Time
	}
	if f.Previous != want {
		t.Fatalf("the version before is kept as of %d, want %d", f.Previous, want)
	}
	var got []string
	for _, c := range f.Changed {
		got = append(got, fmt.Sprintf("%d %s %s %d %q %d %d", c.Ordinal, c.Op, c.Life.Identity(), c.Bytes, c.Topic, c.Words, c.Links))
	}
	if fmt.Sprint(got) != fmt.Sprint(changedBlocks(r, reading)) {
		t.Fatalf("changed blocks kept\n got %v\nwant %v", got, changedBlocks(r, reading))
	}
	if r.Hidden() || reading == nil {
		return
	}
	kept, err := facts.Read(reading.AppendFacts(nil, "", true))
	if err != nil {
		t.Fatal(err)
	}
	cut := r.Tree.Cut(facts.KeptLevel)
	if len(kept.Cut) != len(cut) {
		t.Fatalf("kept are %d blocks, want %d", len(kept.Cut), len(cut))
	}
	for i, n := range cut {
		b, k := &r.Tree.Blocks[n], &kept.Cut[i]
		if got, want := fmt.Sprint(k.Path, k.Parent(), k.Depth()), fmt.Sprint(b.Path, r.Tree.Blocks[b.Parent].Path, b.Depth); got != want {
			t.Fatalf("block %d is kept as %q, want %q", n, got, want)
		}
	}
}

// changedBlocks are the blocks of the kept cut that were added or edited, as a
// query would find them.
func changedBlocks(r *Revision, reading *facts.Reading) (out []string) {
	if r.Before == nil || r.Hidden() || reading == nil {
		return nil
	}
	links := facts.Links(reading.Body)
	for i, n := range r.Tree.Cut(facts.KeptLevel) {
		b, op := &r.Tree.Blocks[n], r.Changes(facts.KeptLevel)[i].Op
		if op != Added && op != Edited {
			continue
		}
		count := 0
		for _, l := range links {
			if b.Start <= l.Offset && l.Offset < b.End {
				count++
			}
		}
		out = append(out, fmt.Sprintf("%d %s %s %d %q %d %d", i, op, r.Life[n].Identity(), b.End-b.Start,
			about.TopicOf(reading.Body, b.Start, b.End), words.Count(reading.Text(b.Start, b.End)), count))
	}
	return out
}

func FuzzReadFold(f *testing.F) {
	var h History
	v := version(0, record.KindPage, pagetest.HTMLType, "<h1>One</h1><p>two<p>three")
	f.Add(h.Add(v).AppendFold(nil, facts.NewReader().Read(v.Body)), int64(v.Time))
	v = version(1, record.KindPage, pagetest.HTMLType, "<h1>One</h1><p>two four<p>three")
	f.Add(h.Add(v).AppendFold(nil, facts.NewReader().Read(v.Body)), int64(v.Time))
	f.Fuzz(func(t *testing.T, src []byte, at int64) {
		fold, err := ReadFold(src, record.Time(at))
		if err == nil {
			new(History).Resume(v, fold)
		}
	})
}

// TestFirstFold shows that the fold of a first version of one block can be made
// without its history.
func TestFirstFold(t *testing.T) {
	for _, tt := range []struct {
		mime, body string
		kind       record.Kind
	}{
		{"text/plain", "one line of text", record.KindPage},
		{"text/plain", "a\nb\n\nc\n", record.KindPage},
		{"text/plain", " \n ", record.KindPage},
		{"text/plain", "one line of text", record.KindMissing},
		{"text/html", "<p>one", record.KindPage},
		{"text/html", "<p>one", record.KindRedirect},
		{"image/png", "\x89PNG", record.KindPage},
		{"image/png", "\x89PNG", record.KindError},
	} {
		v := Version{Time: 1234567, Kind: tt.kind, Digest: sha256.Sum256([]byte(tt.body)), Size: int64(len(tt.body))}
		body, opened := divide.Open([]byte(tt.body), divide.As{Mime: tt.mime, ContentType: tt.mime}, divide.Options{})
		var reading *facts.Reading
		if opened {
			reading = facts.NewReader().Read(body)
			v.Body, v.Made = body, reading.Made
			if len(body.Blocks) > 2 {
				t.Fatalf("%q has %d blocks", tt.body, len(body.Blocks))
			}
		}
		want := new(History).Add(v).AppendFold(nil, reading)
		if got := AppendFirstFold(nil, opened && tt.kind == record.KindPage, v.Size); !bytes.Equal(got, want) {
			t.Errorf("%s %q, kind %v: got %x, want %x", tt.mime, tt.body, tt.kind, got, want)
		}
	}
}

// TestDamagedFold changes single bytes of a fold. ReadFold refuses each result.
func TestDamagedFold(t *testing.T) {
	whole := AppendFirstFold(nil, true, 100)
	const stretches = 8 // where the number of stretches is; the only stretch follows
	if _, err := ReadFold(whole, 0); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		at   int
		to   byte
		what string
	}{
		{stretches - 1, 1, "more blocks in stretches than in the page"},
		{stretches - 1, 3, "a block without stretch"},
		{stretches, 0, "no stretch"},
		{stretches, 2, "more stretches than blocks"},
		{stretches + 1, 0, "an empty stretch"},
		{stretches + 1, 2, "a stretch with too many blocks"},
		{stretches + 2, 1, "a birth that is not in the list"},
		{stretches + 3, 0, "the place of the root"},
		{stretches + 3, 1, "a place before the root"},
	} {
		b := bytes.Clone(whole)
		b[c.at] = c.to
		if _, err := ReadFold(b, 0); err != facts.ErrFacts {
			t.Errorf("%s: %v, want %v", c.what, err, facts.ErrFacts)
		}
	}
}
