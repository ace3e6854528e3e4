package segment

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"infomall/store/disk"
	"infomall/store/record"
)

// groupReads are questions about a run, and the groups of columns that each may
// decompress besides groupCaptures.
var groupReads = []struct {
	name   string
	groups []int
	read   func(m *Meta) (any, error)
}{
	{"titles", []int{groupPages}, func(m *Meta) (any, error) { return everyPage(m, record.ColTitle) }},
	{"all of pages", []int{groupPages}, func(m *Meta) (any, error) { return everyPage(m, record.ColPage) }},
	{"digests", []int{groupIDs}, func(m *Meta) (any, error) { return m.Digests() }},
	{"sizes of blocks", []int{groupBlocks}, func(m *Meta) (any, error) { return m.BlockEnds() }},
	{"IDs of blocks", []int{groupIDs, groupBlocks}, func(m *Meta) (any, error) { return m.blockIDs() }},
	{"IP addresses", []int{groupResponse}, func(m *Meta) (any, error) { return m.Texts(FieldIP) }},
	{"names of records", []int{groupNames}, func(m *Meta) (any, error) { return m.Texts(FieldRecordID) }},
	{"declared digests", []int{groupNames}, func(m *Meta) (any, error) { return m.Texts(FieldDeclared) }},
	{"URLs", nil, func(m *Meta) (any, error) { keys, _, err := m.URLs(); return keys, err }},
	{"the last key", nil, func(m *Meta) (any, error) { return m.lastKey() }},
	{"an entry", []int{groupIDs, groupPages, groupBlocks, groupResponse, groupNames}, func(m *Meta) (any, error) { return m.Entry(2) }},
	{"a body", []int{groupIDs, groupPages, groupBlocks, groupResponse}, func(m *Meta) (any, error) {
		s := new(Stored)
		return s, m.Body(ownBody(m), &Entry{Body: BodyOwn}, s)
	}},
	{"a recipe", []int{groupIDs, groupBlocks}, func(m *Meta) (any, error) { recipe, _, err := m.Recipe(ownBody(m)); return recipe, err }},
	{"what entries say of pages", []int{groupIDs, groupPages, groupBlocks}, func(m *Meta) (any, error) { return m.AppendPages(nil) }},
	{"entries with the same body", []int{groupIDs, groupBlocks}, func(m *Meta) (any, error) { return m.AppendSame(nil) }},
	{"all entries", []int{groupIDs, groupPages, groupBlocks, groupResponse, groupNames}, func(m *Meta) (any, error) { return m.Entries() }},
}

// ownBody returns the first entry of m with a body of its own.
func ownBody(m *Meta) (n uint32) {
	for m.bodyForm(n) != BodyOwn {
		n++
	}
	return n
}

// everyPage returns what a run says of the pages of its entries, as far as want says.
func everyPage(m *Meta, want record.Columns) (out []Page, err error) {
	p, err := m.Pages(want)
	if err != nil {
		return nil, err
	}
	for i := range uint32(m.Len()) {
		out = append(out, p.Of(i))
	}
	return out, nil
}

