package coding

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// coders encode as the coding of their name says.
var coders = map[string]func(w io.Writer) io.WriteCloser{
	"gzip":    func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
	"x-gzip":  func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
	"deflate": func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) },
	"raw deflate": func(w io.Writer) io.WriteCloser {
		z, err := flate.NewWriter(w, flate.DefaultCompression)
		if err != nil {
			panic(err) // Unreachable: the level is a constant.
		}
		return z
	},
	"br": func(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) },
	"zstd": func(w io.Writer) io.WriteCloser {
		z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
		if err != nil {
			panic(err) // Unreachable: the options are constants.
		}
		return z
	},
}

func encode(t testing.TB, coding string, body []byte) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := coders[coding](&buf)
	if _, err := w.Write(body); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// header is the Content-Encoding that goes with a coder.
func header(coding string) string { return strings.TrimPrefix(coding, "raw ") }

var htmlBody = []byte("<html><head><title>北京大学</title></head>" + strings.Repeat("<p>新闻</p>\n", 400) + "</html>")

func TestDecode(t *testing.T) {
	for coding := range coders {
		for _, body := range [][]byte{nil, []byte("a"), htmlBody} {
			got, err := Decode(encode(t, coding, body), header(coding), 1<<20)
			if err != nil || !bytes.Equal(got, body) {
				t.Errorf("%s: %d bytes, %v; want the %d encoded", coding, len(got), err, len(body))
			}
		}
	}
}

func TestDecodeSpellings(t *testing.T) {
	packed := encode(t, "gzip", htmlBody)
	for _, tt := range []struct {
		name, encoding string
		body           []byte
	}{
		{"case", "GZip", packed},
		{"blanks", " gzip ", packed},
		{"identity first", "identity, gzip", packed},
		{"empty element", "gzip,", packed},
		{"two in a row", "deflate, gzip", encode(t, "gzip", encode(t, "deflate", htmlBody))},
		{"the same twice", "gzip, gzip", encode(t, "gzip", packed)},
		{"none", "none", htmlBody},
		{"no header", "", htmlBody},
		{"members in a row", "gzip", append(encode(t, "gzip", htmlBody[:9]), encode(t, "gzip", htmlBody[9:])...)},
		{"bytes after the last member", "gzip", append(bytes.Clone(packed), "\r\n<!-- 3 ms -->"...)},
		{"half a member after the last", "gzip", append(bytes.Clone(packed), packed[:3]...)},
		{"bytes after zlib", "deflate", append(encode(t, "deflate", htmlBody), "\r\n"...)},
	} {
		got, err := Decode(tt.body, tt.encoding, 1<<20)
		if err != nil || !bytes.Equal(got, htmlBody) {
			t.Errorf("%s: %d bytes, %v; want %d", tt.name, len(got), err, len(htmlBody))
		}
	}
}

// TestDecodeLies shows that a body which is not encoded as its header says comes
// back as it is.
func TestDecodeLies(t *testing.T) {
	png := []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d")
	for _, tt := range []struct {
		encoding string
		body     []byte
	}{
		{"gzip", htmlBody},
		{"gzip", png},
		{"gzip", nil},
		{"gzip", []byte{0x1f}},
		{"deflate", htmlBody},
		{"br", htmlBody},
		{"zstd", htmlBody},
		{"zstd", png},
		{"gzip, gzip", htmlBody},
		{"utf-8", htmlBody},
		{"gzip, br", htmlBody},
	} {
		got, err := Decode(tt.body, tt.encoding, 1<<20)
		if err != nil || !bytes.Equal(got, tt.body) {
			t.Errorf("%s of %.9q: %d bytes, %v; want the body as it is", tt.encoding, tt.body, len(got), err)
		}
	}
	// Decoded once already, though the header names two codings.
	got, err := Decode(encode(t, "gzip", htmlBody), "gzip, gzip", 1<<20)
	if err != nil || !bytes.Equal(got, htmlBody) {
		t.Errorf("gzip named twice: %d bytes, %v; want %d", len(got), err, len(htmlBody))
	}
}

