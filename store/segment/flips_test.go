package segment

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"

	"infomall/store/disk"
	"infomall/store/record"
	"infomall/store/segment/indexfile"
)

// rangesOf is a file in memory of which ranges are read, as of one in a bucket.
type rangesOf struct {
	*bytes.Reader
	info os.FileInfo
}

func (f rangesOf) Close() error               { return nil }
func (f rangesOf) Stat() (os.FileInfo, error) { return f.info, nil }

// shortRuns writes a segment with runs of two entries each, and returns its Info and its index.
func shortRuns(t *testing.T, dir string, entries []Stored) (*Info, []byte) {
	t.Helper()
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	blocks := NewBlocks(BlocksMax)
	blocks.Valid(map[uint32]string{7: "200807"})
	w := NewWriter(&buf, enc, "200807", 7, len(entries), blocks)
	for i := range entries {
		if _, err := w.Add(entries[i], testContent(i)); err != nil {
			t.Fatal(err)
		}
		if i%2 == 1 {
			if err := w.closeRun(); err != nil {
				t.Fatal(err)
			}
		}
	}
	info, err := w.Finish()
	if err != nil {
		t.Fatal(err)
	}
	info.File, info.Index = "7.raw", "7.idx"
	if err := os.WriteFile(filepath.Join(dir, info.File), buf.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := writeIndex(filepath.Join(dir, info.Index), &info, w); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, info.Index))
	if err != nil {
		t.Fatal(err)
	}
	return &info, b
}

// TestIndexFlips changes bytes of an index that is read by ranges, one at a time. Whatever is asked,
// the answer is that of the undamaged index, or the damage is noticed. The db-file, which is read
// then, is missing here.
func TestIndexFlips(t *testing.T) {
	dir := t.TempDir()
	entries := testEntries(60)
	info, whole := shortRuns(t, dir, entries)
	st, err := os.Stat(filepath.Join(dir, info.Index))
	if err != nil {
		t.Fatal(err)
	}
	all := make([]int, len(entries)) // the numbers of the entries
	of := make(map[string][]int)     // those of the entries of each key
	for i := range entries {
		all[i] = i
		of[entries[i].Key] = append(of[entries[i].Key], i)
	}
	if info.Runs != 30 {
		t.Fatalf("%d runs, want 30", info.Runs)
	}
	place := make(map[record.Time]int)
	for i := range entries {
		place[entries[i].Time] = i
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	given, silent, empty := 0, 0, t.TempDir()
	for at := range whole {
		if at%1024 >= 48 && rnd.IntN(4) > 0 { // the heads of pages say most
			continue
		}
		b := bytes.Clone(whole)
		b[at] ^= 1 << rnd.IntN(8)
		warned := 0
		// ask returns the entries that a cursor finds. It opens the index again: if one question has found the
		// damage, the next one must find it too.
		ask := func(name string, want []int, cursor func(s *Reader) *ChunkCursor, from string, more bool) {
			x := indexfile.OpenRemote(rangesOf{bytes.NewReader(b), st})
			defer x.Close()
			s := NewReader(disk.Inside(disk.OS, empty), info, x, func(error) { warned++ })
			defer s.Close()
			c := cursor(s)
			defer c.Close()
			var got []int
			for chunk, err := c.Seek(from); chunk != nil || err != nil; chunk, err = c.Next() {
				if err != nil {
					return
				}
				for i := range chunk.Len() {
					got = append(got, place[chunk.Time(i)])
				}
				if !more {
					break
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("byte %d, %s: got entries %d, want %d", at, name, got, want)
			}
		}
		ask("all", all, func(s *Reader) *ChunkCursor { return s.Chunks(WantTime) }, "", true)
		keep := rnd.IntN(30)
		ask("one run", all[2*keep:2*keep+2], func(s *Reader) *ChunkCursor {
			c := s.Chunks(WantTime)
			c.PassOverRuns(func(run uint32) bool { return run != uint32(keep) })
			return c
		}, "", true)
		for key, want := range of {
			ask(key, want, func(s *Reader) *ChunkCursor { return s.Only(key, WantTime) }, key, true)
			if rnd.IntN(8) > 0 {
				continue
			}
			from, _ := slices.BinarySearchFunc(entries, key, func(e Stored, k string) int { return bytes.Compare([]byte(e.Key), []byte(k)) })
			ask("from "+key, all[from/2*2:], func(s *Reader) *ChunkCursor { return s.Chunks(WantTime) }, key, true)
		}
		if warned > 0 {
			given++
		} else {
			silent++
		}
	}
	t.Logf("%d changes were noticed, %d were not", given, silent)
	if given == 0 {
		t.Error("no change was noticed")
	}
}
