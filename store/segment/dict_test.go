package segment

import (
	"bytes"
	"encoding/binary"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/disk"
)

// drawRuns draws runs that go on from each other, run i of segment i+1, with their
// blocks and facts.
func drawRuns(t *rapid.T, p *Packer) (runs []*Run, contents [][]byte) {
	var ahead []byte
	var refs []RunRef
	for i := range rapid.IntRange(1, 5).Draw(t, "runs") {
		word := rapid.SliceOfN(rapid.Byte(), 4, 40)
		var b []byte
		for range rapid.IntRange(2, 400).Draw(t, "words") {
			if from := append(bytes.Clone(ahead), b...); len(from) > 40 && rapid.Bool().Draw(t, "again") {
				at := rapid.IntRange(0, len(from)-40).Draw(t, "at")
				b = append(b, from[at:at+rapid.IntRange(3, 40).Draw(t, "length")]...)
			} else {
				b = append(b, word.Draw(t, "word")...)
			}
		}
		b = bytes.Repeat(b, rapid.SampledFrom([]int{1, 1, 1, 40}).Draw(t, "times"))
		facts := rapid.SliceOfN(rapid.Byte(), 0, 100).Draw(t, "facts")
		frame, from := p.appendFrame([]byte("meta"), b, facts, ahead)
		frame = frame[len("meta"):]
		h := recordHead{segment: uint32(i + 1), behind: refs, factsLength: len(facts), factsFrom: from}
		runs = append(runs, &Run{head: h, frame: frame, size: len(b) + len(facts)})
		contents = append(contents, append(bytes.Clone(b), facts...))
		if len(b) < behindBytesMin {
			continue
		}
		ahead = appendSeam(append(ahead, b...))
		refs = append(refs[:len(refs):len(refs)], RunRef{Segment: uint32(i + 1)})
	}
	return runs, contents
}

// TestSplice shows that runs which go on from each other are decompressed in one
// go, whichever of them are there already.
func TestSplice(t *testing.T) {
	p := new(Packer)
	rapid.Check(t, func(t *rapid.T) {
		runs, contents := drawRuns(t, p)
		others := func(r RunRef) (*Run, error) { return runs[r.Segment-1], nil }
		for range runs {
			i := rapid.IntRange(0, len(runs)-1).Draw(t, "read")
			r, whole := runs[i], rapid.Bool().Draw(t, "whole")
			if err := r.load(others, whole); err != nil || r.lacks != nil {
				t.Fatalf("run %d: %v, %v", i, err, r.lacks)
			}
			if want := contents[i][:r.blockBytes()]; !bytes.Equal(r.content, want) {
				t.Fatalf("run %d has %d bytes of blocks, and not the %d that were written", i, len(r.content), len(want))
			}
			if want := contents[i][r.blockBytes():]; whole && !bytes.Equal(r.facts, want) {
				t.Fatalf("run %d has facts %q, want %q", i, r.facts, want)
			}
		}
	})
}

// TestSeam compares what a seam adds with what its blocks are decompressed to.
func TestSeam(t *testing.T) {
	b := []byte("abcdefghij")
	in := append([]byte(spliceMagic), 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(in[len(spliceMagic):], uint32(len(b)+seamBytes))
	in = append(append(appendRaw(in, b), seamBlocks...), 1, 0, 0)
	got, err := decoder().DecodeAll(in, nil)
	if want := appendSeam(bytes.Clone(b)); err != nil || !bytes.Equal(got, want) {
		t.Fatalf("the blocks give %q, %v, want %q", got, err, want)
	}
}

// TestLoadAgain loads runs whose other runs cannot be read at first. The next call finds them.
func TestLoadAgain(t *testing.T) {
	p := new(Packer)
	rapid.Check(t, func(t *rapid.T) {
		runs, contents := drawRuns(t, p)
		none := func(RunRef) (*Run, error) { return nil, disk.ErrUnanswered }
		others := func(r RunRef) (*Run, error) { return runs[r.Segment-1], nil }
		for i, r := range runs {
			if err := r.load(none, true); (err != nil) != (len(r.head.behind) > 0) || err != nil && !disk.MayPass(err) {
				t.Fatalf("run %d, which builds on %v: %v", i, r.head.behind, err)
			}
			if err := r.load(others, true); err != nil || !bytes.Equal(r.content, contents[i][:r.blockBytes()]) {
				t.Fatalf("run %d: %d bytes of %d, %v", i, len(r.content), r.blockBytes(), err)
			}
		}
	})
}