// TestGroupsNeeded asks each question of a run that was not read before. Only the groups
// of columns that the question needs are decompressed.
func TestGroupsNeeded(t *testing.T) {
	dir := t.TempDir()
	s := NewReader(disk.Inside(disk.OS, dir), writeSegment(t, dir, testEntries(300)), nil, nil)
	defer s.Close()
	for _, c := range groupReads {
		m, _, err := s.Meta(0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.read(m); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for g := range groups {
			if done := len(m.frames[g]) == 0; done != (g == groupCaptures || slices.Contains(c.groups, g)) {
				t.Errorf("%s: group %d is decompressed: %v", c.name, g, done)
			}
		}
	}
}

// TestBody compares what Body says of each entry that stores its body with the whole entry, and the
// recipe of each body: without and with names in memory, and with all entries in memory.
func TestBody(t *testing.T) {
	dir := t.TempDir()
	entries := testEntries(300)
	for i := range entries {
		if p := &entries[i].Page; entries[i].Body == BodyOwn {
			p.ReadBytes, p.Charset, p.Source = int64(i), fmt.Sprint("charset ", i%5), fmt.Sprint("source ", i%7)
		}
	}
	s := NewReader(disk.Inside(disk.OS, dir), writeSegment(t, dir, entries), nil, nil)
	defer s.Close()
	m, _, err := s.Meta(0)
	if err != nil {
		t.Fatal(err)
	}
	of, _, err := s.Meta(0)
	if err != nil {
		t.Fatal(err)
	}
	all, err := of.Entries()
	if err != nil {
		t.Fatal(err)
	}
	for _, load := range []func() error{
		func() error { return nil },
		func() error { _, err := m.Entry(0); return err },
		func() error { _, err := m.Entries(); return err },
	} {
		if err := load(); err != nil {
			t.Fatal(err)
		}
		compared := 0
		for i, want := range all {
			var got Stored
			err := m.Body(uint32(i), &want.Entry, &got)
			if want.Body != BodyOwn {
				if err == nil {
					t.Fatalf("entry %d stores no body, but Body returns no error", i)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			of := func(s *Stored) []any {
				return []any{s.Entry, s.Digest, s.Recipe, s.Head, s.Page.Charset, s.Page.Source, s.Page.ReadBytes}
			}
			if !reflect.DeepEqual(of(&got), of(&want)) {
				t.Fatalf("entry %d: %+v, want %+v", i, got, want)
			}
			recipe, own, err := m.Recipe(uint32(i))
			if err != nil || !own || !reflect.DeepEqual(recipe, want.Recipe) {
				t.Fatalf("entry %d: recipe %+v (own %t, error %v), want %+v", i, recipe, own, err, want.Recipe)
			}
			compared++
		}
		if compared < 10 {
			t.Fatalf("%d entries have bodies", compared)
		}
	}
}

// TestAppendPages compares what AppendPages returns with the entries: in memory that has
// other entries, before and after entries were decoded.
func TestAppendPages(t *testing.T) {
	dir := t.TempDir()
	s := NewReader(disk.Inside(disk.OS, dir), writeSegment(t, dir, testEntries(300)), nil, nil)
	defer s.Close()
	of, _, err := s.Meta(0)
	if err != nil {
		t.Fatal(err)
	}
	all, err := of.Entries()
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := s.Meta(0)
	if err != nil {
		t.Fatal(err)
	}
	dst := slices.Repeat([]Stored{{IP: "1.2.3.4", Page: Page{Title: "other"}}}, 400)
	for round, load := range []func() error{
		func() error { return nil },
		func() error { _, err := m.Entry(0); return err },
	} {
		if err := load(); err != nil {
			t.Fatal(err)
		}
		if dst, err = m.AppendPages(dst[:1]); err != nil || len(dst) != 1+len(all) {
			t.Fatalf("%d entries, %v; want %d", len(dst)-1, err, len(all))
		}
		for i, want := range all {
			want := Stored{Entry: want.Entry, Digest: want.Digest, Holder: want.Holder, HolderKey: want.HolderKey, Recipe: want.Recipe, Page: want.Page}
			if round == 0 {
				want.Time, want.Previous, want.PreviousVersion, want.VersionTime, want.Added = 0, 0, 0, 0, 0
				want.Seq, want.Status, want.Job = 0, 0, ""
			}
			if want.Body == BodyNone {
				want.ID = ID{}
			}
			if got := dst[1+i]; !reflect.DeepEqual(got, want) {
				t.Fatalf("entry %d: %+v, want %+v", i, got, want)
			}
		}
	}
}

// TestAppendSame shows that an entry with the body of the entry before it, read in the same way, has the
// number of the first of these entries. The other entries have their own numbers.
func TestAppendSame(t *testing.T) {
	dir := t.TempDir()
	entries := testEntries(300)
	for i := range entries[:30] { // all ten versions of a page are equal
		from := i - i%10
		e := entries[from+1]
		e.Key, e.Time, e.Body = entries[from].Key, entries[i].Time, BodyHeld
		if i == from {
			e.Body = BodyOwn
		}
		entries[i] = e
	}
	s := NewReader(disk.Inside(disk.OS, dir), writeSegment(t, dir, entries), nil, nil)
	defer s.Close()
	m, _, err := s.Meta(0)
	if err != nil {
		t.Fatal(err)
	}
	want := []uint32{7}
	for i := range m.Len() {
		same := uint32(i)
		if e := &entries[i]; i > 0 {
			before := &entries[i-1]
			if e.Body != BodyNone && e.Key == before.Key && e.ID == before.ID && e.Content == before.Content && e.Bytes == before.Bytes && e.Page == before.Page {
				same = want[i]
			}
		}
		want = append(want, same)
	}
	if got, err := m.AppendSame([]uint32{7}); err != nil || !slices.Equal(got, want) || want[10] != 0 || want[20] != 10 {
		t.Fatalf("got %v, %v, want %v", got, err, want)
	}
}

// TestURLs compares the URLs of a run with those that Keys returns, and with the entries:
// before and after the other columns were decoded.
func TestURLs(t *testing.T) {
	dir := t.TempDir()
	entries := testEntries(300)
	s := NewReader(disk.Inside(disk.OS, dir), writeSegment(t, dir, entries), nil, nil)
	defer s.Close()
	m, _, err := s.Meta(0)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		keys, counts, err := m.URLs()
		if err != nil {
			t.Fatal(err)
		}
		var each []string
		for k, n := range counts {
			each = append(each, slices.Repeat(keys[k:k+1], int(n))...)
		}
		if len(keys) < 10 || len(each) != m.Len() {
			t.Fatalf("%d URLs have %d entries, of %d", len(keys), len(each), m.Len())
		}
		all, sizes, _, err := m.Keys()
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(keys, all) || !slices.Equal(counts, sizes) {
			t.Fatalf("the URLs are %q with %d entries, want %q with %d", keys, counts, all, sizes)
		}
		for i, key := range each {
			if e, err := m.Entry(uint32(i)); err != nil || e.Key != key {
				t.Fatalf("entry %d has key %v (error %v), want %q", i, e, err, key)
			}
		}
	}
}

// TestGroupsDamaged damages bytes of each group of columns of a run. What needs the group
// returns an error that names the file. Everything else is read as before.
func TestGroupsDamaged(t *testing.T) {
	dir := t.TempDir()
	info := writeSegment(t, dir, testEntries(300))
	name := filepath.Join(dir, info.File)
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	h, at, err := peekHead(b)
	if err != nil {
		t.Fatal(err)
	}
	for g, length := range h.metaLengths {
		for i := at; i < at+length; i += 1 + length/40 {
			bad := bytes.Clone(b)
			bad[i] ^= 16
			if err := os.WriteFile(name, bad, 0o644); err != nil {
				t.Fatal(err)
			}
			readDamaged(t, dir, info, g)
		}
		at += length
	}
}

// readDamaged asks all questions of the first run of a segment in which a byte of a group
// is damaged.
func readDamaged(t *testing.T, dir string, info *Info, group int) {
	t.Helper()
	s := NewReader(disk.Inside(disk.OS, dir), info, nil, nil)
	defer s.Close()
	for _, c := range groupReads {
		named := new(Error)
		m, _, err := s.Meta(0)
		if err == nil {
			_, err = c.read(m)
		}
		switch needed := group == groupCaptures || slices.Contains(c.groups, group); {
		case needed && (!errors.As(err, &named) || named.File != info.File):
			t.Errorf("%s, with group %d damaged: error %v", c.name, group, err)
		case !needed && err != nil:
			t.Errorf("%s, with group %d damaged, which it does not need: %v", c.name, group, err)
		}
	}
}

// TestPackedMetaDamaged damages each byte of the meta of a packed run, whose frames have no
// checksums. Reading the meta alone returns an error.
func TestPackedMetaDamaged(t *testing.T) {
	var buf bytes.Buffer
	blocks := NewBlocks(BlocksMax)
	blocks.Valid(map[uint32]string{7: "200807"})
	w := NewWriter(&buf, NewEncoder(), "200807", 7, 40, blocks)
	w.Pack(new(Packer), nil, func(_, facts []byte) []byte { return facts })
	for i, e := range testEntries(40) {
		if _, err := w.Add(e, testContent(i)); err != nil {
			t.Fatal(err)
		}
	}
	info, err := w.Finish()
	if err != nil {
		t.Fatal(err)
	}
	info.File = "7.raw"
	dir := t.TempDir()
	name := filepath.Join(dir, info.File)
	h, at, err := peekHead(buf.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	read := func(b []byte) error {
		if err := os.WriteFile(name, b, 0o644); err != nil {
			t.Fatal(err)
		}
		s := NewReader(disk.Inside(disk.OS, dir), &info, nil, nil)
		defer s.Close()
		m, _, err := s.Meta(0)
		if err == nil && m.Len() != 40 {
			t.Fatalf("%d entries", m.Len())
		}
		return err
	}
	if err := read(buf.Bytes()); err != nil {
		t.Fatal(err)
	}
	for i := at; i < at+h.metaLength(); i++ {
		bad := bytes.Clone(buf.Bytes())
		bad[i] ^= 1 << (i % 8)
		if err := read(bad); err == nil || !strings.Contains(err.Error(), info.File) {
			t.Fatalf("byte %d: %v; want an error that names the file", i-at, err)
		}
	}
}