// TestDecodeDamaged shows that of a body cut short or damaged nothing comes
// back.
func TestDecodeDamaged(t *testing.T) {
	noise := make([]byte, 3000)
	rng := rand.NewChaCha8([32]byte{1})
	if _, err := rng.Read(noise); err != nil {
		t.Fatal(err)
	}
	for coding := range coders {
		packed := encode(t, coding, noise)
		if got, err := Decode(packed[:len(packed)/2], header(coding), 1<<20); err == nil || got != nil {
			t.Errorf("half of %s: %d bytes, %v; want an error", coding, len(got), err)
		}
	}
	packed := encode(t, "gzip", htmlBody)
	packed[len(packed)-5] ^= 1 // checksum
	if got, err := Decode(packed, "gzip", 1<<20); err == nil || got != nil {
		t.Errorf("gzip with a wrong checksum: %d bytes, %v; want an error", len(got), err)
	}
	if _, err := Decode(noise, "sdch", 1<<20); err == nil || !strings.Contains(err.Error(), `"sdch" is not known`) {
		t.Errorf("sdch: %v; want an error that names it", err)
	}
	if _, err := Decode(packed, strings.Repeat("gzip,", 50), 1<<20); err == nil {
		t.Error("50 codings: no error")
	}
}

func TestDecodeTooLarge(t *testing.T) {
	zeros := make([]byte, 2<<20)
	for coding := range coders {
		packed := encode(t, coding, zeros)
		if got, err := Decode(packed, header(coding), 1<<20); !errors.Is(err, ErrTooLarge) || got != nil {
			t.Errorf("%s to more than its maximum: %d bytes, %v; want ErrTooLarge", coding, len(got), err)
		}
		if got, err := Decode(encode(t, coding, htmlBody), header(coding), int64(len(htmlBody))); err != nil || len(got) != len(htmlBody) {
			t.Errorf("%s to just its maximum: %d bytes, %v; want %d", coding, len(got), err, len(htmlBody))
		}
	}
	// Brotli and zstd shrink zeros without bound, and so does gzip twice.
	for _, tt := range []struct {
		encoding string
		body     []byte
	}{
		{"br", encode(t, "br", zeros)},
		{"zstd", encode(t, "zstd", zeros)},
		{"gzip, gzip", encode(t, "gzip", encode(t, "gzip", zeros))},
	} {
		if got, err := Decode(tt.body, tt.encoding, 1<<30); !errors.Is(err, ErrTooLarge) || got != nil {
			t.Errorf("%s: %d bytes grow to %d, %v; want ErrTooLarge", tt.encoding, len(tt.body), len(got), err)
		}
	}
	if _, err := Decode(htmlBody, "", 10); !errors.Is(err, ErrTooLarge) {
		t.Errorf("without coding, more than its maximum: %v; want ErrTooLarge", err)
	}
}

