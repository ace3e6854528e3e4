package tight

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// texts returns contents of many kinds.
func texts() (all [][]byte) {
	r := rand.New(rand.NewPCG(1, 2))
	all = append(all, nil, []byte("a"), []byte("abcabcabcabcabcabcabcabc"), bytes.Repeat([]byte("a"), 300_000))
	for _, letters := range []int{2, 20, 256} {
		for _, n := range []int{10, 1000, 70_000, 300_000} {
			b := make([]byte, n)
			for i := range b {
				b[i] = byte(r.IntN(letters))
			}
			all = append(all, b)
			// with copies
			b = bytes.Clone(b)
			for at := 0; at < n; {
				size, from := min(3+r.IntN(1+r.IntN(600)), n-at), r.IntN(n)
				copy(b[at:at+size], b[from:])
				at += size + r.IntN(9)
			}
			all = append(all, b)
		}
	}
	return all
}

// TestAppend compresses contents, with and without bytes ahead. A decoder gives them back.
func TestAppend(t *testing.T) {
	var e Encoder
	plain, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	list := texts()
	for i, b := range list {
		frame := e.Append(nil, b)
		if got, err := plain.DecodeAll(frame, nil); err != nil || !bytes.Equal(got, b) {
			t.Fatalf("content %d of %d bytes: got %d bytes, %v", i, len(b), len(got), err)
		}
		ahead := list[(i+3)%len(list)]
		if len(ahead) < 8 {
			continue
		}
		after, err := zstd.NewReader(nil, zstd.WithDecoderDictRaw(0, ahead))
		if err != nil {
			t.Fatal(err)
		}
		frame, ends := e.AppendAfter([]byte("xy"), ahead, b, ahead[:7])
		if got, err := after.DecodeAll(frame[2:], nil); err != nil || !bytes.Equal(got, append(bytes.Clone(b), ahead[:7]...)) {
			t.Fatalf("content %d of %d bytes after %d: got %d bytes, %v", i, len(b), len(ahead), len(got), err)
		}
		if len(ends) != 2 || ends[1] != len(frame)-2 {
			t.Fatalf("content %d: the parts end at %v, the frame at %d", i, ends, len(frame)-2)
		}
		after.Close()
	}
}

// FuzzAppend compresses any content after any bytes ahead. A decoder gives the content back.
func FuzzAppend(f *testing.F) {
	for _, b := range texts() {
		if len(b) <= 1000 {
			f.Add(b, b[:len(b)/2])
		}
	}
	var e Encoder
	plain, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, content, ahead []byte) {
		if got, err := plain.DecodeAll(e.Append(nil, content), nil); err != nil || !bytes.Equal(got, content) {
			t.Fatalf("got %d bytes of %d, %v", len(got), len(content), err)
		}
		if len(ahead) < 8 {
			return
		}
		after, err := zstd.NewReader(nil, zstd.WithDecoderDictRaw(0, ahead), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
		if err != nil {
			t.Fatal(err)
		}
		defer after.Close()
		half := len(content) / 2
		frame, ends := e.AppendAfter(nil, ahead, content[:half], content[half:])
		if got, err := after.DecodeAll(frame, nil); err != nil || !bytes.Equal(got, content) || len(ends) != 2 || len(content) > 0 && ends[1] != len(frame) {
			t.Fatalf("got %d bytes of %d after %d, %v; the parts end at %v of %d", len(got), len(content), len(ahead), err, ends, len(frame))
		}
	})
}
