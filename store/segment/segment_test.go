package segment

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"infomall/store/disk"
	"infomall/store/record"
	"infomall/store/segment/indexfile"
	"infomall/store/urlkey"
)

// testBody is the body of test entry i: every third is that of the one before.
func testBody(i int) []byte { return fmt.Appendf(nil, "<p>body %d</p>", i-i%3/2) }

// testContent is the body of test entry i; some are divided.
func testContent(i int) Content {
	b := testBody(i)
	if i%4 != 0 {
		return Content{Body: b}
	}
	return Content{Layout: b[:3], Leaves: [][]byte{b[3:8], b[8:]}, Facts: [][]byte{nil, testFacts("leaf", b[8:])}}
}

// testFacts is the facts of a part of a test body.
func testFacts(what string, b []byte) []byte { return fmt.Appendf(nil, "%s %s", what, b) }

// testEntries makes n sorted entries: URLs with one to three captures, of
// every form of body.
func testEntries(n int) []Stored {
	var out []Stored
	for i := range n {
		var e Stored
		e.Key = urlkey.Key(fmt.Sprintf("http://www.example.com/%05d.htm", i/3))
		e.Time = record.Time(1_214_870_400_000 + int64(i)*1000)
		e.Seq, e.Status, e.Mime, e.Job, e.Added = int64(i)*500, 200, "text/html", "test", 1_700_000_000_000
		body := testBody(i)
		e.Digest = sha256.Sum256(body)
		copy(e.ID[:], e.Digest[:])
		e.Bytes, e.Body = int64(len(body)), BodyOwn
		e.Previous, e.PreviousVersion, e.VersionTime, e.Change = record.NoTime, record.NoTime, e.Time, record.ChangeFirst
		if i%3 > 0 {
			before := &out[i-1]
			e.Previous = before.Time
			if before.ID == e.ID {
				e.Change, e.VersionTime, e.PreviousVersion = record.ChangeSame, before.VersionTime, before.PreviousVersion
				e.Body = BodyHeld
			} else {
				e.Change, e.PreviousVersion = record.ChangeChanged, before.VersionTime
			}
		}
		switch i % 10 {
		case 4:
			e.Via, e.Body, e.HolderKey, e.Holder = record.ViaRevisit, BodyElsewhere, urlkey.Key("http://other.example/"), Holder{Segment: 7}
			if i%20 == 4 {
				e.Holder.Placed, e.Holder.Run, e.Holder.N = true, uint32(i-4), uint32(i%7)
			}
			e.RefersURL, e.RefersTime = "http://other.example/", e.Time-5000
		case 5:
			e.Via, e.Body, e.Digest, e.Bytes = record.ViaRevisit, BodyNone, record.Digest{}, -1
			e.DeclaredDigest = "sha1:B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A"
			e.RefersTime = record.NoTime
			e.ID = StandInID(e.DeclaredDigest, "")
		}
		if e.Page = NoPage; e.Body != BodyNone {
			e.Page = Page{Title: fmt.Sprintf("page %d", i-i%3/2), Lang: "en", Charset: "utf-8", LinkCount: 3, BlockCount: 2}
			if (i-i%3/2)%4 == 0 {
				e.Content = 77
			}
		}
		e.IP, e.Source, e.RecordID = "127.0.0.1", "a.warc", fmt.Sprintf("<urn:uuid:92283950-ef2f-4d72-b224-%012x>", i)
		e.Head = fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nDate: %d\r\n\r\n", i)
		if i%4 == 0 {
			e.Request = fmt.Appendf(nil, "GET /%d HTTP/1.1\r\n\r\n", i)
		}
		if i%5 == 0 {
			e.Fold = testFacts("fold", body)
		}
		if i%6 == 0 {
			e.Facts = testFacts("page", body)
		}
		if i%7 == 0 {
			e.Truncated, e.Framing, e.Extra, e.Origin, e.AskedURL, e.Location = true, []byte{1, 2}, []byte("id: 4\n"), "http://o.example/", "HTTP://x", "http://l.example/"
		}
		out = append(out, e)
	}
	return out
}

