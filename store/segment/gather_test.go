package segment

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"infomall/store/disk"

	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"
)

// noneBehind knows of no run on which runs it builds.
func noneBehind(RunRef) []RunRef { return nil }

// TestGather reads some blocks of runs that go on from each other, in any order and more
// than once. Some of the runs are in memory already.
func TestGather(t *testing.T) {
	p := new(Packer)
	rapid.Check(t, func(t *rapid.T) {
		runs, contents := drawRuns(t, p)
		others := func(r RunRef) (*Run, error) { return runs[r.Segment-1], nil }
		for i, r := range runs {
			for end := 0; end < r.blockBytes(); {
				end += rapid.IntRange(0, r.blockBytes()-end).Draw(t, "block")
				r.ends = append(r.ends, int64(end))
				if len(r.ends) == 30 {
					break
				}
			}
			if rapid.IntRange(0, 3).Draw(t, "at hand") == 0 {
				if err := r.load(others, false); err != nil || r.lacks != nil {
					t.Fatalf("run %d: %v, %v", i, err, r.lacks)
				}
			}
		}
		var spans []Span
		var want [][]byte
		for range rapid.IntRange(0, 6).Draw(t, "spans") {
			i := rapid.IntRange(0, len(runs)-1).Draw(t, "run")
			ends := runs[i].ends
			first := rapid.IntRange(0, len(ends)-1).Draw(t, "first")
			n := rapid.IntRange(0, len(ends)-first).Draw(t, "blocks")
			spans = append(spans, Span{BlockRef{Segment: uint32(i + 1), N: uint32(first)}, uint32(n)})
			for k := first; k < first+n; k++ {
				from := int64(0)
				if k > 0 {
					from = ends[k-1]
				}
				want = append(want, contents[i][from:ends[k]])
			}
		}
		open := func(r RunRef, _ []byte) (*Contents, error) { return runs[r.Segment-1].Contents(), nil }
		known := make([][]RunRef, len(runs)) // the truth, nothing, or another run
		for i, r := range runs {
			switch rapid.IntRange(0, 4).Draw(t, "known") {
			case 0, 1, 2:
				known[i] = r.head.behind
			case 3:
				known[i] = []RunRef{{Segment: uint32(rapid.IntRange(1, len(runs)).Draw(t, "known run"))}}
			}
		}
		err := Gather(spans, 2, open, func(r RunRef) []RunRef { return known[r.Segment-1] }, func(got [][]byte) error {
			if len(got) != len(want) {
				return fmt.Errorf("%d blocks, want %d", len(got), len(want))
			}
			for i := range got {
				if !bytes.Equal(got[i], want[i]) {
					return fmt.Errorf("block %d of %d is\n%q, want\n%q", i, len(got), got[i], want[i])
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// TestContents compares the contents of the runs of a segment with the runs.
func TestContents(t *testing.T) {
	dir := t.TempDir()
	s := NewReader(disk.Inside(disk.OS, dir), writeSegment(t, dir, testEntries(3000)), nil, nil)
	defer s.Close()
	for n := range uint32(s.Info.Runs) {
		c, err := s.Contents(n, nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Run(n)
		if err != nil {
			t.Fatal(err)
		}
		ends, err := c.blockEnds()
		if err != nil || c.bytes != r.blockBytes() || fmt.Sprint(ends) != fmt.Sprint(r.ends) {
			t.Errorf("run %d has %d bytes in blocks up to %v (%v), want %d up to %v", n, c.bytes, ends, err, r.blockBytes(), r.ends)
		}
	}
	if _, err := s.Contents(uint32(s.Info.Runs), nil); err == nil {
		t.Error("a run that is not there was read")
	}
}

// TestGatherDamage shows that what does not fit together is an error.
func TestGatherDamage(t *testing.T) {
	p := new(Packer)
	first, second := []byte("the first run has this text, and"), []byte("the first run has this text, and the second more")
	frame, _ := p.appendFrame(nil, second, nil, appendSeam(bytes.Clone(first)))
	run := func(change func(*Contents)) *Contents {
		c := &Contents{head: recordHead{segment: 2, behind: []RunRef{{Segment: 1}}}, frame: frame, bytes: len(second), ends: []int64{10, int64(len(second))}}
		change(c)
		return c
	}
	for name, c := range map[string]*Contents{
		"nothing wrong":                 run(func(*Contents) {}),
		"behind a later run":            run(func(c *Contents) { c.head.behind = []RunRef{{Segment: 2}} }),
		"behind nothing":                run(func(c *Contents) { c.head.behind = nil }),
		"behind a run that is gone":     run(func(c *Contents) { c.head.behind = []RunRef{{Segment: 1, Run: 7}} }),
		"more bytes than it has":        run(func(c *Contents) { c.bytes++ }),
		"fewer bytes":                   run(func(c *Contents) { c.bytes-- }),
		"blocks beyond its end":         run(func(c *Contents) { c.ends[1]++ }),
		"a frame cut off":               run(func(c *Contents) { c.frame = c.frame[:len(c.frame)-1] }),
		"no frame":                      run(func(c *Contents) { c.frame = nil }),
		"a block that it does not have": run(func(c *Contents) { c.ends = c.ends[:1] }),
	} {
		open := func(r RunRef, _ []byte) (*Contents, error) {
			switch r {
			case RunRef{Segment: 1}:
				return &Contents{bytes: len(first), content: first}, nil
			case RunRef{Segment: 2}:
				return c, nil
			}
			return nil, errors.New("no such run")
		}
		err := Gather([]Span{{BlockRef{Segment: 2}, 2}}, 2, open, noneBehind, func(blocks [][]byte) error {
			if !bytes.Equal(bytes.Join(blocks, nil), second) {
				t.Errorf("%s: got %q", name, blocks)
			}
			return nil
		})
		if (err == nil) != (name == "nothing wrong") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// FuzzGather gives it frames of any form, of a run and of one that goes on from it.
func FuzzGather(f *testing.F) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderConcurrency(1))
	if err != nil {
		f.Fatal(err)
	}
	text := bytes.Repeat([]byte("some text that comes again, "), 20)
	more, _ := new(Packer).appendFrame(nil, text[5:], nil, appendSeam(bytes.Clone(text)))
	f.Add(enc.EncodeAll(text, nil), uint16(len(text)), more, uint16(len(text)-5), uint16(100))
	f.Fuzz(func(t *testing.T, first []byte, firstBytes uint16, second []byte, secondBytes, at uint16) {
		open := func(r RunRef, _ []byte) (*Contents, error) {
			if r.Segment == 1 {
				return &Contents{frame: first, bytes: int(firstBytes)}, nil
			}
			return &Contents{frame: second, bytes: int(secondBytes), ends: []int64{int64(at), int64(secondBytes)}, head: recordHead{behind: []RunRef{{Segment: 1}}}}, nil
		}
		if at > secondBytes {
			return
		}
		_ = Gather([]Span{{BlockRef{Segment: 2, N: 1}, 1}}, 2, open, noneBehind, func(b [][]byte) error {
			if len(b) != 1 || len(b[0]) != int(secondBytes-at) {
				t.Errorf("%d blocks", len(b))
			}
			return nil
		})
	})
}