// TestBombs shows that a body which would fill memory takes little of it, and
// little for its place in a large one.
func TestBombs(t *testing.T) {
	for coding := range coders {
		var packed bytes.Buffer
		w := coders[coding](&packed)
		zeros := make([]byte, 1<<20)
		for range 128 {
			if _, err := w.Write(zeros); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, err := Decode(packed.Bytes(), header(coding), 64<<20)
		runtime.ReadMemStats(&after)
		if !errors.Is(err, ErrTooLarge) || got != nil {
			t.Errorf("%s: %d bytes, %v; want ErrTooLarge", coding, len(got), err)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 64<<20 {
			t.Errorf("%s: %d bytes that would be 128 MB took %d of memory, want at most 64 MB", coding, packed.Len(), took)
		}
	}
}

// TestLargeIsDecodedWhole decodes what is too large to be held at once.
func TestLargeIsDecodedWhole(t *testing.T) {
	var large []byte
	for rng := rand.New(rand.NewPCG(1, 2)); len(large) <= heldMax; {
		large = append(append(large, fmt.Sprintf("<p>%d", rng.Uint64())...), htmlBody[:1000]...)
	}
	for coding := range coders {
		packed := encode(t, coding, large)
		if got, err := Decode(packed, header(coding), int64(len(large))); err != nil || !bytes.Equal(got, large) {
			t.Errorf("%s: %d bytes, %v; want %d", coding, len(got), err, len(large))
		}
		if got, err := Decode(packed, header(coding), int64(len(large))-1); !errors.Is(err, ErrTooLarge) || got != nil {
			t.Errorf("%s to one byte less: %d bytes, %v; want ErrTooLarge", coding, len(got), err)
		}
		if got, err := Decode(packed[:len(packed)-20], header(coding), 64<<20); err == nil {
			t.Errorf("%s, cut: %d bytes and no error", coding, len(got))
		}
	}
}

// FuzzDecode shows that no body brings a decoder to panic or past its maximum.
func FuzzDecode(f *testing.F) {
	for coding := range coders {
		f.Add(encode(f, coding, htmlBody[:200]), header(coding))
	}
	f.Add([]byte("\x50\x2a\x4d\x18\x00\x00\x00\x00"), "zstd")
	f.Add([]byte("\x1f\x8b\x08"), "gzip,deflate, br")
	f.Fuzz(func(t *testing.T, body []byte, encoding string) {
		const max = 1 << 16
		if got, err := Decode(body, encoding, max); len(got) > max || err != nil && got != nil {
			t.Fatalf("Decode(%q, %q) = %d bytes, %v", body, encoding, len(got), err)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	for _, coding := range []string{"gzip", "deflate", "br", "zstd"} {
		packed := encode(b, coding, htmlBody)
		b.Run(coding, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(htmlBody)))
			for b.Loop() {
				if _, err := Decode(packed, coding, 1<<20); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestDecodePart shows that of a body cut short or too large the first part comes
// back, and why it is not all.
func TestDecodePart(t *testing.T) {
	var body []byte
	for rng := rand.New(rand.NewPCG(1, 2)); len(body) < 600_000; {
		body = append(append(body, fmt.Sprintf("<p>%d", rng.Uint64())...), htmlBody[:20]...)
	}
	for coding := range coders {
		packed := encode(t, coding, body)
		got, part, err := DecodePart(packed[:len(packed)/2], header(coding), 1<<20)
		if err != nil || part == nil || len(got) < len(body)/8 || !bytes.HasPrefix(body, got) {
			t.Errorf("half of %s: %d bytes, %v, %v; want the first ones", coding, len(got), part, err)
		}
		got, part, err = DecodePart(packed, header(coding), 1000)
		if err != nil || !errors.Is(part, ErrTooLarge) || !bytes.Equal(got, body[:1000]) {
			t.Errorf("%s to 1000 bytes: %d bytes, %v, %v; want 1000", coding, len(got), part, err)
		}
		if got, part, err = DecodePart(packed, header(coding), 1<<20); err != nil || part != nil || !bytes.Equal(got, body) {
			t.Errorf("all of %s: %d bytes, %v, %v", coding, len(got), part, err)
		}
	}
	if got, part, err := DecodePart(body, "", 1000); err != nil || !errors.Is(part, ErrTooLarge) || !bytes.Equal(got, body[:1000]) {
		t.Errorf("no coding: %d bytes, %v, %v; want 1000", len(got), part, err)
	}
	noise := make([]byte, 3000)
	rng := rand.NewChaCha8([32]byte{1})
	if _, err := rng.Read(noise); err != nil {
		t.Fatal(err)
	}
	if got, part, err := DecodePart(noise, "deflate", 1<<20); err == nil && len(got) > 0 {
		t.Errorf("noise: %d bytes, %v, %v; want an error", len(got), part, err)
	}
}
