package warc

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"infomall/store/record/message"
	"infomall/store/record/task"
)

// digested is a WARC file of n responses with block digests, and where in it
// each record begins, with the end of the last.
func digested(t testing.TB, n int, zip bool) (file []byte, starts []int) {
	t.Helper()
	for i := range n {
		block := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>page %d</p>%s", i, strings.Repeat("x", i*37%200))
		digest, err := digestOf(one([]byte(block)))
		if err != nil {
			t.Fatal(err)
		}
		rec := fmt.Sprintf("WARC/1.1\r\nWARC-Type: response\r\nWARC-Date: 2008-06-0%dT10:00:00Z\r\nWARC-Target-URI: http://x.cn/%d\r\n"+
			"WARC-Record-ID: <urn:x:%d>\r\nWARC-Block-Digest: %s\r\nContent-Type: application/http;msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
			1+i%9, i, i, digest, len(block), block)
		starts = append(starts, len(file))
		if !zip {
			file = append(file, rec...)
			continue
		}
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write([]byte(rec))
		z.Close()
		file = append(file, b.Bytes()...)
	}
	return file, append(starts, len(file))
}

// recovered gives the spans and what was written of each.
func recovered(t testing.TB, file []byte) (rs []task.Recovered, written []string) {
	t.Helper()
	for r, err := range Recover(t.Context(), bytes.NewReader(file), int64(len(file)), Options{Limits: message.BodyLimits{TempDir: t.TempDir()}}) {
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if r.Write != nil {
			if err := r.Write(&b); err != nil {
				t.Fatal(err)
			}
		}
		rs, written = append(rs, r), append(written, b.String())
	}
	return rs, written
}

// TestRecoverFlips flips a bit at every byte but those of header values that
// nothing covers: the record that it touches is lost, and no other.
func TestRecoverFlips(t *testing.T) {
	for _, zip := range []bool{false, true} {
		whole, starts := digested(t, 7, zip)
		_, want := recovered(t, whole)
		if len(want) != 7 {
			t.Fatalf("%d records, want 7", len(want))
		}
		for i := range whole {
			hit := 0
			for starts[hit+1] <= i {
				hit++
			}
			bad := bytes.Clone(whole)
			bad[i] ^= 1 << (i % 8)
			what := fmt.Sprintf("zip %v, byte %d of record %d", zip, i-starts[hit], hit)
			got := make(map[string]bool)
			rs, written := recovered(t, bad)
			for k, w := range written {
				if rs[k].Write == nil {
					continue
				}
				got[w] = true
				// What is served was written so, but for a header.
				_, block, _ := strings.Cut(want[hit], "\r\n\r\n")
				if !slices.Contains(want, w) && !strings.HasSuffix(w, block) {
					t.Errorf("%s: served is what never was: %q", what, w)
				}
			}
			for n, w := range want {
				if n != hit && !got[w] {
					t.Errorf("%s: record %d is lost", what, n)
				}
			}
		}
	}
}

// TestRecoverFragment goes through fragments cut at both ends: every whole
// record comes back.
func TestRecoverFragment(t *testing.T) {
	for _, zip := range []bool{false, true} {
		whole, starts := digested(t, 6, zip)
		_, want := recovered(t, whole)
		rng := rand.New(rand.NewPCG(1, 2))
		for range 300 {
			i := rng.IntN(len(whole))
			j := i + 1 + rng.IntN(len(whole)-i)
			got := make(map[string]bool)
			_, written := recovered(t, whole[i:j])
			for _, w := range written {
				got[w] = true
			}
			for n, w := range want {
				if starts[n] >= i && starts[n+1] <= j && !got[w] {
					t.Errorf("zip %v, bytes %d to %d: record %d is lost", zip, i, j, n)
				}
			}
		}
	}
}

// TestRecoverSpans damages the records on both sides of one: it is confirmed,
// and each span has its place.
func TestRecoverSpans(t *testing.T) {
	for _, zip := range []bool{false, true} {
		whole, starts := digested(t, 5, zip)
		for _, n := range []int{1, 3} {
			whole[starts[n]+1] ^= 1 // of the magic, or the gzip header
		}
		var got []string
		rs, _ := recovered(t, whole)
		for _, r := range rs {
			got = append(got, fmt.Sprintf("%s %d+%d", r.State, r.Offset, r.Length))
		}
		var want []string
		for n, state := range []string{"chained", "damaged", "confirmed", "damaged", "chained"} {
			want = append(want, fmt.Sprintf("%s %d+%d", state, starts[n], starts[n+1]-starts[n]))
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("zip %v:\n got %q\nwant %q", zip, got, want)
		}
	}
}

// TestRecoverSamples goes through every file of others, whole and cut, without
// an error; of each capture that Read gives, the record is saved or was found
// not to have its digest.
func TestRecoverSamples(t *testing.T) {
	eachSample(t, func(name string, data []byte) {
		for _, n := range []int{len(data), len(data) * 2 / 3} {
			at := make(map[int64]bool)
			rs, _ := recovered(t, data[:n])
			for _, r := range rs {
				at[r.Offset] = at[r.Offset] || r.Write != nil || strings.Contains(r.What, "digest")
			}
			for _, it := range read(t, data[:n], Options{}) {
				if it.Capture != nil && !at[it.Offset] {
					t.Errorf("%s, %d bytes: the capture at %d is not saved", name, n, it.Offset)
				}
			}
		}
	})
}
