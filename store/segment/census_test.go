package segment

import (
	"bytes"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/disk"
	"infomall/store/record"
	"infomall/store/segment/indexfile"
	"infomall/store/urlkey"
)

// drawCounted draws entries with what a census counts by.
func drawCounted(t *rapid.T) []Entry {
	hosts := rapid.IntRange(1, 12).Draw(t, "hosts")
	entries := make([]Entry, rapid.IntRange(0, 200).Draw(t, "entries"))
	for i := range entries {
		e := &entries[i]
		e.Key = urlkey.Key(rapid.SampledFrom([]string{
			fmt.Sprintf("http://h%d.example/%d", i%hosts, i), fmt.Sprintf("https://h%d.example:8443/", i%hosts), "dns:h.example",
		}).Draw(t, "url"))
		e.Time = record.Time(rapid.Int64Range(-5, 5).Draw(t, "time"))
		e.Status = rapid.SampledFrom([]int32{0, 200, 404}).Draw(t, "status")
		e.Kind = rapid.SampledFrom([]record.Kind{record.KindPage, record.KindMissing, record.KindError}).Draw(t, "kind")
		e.Via = rapid.SampledFrom([]record.Via{record.ViaResponse, record.ViaRevisit}).Draw(t, "via")
		e.Body = rapid.SampledFrom([]BodyForm{BodyNone, BodyOwn, BodyElsewhere}).Draw(t, "body")
		e.Truncated = rapid.IntRange(0, 9).Draw(t, "truncated") == 0
		e.Mime = rapid.SampledFrom([]string{"", "text/html", "图/片"}).Draw(t, "mime")
		e.Job = rapid.SampledFrom([]string{"1", "2"}).Draw(t, "job")
	}
	slices.SortFunc(entries, func(a, b Entry) int { return a.Compare(&b) })
	return entries
}

// TestCensus counts entries one by one, and compares that with a census that was
// made of them, encoded and read again.
func TestCensus(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := drawCounted(t)
		var taker censusTaker
		var hosts []HostCensus
		traits := make(map[Trait]TraitCensus)
		for i := range entries {
			e := &entries[i]
			taker.add(e)
			host := urlkey.Host(urlkey.URL(e.Key))
			if n := len(hosts); n == 0 || hosts[n-1].Host != host {
				hosts = append(hosts, HostCensus{host, e.Time, e.Time, 0})
			}
			h := &hosts[len(hosts)-1]
			h.First, h.Last, h.Captures = min(h.First, e.Time), max(h.Last, e.Time), h.Captures+1
			key := Trait{e.Status, Flags{e.Kind, e.Via, e.Body, e.Truncated}, e.Mime, e.Job}
			s, ok := traits[key]
			if !ok {
				s = TraitCensus{key, e.Time, e.Time, 0}
			}
			s.First, s.Last, s.Captures = min(s.First, e.Time), max(s.Last, e.Time), s.Captures+1
			traits[key] = s
		}
		made := taker.census()
		if few := len(hosts)*censusShare <= len(entries) || len(traits)*censusShare <= len(entries); made == nil {
			if few && len(entries) > 0 {
				t.Fatalf("%d entries on %d hosts with %d traits have no census", len(entries), len(hosts), len(traits))
			}
			return
		}
		got, err := decodeCensus(made.encode())
		if err != nil || !reflect.DeepEqual(got, made) {
			t.Fatalf("read again: %v\ngot  %+v\nwant %+v", err, got, made)
		}
		if !got.counts(int64(len(entries))) || got.counts(int64(len(entries))+1) {
			t.Errorf("it does not count %d captures", len(entries))
		}
		if got.Hosts != nil && !slices.Equal(got.Hosts, hosts) {
			t.Errorf("hosts: got %v, want %v", got.Hosts, hosts)
		}
		if got.Traits == nil {
			return
		}
		for _, s := range got.Traits {
			if want := traits[s.Trait]; s != want {
				t.Errorf("trait: got %+v, want %+v", s, want)
			}
		}
		if len(got.Traits) != len(traits) {
			t.Errorf("got %d traits, want %d", len(got.Traits), len(traits))
		}
	})
}