// writeSegment writes entries as segment 7 of pool 200807 under dir.
func writeSegment(t testing.TB, dir string, entries []Stored) *Info {
	t.Helper()
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	blocks := NewBlocks(BlocksMax)
	blocks.Valid(map[uint32]string{7: "200807"})
	urls := make(map[string]bool)
	for i := range entries {
		urls[entries[i].Key] = true
	}
	w := NewWriter(&buf, enc, "200807", 7, len(urls), blocks)
	for i := range entries {
		if _, err := w.Add(entries[i], testContent(i)); err != nil {
			t.Fatal(err)
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
	return &info
}

// TestRebuild makes the index of a db-file from it alone: the same pairs as its
// writer made, and the same Info. Of a damaged file it makes nothing.
func TestRebuild(t *testing.T) {
	dir := t.TempDir()
	want := writeSegment(t, dir, testEntries(3000))
	b, err := os.ReadFile(filepath.Join(dir, want.File))
	if err != nil {
		t.Fatal(err)
	}
	rebuild := func(b []byte) (*Info, error) {
		x, err := indexfile.NewBuilder(disk.OS, filepath.Join(dir, "again.idx"))
		if err != nil {
			t.Fatal(err)
		}
		var info *Info
		size, err := x.Add(want.Bucket(), func(put func(k, v []byte) error) (err error) {
			info, err = Rebuild(t.Context(), want.File, bytes.NewReader(b), int64(len(b)), put)
			return err
		})
		if err != nil {
			return nil, errors.Join(err, x.Abandon())
		}
		info.IndexBytes = size
		return info, x.Finish()
	}
	got, err := rebuild(b)
	if err != nil {
		t.Fatal(err)
	}
	got.File, got.Index = want.File, want.Index
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if a, b := pairsOf(t, filepath.Join(dir, "again.idx"), want), pairsOf(t, filepath.Join(dir, want.Index), want); !slices.Equal(a, b) {
		t.Errorf("%d pairs, and they are not the %d of the writer", len(a), len(b))
	}
	for at := 0; at < len(b); at += 1 + len(b)/50 {
		bad := bytes.Clone(b)
		bad[at] ^= 4
		if err := os.Remove(filepath.Join(dir, "again.idx")); err != nil {
			t.Fatal(err)
		}
		if _, err := rebuild(bad); err == nil {
			t.Errorf("damaged at byte %d: no error", at)
		}
	}
}

// pairsOf returns the pairs of the index of a segment in the file at path.
func pairsOf(t *testing.T, path string, info *Info) (out []string) {
	t.Helper()
	x, err := indexfile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	c, err := x.Cursor(info.Bucket())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for k, v, err := c.Seek([]byte{0}); k != nil || err != nil; k, v, err = c.Next() {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%x %x", k, v))
	}
	return out
}

// TestRepeatIndex writes a segment again, of which some runs are copied and others compressed
// again. Its index has the same chunks, sample and starts as that of the first form.
func TestRepeatIndex(t *testing.T) {
	defer SetSampling(100, 1)()
	dir := t.TempDir()
	first := writeSegment(t, dir, testEntries(20000))
	x, err := indexfile.Open(filepath.Join(dir, first.Index))
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	s := NewReader(disk.Inside(disk.OS, dir), first, x, func(err error) { t.Error(err) })
	defer s.Close()
	if s.SampleLevel() == 0 || first.Runs <= startsLeast+1 {
		t.Fatalf("sample level %d, %d runs", s.SampleLevel(), first.Runs)
	}
	blocks := NewBlocks(BlocksMax)
	blocks.Valid(map[uint32]string{7: "200807"})
	w := NewWriter(io.Discard, NewEncoder(), "200807", 7, int(first.URLs), blocks)
	for n := range first.Runs {
		if err := w.Repeat(s, nil, nil, n != 3); err != nil {
			t.Fatal(err)
		}
	}
	info, err := w.Finish()
	if err != nil {
		t.Fatal(err)
	}
	if err := writeIndex(filepath.Join(dir, "again.idx"), &info, w); err != nil {
		t.Fatal(err)
	}
	all := func(name string) []string { // but the table of runs: the db-files differ
		return slices.DeleteFunc(pairsOf(t, filepath.Join(dir, name), first), func(p string) bool { return strings.HasPrefix(p, fmt.Sprintf("%x ", keyRuns)) })
	}
	if a, b := all("again.idx"), all(first.Index); !slices.Equal(a, b) {
		t.Errorf("%d pairs, and they are not the %d of the first form", len(a), len(b))
	}
}

// readEntries walks all chunks of a segment.
func readEntries(t testing.TB, s *Reader) []Entry {
	t.Helper()
	c := s.Chunks(WantAll)
	defer c.Close()
	var out []Entry
	for chunk, err := c.Seek(""); chunk != nil || err != nil; chunk, err = c.Next() {
		if err != nil {
			t.Fatal(err)
		}
		out = chunk.AppendEntries(out)
	}
	return out
}

// TestSegmentRoundTrip writes a segment of several runs and reads all of it
// back, from the index and from the db-file.
func TestSegmentRoundTrip(t *testing.T) {
	want := testEntries(5000)
	dir := t.TempDir()
	info := writeSegment(t, dir, want)
	x, err := indexfile.Open(filepath.Join(dir, info.Index))
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	s := NewReader(disk.Inside(disk.OS, dir), info, x, func(err error) { t.Errorf("warned: %v", err) })
	defer s.Close()
	got := readEntries(t, s)
	if len(got) != len(want) {
		t.Fatalf("%d entries in the index, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i].Entry {
			t.Fatalf("entry %d of the index:\n got %+v\nwant %+v", i, got[i], want[i].Entry)
		}
	}
	i := 0
	for n := range info.Runs {
		r, err := s.Run(uint32(n))
		if err != nil {
			t.Fatal(err)
		}
		entries, err := r.Meta.Entries()
		if err != nil {
			t.Fatal(err)
		}
		facts, err := r.Facts()
		if err != nil {
			t.Fatal(err)
		}
		for j, e := range entries {
			e.Fold, e.Facts = facts.Fold(uint32(j)), facts.Page(uint32(j))
			recipe := e.Recipe
			e.Recipe = Recipe{}
			if !reflect.DeepEqual(e, want[i]) {
				t.Fatalf("entry %d of the db-file:\n got %+v\nwant %+v", i, e, want[i])
			}
			if e.Body == BodyOwn {
				if b := recipeBytes(t, s, recipe); !bytes.Equal(b, testBody(i)) {
					t.Fatalf("body %d: got %q, want %q", i, b, testBody(i))
				}
			}
			i++
		}
	}
	for _, e := range want {
		if !s.MayHave(e.Key) {
			t.Fatalf("MayHave(%q) is false", e.Key)
		}
	}
}

// recipeBytes is the blocks of a recipe, one behind the other.
func recipeBytes(t testing.TB, s *Reader, recipe Recipe) []byte {
	t.Helper()
	var out []byte
	for _, span := range recipe.Spans {
		r, err := s.Run(span.Run)
		if err != nil {
			t.Fatal(err)
		}
		ids, err := r.BlockIDs()
		if err != nil {
			t.Fatal(err)
		}
		facts, err := r.Facts()
		if err != nil {
			t.Fatal(err)
		}
		for n := span.N; n < span.N+span.Count; n++ {
			b, err := r.Block(n)
			if err != nil || ids[n] != BlockID(b) {
				t.Fatalf("block %d of run %d: %v, or its ID is another's", n, span.Run, err)
			}
			if f := facts.Block(n); f != nil && !bytes.Equal(f, testFacts("leaf", b)) {
				t.Fatalf("block %d of run %d: it has the facts %q", n, span.Run, f)
			}
			out = append(out, b...)
		}
	}
	return out
}

// TestSeek finds each URL's first chunk, also where a URL spans two.
func TestSeek(t *testing.T) {
	want := testEntries(4000)
	dir := t.TempDir()
	info := writeSegment(t, dir, want)
	x, err := indexfile.Open(filepath.Join(dir, info.Index))
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	s := NewReader(disk.Inside(disk.OS, dir), info, x, nil)
	defer s.Close()
	for i := 0; i < len(want); i += 3 {
		c := s.Chunks(WantTime)
		chunk, err := c.Seek(want[i].Key)
		if err != nil || chunk == nil {
			t.Fatalf("Seek(%q): %v, %v", want[i].Key, chunk, err)
		}
		found := false
		for _, e := range chunk.AppendEntries(nil) {
			if e.Key == want[i].Key {
				found = e.Time == want[i].Time
				break
			}
		}
		if !found {
			t.Errorf("the chunk for %q does not begin its captures", want[i].Key)
		}
		c.Close()
	}
	c := s.Chunks(WantTime)
	defer c.Close()
	if chunk, err := c.Seek("zzz"); chunk != nil || err != nil {
		t.Errorf("Seek past the end: got %v, %v", chunk, err)
	}
}

// TestDamagedIndex flips bytes of the index file, one at a time, and cuts it.
// Whatever it does to the index, the entries read are the right ones, or the
// same as without any index.
func TestDamagedIndex(t *testing.T) {
	want := testEntries(1500)
	dir := t.TempDir()
	info := writeSegment(t, dir, want)
	name := filepath.Join(dir, info.Index)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 4))
	for round := range 120 {
		b := bytes.Clone(whole)
		if round%10 == 0 {
			b = b[:r.IntN(len(b))]
		} else {
			b[r.IntN(len(b))] ^= 1 << r.IntN(8)
		}
		damaged := filepath.Join(t.TempDir(), "x.idx")
		if err := os.WriteFile(damaged, b, 0o644); err != nil {
			t.Fatal(err)
		}
		x, err := indexfile.Open(damaged)
		if err != nil {
			x = nil
		}
		s := NewReader(disk.Inside(disk.OS, dir), info, x, nil)
		got := readEntries(t, s)
		for i := range want {
			if i >= len(got) || got[i] != want[i].Entry {
				t.Fatalf("round %d: entry %d of %d is not the one stored", round, i, len(got))
			}
			if i%50 == 0 && !s.MayHave(want[i].Key) {
				t.Fatalf("round %d: MayHave(%q) is false", round, want[i].Key)
			}
		}
		s.Close()
	}
}

