package catalog

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"infomall/store/disk/lines"
	"infomall/store/record"
	"infomall/store/record/task"
)

func blockScope(t testing.TB, from, to string) task.BlockScope {
	t.Helper()
	s, err := task.NewBlockScope(from, to)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestBlockListFile gives a block-list back from its file, and refuses one that is
// damaged at any byte.
func TestBlockListFile(t *testing.T) {
	for _, l := range []*task.BlockList{
		{Next: 1},
		{Next: 7, Entries: []task.BlockEntry{
			{Number: 3, Time: 1, Captures: 2, Reason: "an \"order\"\tof\nthe court", From: record.MinTime, To: 5, Scopes: []task.BlockScope{blockScope(t, "a.example", ""), blockScope(t, "b.example", "c.example")}, Allowed: []task.BlockScope{blockScope(t, "a.example/x", "")}},
			{Number: 6, To: record.MaxTime + 1, Digests: []task.BodyDigest{{SHA256: record.Digest{1}, SHA1: [20]byte{2}}, {SHA256: record.Digest{3}}}},
		}},
	} {
		b := EncodeBlockList(l)
		got, err := DecodeBlockList(b)
		if err != nil || !reflect.DeepEqual(got, l) {
			t.Errorf("got %+v (error %v), want %+v", got, err, l)
		}
		for i := range b {
			bad := slices.Clone(b)
			bad[i] ^= 1
			if _, err := DecodeBlockList(bad); err == nil {
				t.Errorf("a flip at byte %d of %q is not found", i, b)
			}
		}
	}
}

// FuzzBlockListFile shows that no file makes the reader of block-lists fail, or take
// what it would not write.
func FuzzBlockListFile(f *testing.F) {
	f.Add(append(lines.New("block-list"), "next\t2\nentry\t1\t5\t3\t\"why\"\t0\t9\nscope\t\"a.example\"\t\"\"\ndigest\t00\t11\n"...))
	f.Add(append(lines.New("block-list"), "scope\t\"a.example\"\t\"\"\n"...))
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := DecodeBlockList(lines.Seal(slices.Clone(b)))
		if err != nil {
			return
		}
		again, err := DecodeBlockList(EncodeBlockList(l))
		if err != nil || !reflect.DeepEqual(again, l) {
			t.Errorf("%q: %+v is read back as %+v, error %v", b, l, again, err)
		}
	})
}

// TestImportsHeedNewBlockList shows that an import is planned again if another
// block-list has come into force, and that a merge is not.
func TestImportsHeedNewBlockList(t *testing.T) {
	on := &Catalog{Generation: 4, ID: "a"}
	now := &Catalog{Generation: 5, ID: "a", Blocked: File{"blocked/000001", 3, 4}}
	if _, err := now.Apply(Change{On: on, Seen: 4, Imports: true}); !errors.Is(err, ErrStale) {
		t.Errorf("an import that was planned without the list has the error %v, want ErrStale", err)
	}
	for _, ch := range []Change{{On: on, Seen: 4}, {On: now, Seen: 5, Imports: true}} {
		next, err := now.Apply(ch)
		if err != nil || next.Blocked != now.Blocked {
			t.Errorf("%+v: block-list %v, error %v", ch, next, err)
		}
	}
}