// TestCensusOfMany shows that what has too many hosts is not counted by them.
func TestCensusOfMany(t *testing.T) {
	var taker censusTaker
	for i := range censusMax + 1 {
		for range censusShare {
			taker.add(&Entry{Key: fmt.Sprintf("example,h%06d,)/ http", i), Status: 200})
		}
	}
	made := taker.census()
	if made == nil || made.Hosts != nil || len(made.Traits) != 1 || made.Traits[0].Captures != (censusMax+1)*censusShare {
		t.Errorf("got %+v", made)
	}
}

// TestDamagedCensus shows that a census which does not count the segment's
// captures is not believed, and that Check tells of one that differs.
func TestDamagedCensus(t *testing.T) {
	dir := t.TempDir()
	entries := testEntries(300)
	for i := range entries {
		entries[i].Status, entries[i].Mime, entries[i].Job = 200, "text/html", "1"
	}
	info := writeSegment(t, dir, entries)
	for _, tt := range []struct {
		name     string
		change   func(*Census)
		believed bool
	}{
		{"as it is", func(*Census) {}, true},
		{"too many", func(c *Census) { c.Traits[0].Captures++ }, false},
		{"another status", func(c *Census) { c.Traits[0].Status++ }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := changedPair(t, dir, info, keyCensus, func(v []byte) []byte {
				c, err := decodeCensus(v)
				if err != nil {
					t.Fatal(err)
				}
				tt.change(c)
				return c.encode()
			})
			defer x.Close()
			warned := 0
			s := NewReader(disk.Inside(disk.OS, dir), info, x, func(error) { warned++ })
			defer s.Close()
			if c := s.Census(); (c != nil) != tt.believed || (warned > 0) == tt.believed {
				t.Errorf("got %+v, %d warnings", c, warned)
			}
			faults := 0
			err := NewReader(disk.Inside(disk.OS, dir), info, x, nil).Check(t.Context(), func(f Fault) error {
				if !f.Index {
					t.Errorf("damage of the db-file: %v", f.Err)
				}
				faults++
				return nil
			}, func(uint32, *Run) error { return nil })
			if err != nil || faults != map[bool]int{true: 0, false: 1}[tt.name == "as it is"] {
				t.Errorf("%d faults, %v", faults, err)
			}
		})
	}
}

// changedPair opens a copy of the index of a segment in dir. The value of key, without its
// checksum, is the one that change returns.
func changedPair(t *testing.T, dir string, info *Info, key []byte, change func(v []byte) []byte) *indexfile.File {
	t.Helper()
	from, err := indexfile.Open(filepath.Join(dir, info.Index))
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	pairs, err := from.Cursor(info.Bucket())
	if err != nil {
		t.Fatal(err)
	}
	defer pairs.Close()
	path := filepath.Join(t.TempDir(), "changed.idx")
	to, err := indexfile.NewBuilder(disk.OS, path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = to.Add(info.Bucket(), func(put func(k, v []byte) error) error {
		k, v, err := pairs.Seek(nil)
		for ; k != nil && err == nil; k, v, err = pairs.Next() {
			if string(k) == string(key) {
				v = append(make([]byte, sumBytes), change(bytes.Clone(v[sumBytes:]))...)
				pair{k, v}.seal(info.ID)
			}
			if err := put(k, v); err != nil {
				return err
			}
		}
		return err
	})
	if err == nil {
		err = to.Finish()
	}
	if err != nil {
		t.Fatal(err)
	}
	x, err := indexfile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// FuzzCensus reads bytes as a census: what is read is written the same.
func FuzzCensus(f *testing.F) {
	made := Census{
		Hosts:  []HostCensus{{"a.example", 1, 5, 3}, {"", -4, -4, 1}},
		Traits: []TraitCensus{{Trait{200, Flags{Kind: record.KindPage, Body: BodyOwn, Truncated: true}, "text/html", "7"}, 1, 5, 4}},
	}
	f.Add(made.encode())
	f.Add((&Census{Hosts: made.Hosts}).encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := decodeCensus(b)
		if err != nil {
			return
		}
		if d, err := decodeCensus(c.encode()); err != nil || !reflect.DeepEqual(c, d) {
			t.Errorf("got %+v, %v, want %+v", d, err, c)
		}
	})
}
