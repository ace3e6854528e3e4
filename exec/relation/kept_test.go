package relation

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"infomall/store/block/facts"
	"infomall/store/record"
)

// keepsNothing is a snapshot that stores no facts, and fails for the version at
// fail. Only one goroutine may read from it at a time.
type keepsNothing struct {
	Snapshot
	fail  uint32
	asked int
}

var errUnreadable = errors.New("unreadable")

func (s *keepsNothing) Kept(ctx context.Context, ref record.Ref) (record.Facts, error) {
	s.asked++
	if ref.N == s.fail {
		return record.Facts{}, errUnreadable
	}
	return record.Facts{}, ctx.Err()
}

// TestAllBelieved reads the facts of batches of all sizes, to the end, to an
// error, until the consumer stops and until the context ends. The versions come
// in order, an error comes after the versions before it, and few versions are
// read that are not used.
func TestAllBelieved(t *testing.T) {
	for _, n := range []int{0, 1, keptAheadLeast - 1, keptAheadLeast, keptAheadLeast + 1, 1024} {
		var b spanBatch
		b.N = n
		for i := range n {
			b.Ref, b.Time = append(b.Ref, record.Ref{N: uint32(i)}), append(b.Time, record.Time(i))
		}
		for _, at := range []int{0, 1, keptBundle - 1, keptBundle, keptBundle + 1, n / 2, n - 1} {
			for _, end := range []string{"end", "error", "stop", "cancel"} {
				if end != "end" && (at < 0 || at >= n) {
					continue
				}
				t.Run(fmt.Sprint(n, end, at), func(t *testing.T) { checkBelieved(t, &b, end, at) })
			}
		}
	}
}

func checkBelieved(t *testing.T, b *spanBatch, end string, at int) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := &keepsNothing{fail: uint32(b.N)}
	want, wantErr := b.N, error(nil)
	switch end {
	case "error":
		s.fail, want, wantErr = uint32(at), at, errUnreadable
	case "stop":
		want = at + 1
	case "cancel":
		wantErr = context.Canceled
	}
	r := &Reader{Snapshot: s}
	got, gotErr := 0, error(nil)
	for k, err := range r.allBelieved(ctx, b) {
		if err != nil {
			gotErr = err
			continue
		}
		if k.ref.N != uint32(got) {
			t.Fatalf("got version %d, want %d", k.ref.N, got)
		}
		got++
		if end == "stop" && got == want {
			break
		}
		if end == "cancel" && got == at+1 {
			cancel()
		}
	}
	const ahead = (keptBundles + 2) * keptBundle
	if end == "cancel" {
		if got <= at || got > at+1+ahead {
			t.Errorf("got %d versions, want %d and at most %d more", got, at+1, ahead)
		}
	} else if got != want {
		t.Errorf("got %d versions, want %d", got, want)
	}
	// If the context ends at the last version, all may have been read already.
	if !errors.Is(gotErr, wantErr) && !(end == "cancel" && got == b.N) {
		t.Errorf("got error %v, want %v", gotErr, wantErr)
	}
	if s.asked > got+1+ahead {
		t.Errorf("%d versions were read for %d", s.asked, got)
	}
}

// countsLeaves is a snapshot that counts how often the facts of leaves are read.
type countsLeaves struct {
	Snapshot
	asked int
}

func (s *countsLeaves) LeafFacts(context.Context, record.Ref) ([][]byte, error) {
	s.asked++
	return [][]byte{{0}, {1}, {2}}, nil
}

// TestFirstLeaf shows that the facts of the leaves of a version are read once for all its blocks.
func TestFirstLeaf(t *testing.T) {
	s := &countsLeaves{}
	r := &Reader{Snapshot: s}
	k := &keptVersion{Page: &facts.Kept{Cut: make([]facts.KeptBlock, 1000)}}
	for ordinal := range k.Page.Cut {
		leaf, err := r.firstLeaf(t.Context(), k, ordinal)
		if err != nil {
			t.Fatal(err)
		}
		if (leaf != nil) != (ordinal < 3) {
			t.Errorf("block %d has the facts %q", ordinal, leaf)
		}
	}
	if s.asked != 1 {
		t.Errorf("the facts of the leaves were read %d times", s.asked)
	}
}