// TestDamagedRun flips each bit of a small db-file. No damaged run may be
// served: it is an error of its own type, or the run is as it was.
func TestDamagedRun(t *testing.T) {
	dir := t.TempDir()
	info := writeSegment(t, dir, testEntries(6))
	name := filepath.Join(dir, info.File)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	x, err := indexfile.Open(filepath.Join(dir, info.Index))
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	clean := NewReader(disk.Inside(disk.OS, dir), info, x, nil)
	first, err := clean.Run(0)
	if err != nil {
		t.Fatal(err)
	}
	for bit := range len(whole) * 8 {
		b := bytes.Clone(whole)
		b[bit/8] ^= 1 << (bit % 8)
		if err := os.WriteFile(name, b, 0o644); err != nil {
			t.Fatal(err)
		}
		s := NewReader(disk.Inside(disk.OS, dir), info, x, nil)
		r, err := s.Run(0)
		if err == nil {
			if !bytes.Equal(r.content, first.content) || int64(bit/8) < int64(r.Stored) {
				t.Fatalf("bit %d: a damaged run was served", bit)
			}
		} else if e := (*Error)(nil); !errors.As(err, &e) || e.File != info.File {
			t.Fatalf("bit %d: error %v does not name the file", bit, err)
		}
		s.Close()
	}
}

func BenchmarkChunks(b *testing.B) {
	entries := testEntries(100_000)
	dir := b.TempDir()
	info := writeSegment(b, dir, entries)
	x, err := indexfile.Open(filepath.Join(dir, info.Index))
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	s := NewReader(disk.Inside(disk.OS, dir), info, x, nil)
	defer s.Close()
	var buf []Entry
	for b.Loop() {
		c := s.Chunks(WantHints | WantStatus)
		for chunk, err := c.Seek(""); chunk != nil; chunk, err = c.Next() {
			if err != nil {
				b.Fatal(err)
			}
			buf = chunk.AppendEntries(buf[:0])
		}
		c.Close()
	}
	b.ReportMetric(float64(b.N)*float64(len(entries))/b.Elapsed().Seconds(), "entries/s")
	b.ReportMetric(float64(info.IndexBytes)/float64(len(entries)), "index-bytes/entry")
}

// writeIndex writes an index file of one segment.
func writeIndex(path string, info *Info, w *Writer) error {
	b, err := indexfile.NewBuilder(disk.OS, path)
	if err != nil {
		return err
	}
	if err := w.AddTo(b, info); err != nil {
		return errors.Join(err, b.Abandon())
	}
	return b.Finish()
}
