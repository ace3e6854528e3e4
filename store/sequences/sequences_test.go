package sequences

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// whole returns the whole output of a frame whose dictionary is ahead.
func whole(f *Frame, ahead []byte) ([]byte, error) {
	out := bytes.Clone(ahead)
	for i, s := range f.Sequences[:len(f.Sequences)-1] {
		next := f.Sequences[i+1]
		if a, b := f.At(s.Pos), f.At(next.Pos-1); a != i || b != i {
			return nil, fmt.Errorf("sequence %d of %d is found as %d at its begin, as %d at its end", i, len(f.Sequences)-1, a, b)
		}
		out = append(out, f.Literals[s.Lit:next.Lit]...)
		for len(out)-len(ahead) < int(next.Pos) {
			from := len(out) - int(s.Off)
			if from < 0 {
				return nil, errFrame
			}
			out = append(out, out[from])
		}
	}
	return out[len(ahead):], nil
}

// texts returns texts whose frames have all forms: with near and far repeats,
// few and many kinds of bytes, and a single byte.
func texts() map[string][]byte {
	r := rand.New(rand.NewPCG(1, 2))
	out := map[string][]byte{"nothing": nil, "a byte": {7}, "one byte often": bytes.Repeat([]byte("x"), 300_000)}
	random := make([]byte, 200_000)
	few := make([]byte, 200_000)
	for i := range random {
		random[i], few[i] = byte(r.Uint32()), "abcdef "[r.IntN(7)]
	}
	out["random"], out["few letters"] = random, few
	var page []byte
	for len(page) < 400_000 {
		switch n := r.IntN(60); {
		case n < 20 || len(page) < 100:
			page = fmt.Appendf(page, "<li class=c%d><a href='/doc/%d/index.html'>item %d</a>\n", r.IntN(9), r.IntN(2000), r.IntN(100))
		case n < 40:
			from := r.IntN(len(page) - 50)
			page = append(page, page[from:from+r.IntN(len(page)-from)%3000]...)
		case n < 41:
			page = append(page, random[:r.IntN(3000)]...)
		default:
			page = append(page, few[:r.IntN(200)]...)
		}
	}
	out["page"], out["short page"] = page, page[:700]
	return out
}

// TestParse parses frames of every level, with and without a dictionary, and
// puts their output together again.
func TestParse(t *testing.T) {
	var f Frame
	all := texts()
	for name, b := range all {
		for _, level := range []zstd.EncoderLevel{zstd.SpeedFastest, zstd.SpeedDefault, zstd.SpeedBetterCompression, zstd.SpeedBestCompression} {
			for _, ahead := range [][]byte{nil, all["page"][100_000:300_000]} {
				o := []zstd.EOption{zstd.WithEncoderLevel(level), zstd.WithEncoderConcurrency(1)}
				if ahead != nil {
					o = append(o, zstd.WithEncoderDictRaw(0, ahead))
				}
				enc, err := zstd.NewWriter(nil, o...)
				if err != nil {
					t.Fatal(err)
				}
				if err := f.Parse(enc.EncodeAll(b, nil), len(b)); err != nil {
					t.Errorf("%s, level %v, %d bytes ahead: %v", name, level, len(ahead), err)
					continue
				}
				got, err := whole(&f, ahead)
				if err != nil || !bytes.Equal(got, b) {
					t.Errorf("%s, level %v, %d bytes ahead: got %d bytes that are not the %d put in (%v)", name, level, len(ahead), len(got), len(b), err)
				}
				if err := f.Parse(enc.EncodeAll(b, nil), len(b)-1); err == nil && len(b) > 0 {
					t.Errorf("%s, level %v: %d bytes where one less is allowed", name, level, len(b))
				}
			}
		}
	}
}

// FuzzParse parses frames of any form: the output of the sequences must equal
// the output of the decoder. Parse may accept frames that the decoder refuses.
func FuzzParse(f *testing.F) {
	for _, b := range texts() {
		for _, level := range []zstd.EncoderLevel{zstd.SpeedFastest, zstd.SpeedBestCompression} {
			enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithEncoderCRC(false))
			if err != nil {
				f.Fatal(err)
			}
			f.Add(enc.EncodeAll(b[:min(len(b), 5000)], nil))
		}
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(1<<20), zstd.IgnoreChecksum(true))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var h zstd.Header
		if h.Decode(b) != nil || h.Skippable || h.DictionaryID != 0 {
			return
		}
		want, err := dec.DecodeAll(b, nil)
		var fr Frame
		bad := fr.Parse(b, 1<<20)
		if err != nil {
			return
		}
		got, wrong := []byte(nil), bad
		if bad == nil {
			got, wrong = whole(&fr, nil)
		}
		// DecodeAll also decodes the frames that follow.
		if wrong != nil || !bytes.HasPrefix(want, got) || len(got) < len(want) && !followed(b) {
			t.Fatalf("got %d bytes (%v), the decoder has %d", len(got), wrong, len(want))
		}
	})
}

// followed reports whether more than one frame begins in b.
func followed(b []byte) bool {
	return bytes.Count(b, []byte{0x2f, 0xfd}) > 1 || bytes.Contains(b, []byte{0x2a, 0x4d, 0x18})
}

// BenchmarkParse parses the frame of a long page.
func BenchmarkParse(b *testing.B) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	if err != nil {
		b.Fatal(err)
	}
	page := texts()["page"]
	frame := enc.EncodeAll(page, nil)
	var f Frame
	b.SetBytes(int64(len(page)))
	for b.Loop() {
		if err := f.Parse(frame, len(page)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(f.Sequences)), "ns/sequence")
}
