package facts

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/block/divide"
	"infomall/store/page/pagetest"
)

// TestShortFacts makes the facts of drawn pages' leaves short and long again. The
// most of them are short, or nothing is gained.
func TestShortFacts(t *testing.T) {
	shorter, all := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		body := "<a href='/\xb1\xb1\xbe\xa9'>\xb1\xb1</a>" + editedPage(t)
		contentType := rapid.SampledFrom([]string{pagetest.HTMLType, "text/plain", "text/html; charset=gb18030"}).Draw(t, "type")
		b, ok := divide.Open([]byte(body), divide.As{Mime: rapid.SampledFrom([]string{"text/html", "text/plain"}).Draw(t, "mime"), ContentType: contentType}, divide.Options{})
		if !ok {
			return
		}
		r := NewReader().Read(b)
		for i, facts := range longFacts(r) {
			leaf := r.Bytes(r.Leaves[i])
			short := Short(leaf, facts)
			if r.Made[i].Facts[0] == shortMark && !bytes.Equal(r.Made[i].Facts, short) {
				t.Fatalf("facts of %q come as %q, want them as %q", leaf, r.Made[i].Facts, short)
			}
			if long := Long(leaf, short); !bytes.Equal(long, facts) {
				t.Fatalf("facts of %q\n got %q\nwant %q\nthat are %q in short", leaf, long, facts, short)
			}
			if !bytes.Equal(Short(leaf, short), short) {
				t.Fatalf("short facts of %q do not stay short", leaf)
			}
			if Outdated(short) {
				t.Fatalf("short facts of %q are outdated", leaf)
			}
			if len(facts) > 1 {
				all++
				if len(short) < len(facts) {
					shorter++
				}
			}
		}
	})
	if shorter*10 < all*9 {
		t.Errorf("%d of %d facts are shorter", shorter, all)
	}
}

// FuzzLongFacts reads any bytes as facts: whatever comes, nothing breaks.
func FuzzLongFacts(f *testing.F) {
	f.Add([]byte("<a href=x>y</a>"), []byte{shortMark, formCharset, 5, 'u', 't', 'f', '-', '8'})
	f.Add([]byte("text"), []byte{shortMark, formPlain})
	f.Fuzz(func(t *testing.T, leaf, facts []byte) {
		long := Long(leaf, facts)
		_ = Short(leaf, long)
	})
}
