package segment

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/disk"
	"infomall/store/record"
	"infomall/store/segment/indexfile"
)

// decodeTally opens and decodes the chunk that fills b.
func decodeTally(t *Tally, b []byte, want Want) error {
	o, err := openChunk(b)
	if err == nil {
		err = t.decode(o, want)
	}
	return err
}

// decodeOnly opens the chunk that fills b, and decodes the entries of the URL with this key.
func decodeOnly(c *Chunk, b []byte, key string) (found bool, err error) {
	o, err := openChunk(b)
	if err == nil {
		found, err = c.decodeOnly(o, wantAll, key)
	}
	return found, err
}

// TestOnly draws chunks. Of each URL in one decodeOnly gives the entries that
// decode gives of it, and of a URL that is not there none. Those that are counted
// have the same keys and bytes.
func TestOnly(t *testing.T) {
	var tally Tally
	rapid.Check(t, func(t *rapid.T) {
		entries := drawEntries(t)
		b := appendChunk(nil, 3, entries)
		var whole Chunk
		if err := whole.decode(b, wantAll); err != nil {
			t.Fatal(err)
		}
		all := whole.AppendEntries(nil)
		if !slices.EqualFunc(all, entries, func(a Entry, b Stored) bool { return a == b.Entry }) {
			t.Fatalf("got %+v, want %+v", all, entries)
		}
		if err := decodeTally(&tally, b, WantKeys|WantBytes); err != nil || !slices.Equal(tally.Keys, whole.front.keys) ||
			!slices.EqualFunc(tally.Bytes, all, func(n int64, e Entry) bool { return n == e.Bytes }) {
			t.Fatalf("%v; %q have bytes %v; want those of %+v", err, tally.Keys, tally.Bytes, all)
		}
		keys := append([]string{"", "a", "b)/1", "z"}, whole.front.keys...)
		for _, key := range append(keys, rapid.StringOf(rapid.SampledFrom([]rune("ab)/"))).Draw(t, "absent")) {
			from := slices.IndexFunc(all, func(e Entry) bool { return e.Key == key })
			var one Chunk
			found, err := decodeOnly(&one, b, key)
			if err != nil || found != (from >= 0) {
				t.Fatalf("%q: found %v, %v; want %v", key, found, err, from >= 0)
			}
			if !found {
				continue
			}
			got := one.AppendEntries(nil)
			if one.First != from || one.Run != 3 || !slices.Equal(got, all[from:from+len(got)]) || from+len(got) < len(all) && all[from+len(got)].Key == key {
				t.Fatalf("%q: got %+v from %d of run %d; want those from %d of %+v", key, got, one.First, one.Run, from, all)
			}
		}
	})
}

// drawEntries draws the entries of a run, with columns of all forms.
func drawEntries(t *rapid.T) []Stored {
	keys := rapid.SliceOfNDistinct(rapid.StringMatching(`(a|b)\)/[ab]{0,4}(page[0-9])?(\.html)?( https?)?`), 1, 12, rapid.ID).Draw(t, "keys")
	slices.Sort(keys)
	small := rapid.Int64Range(0, 3)
	number := rapid.OneOf(small, rapid.Just(int64(7)), rapid.Int64Range(-1<<40, 1<<40))
	var out []Stored
	for _, key := range keys {
		for i := range rapid.IntRange(1, 4).Draw(t, "entries") {
			e := Stored{Entry: Entry{
				Key: key, Time: record.Time(int64(i)*1000 + small.Draw(t, "time")), Seq: number.Draw(t, "sequence"), Status: int32(small.Draw(t, "status")),
				Mime: rapid.SampledFrom([]string{"", "text/plain", "text/html"}).Draw(t, "mime"), Bytes: number.Draw(t, "bytes"), Body: BodyOwn,
				Job: fmt.Sprint(small.Draw(t, "job")), Added: record.Time(number.Draw(t, "added")),
				Previous: record.NoTime, PreviousVersion: record.NoTime, Change: record.ChangeFirst,
			}}
			e.ID[0], e.Content = byte(small.Draw(t, "ID")), uint64(small.Draw(t, "content"))
			e.VersionTime = e.Time
			if rapid.Bool().Draw(t, "hinted") {
				e.Previous, e.Change = e.Time-record.Time(1+small.Draw(t, "previous")), record.ChangeSame
				e.VersionTime = e.Previous
			}
			out = append(out, e)
		}
	}
	return out
}

// TestOnlySpans finds all entries of each URL of a segment, also of those that
// span two runs, with the index and without.
func TestOnlySpans(t *testing.T) {
	entries := testEntries(4000)
	dir := t.TempDir()
	info := writeSegment(t, dir, entries)
	x, err := indexfile.Open(filepath.Join(dir, info.Index))
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for _, index := range []*indexfile.File{x, nil} {
		s := NewReader(disk.Inside(disk.OS, dir), info, index, nil)
		defer s.Close()
		for i := 0; i < len(entries); i += 3 {
			if index == nil && i%99 != 0 {
				continue // each reads the whole db-file
			}
			key := entries[i].Key
			c := s.Only(key, WantTime)
			var got []record.Time
			for chunk, err := c.Seek(key); chunk != nil || err != nil; chunk, err = c.Next() {
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range chunk.AppendEntries(nil) {
					got = append(got, e.Time)
				}
			}
			c.Close()
			var want []record.Time
			for j := i; j < len(entries) && entries[j].Key == key; j++ {
				want = append(want, entries[j].Time)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: got %v, want %v", key, got, want)
			}
		}
	}
}
