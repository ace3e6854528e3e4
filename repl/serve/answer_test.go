package serve

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"
	"unsafe"
)

// TestKeep shows that an answer that is kept has the header that it had, that texts which two
// answers share are counted once, and that the body has memory of its own.
func TestKeep(t *testing.T) {
	header := func(page string) http.Header {
		return http.Header{"Content-Type": {"text/html"}, "X-Archive-Orig-Via": {"1.1 a", "1.0 b", "1.1 a"}, "Link": {page}}
	}
	var shared texts
	long := []byte("0123456789")
	first, second := &answer{header: header("first"), body: long[2:4]}, &answer{header: header("a second")}
	a, b := first.keep(&shared), second.keep(&shared)
	long[2] = 'x'
	if string(first.body) != "23" || cap(first.body) >= len(long) {
		t.Errorf("the body is %q of %d bytes", first.body, cap(first.body))
	}
	fields := int64(unsafe.Sizeof(answer{})) + 5*int64(unsafe.Sizeof(field{}))
	names := len("Content-Type" + "text/html" + "X-Archive-Orig-Via" + "1.1 a" + "1.0 b" + "Link" + "first")
	if want := fields + int64(names+len("23")); a != want {
		t.Errorf("the first answer takes %d bytes, want %d", a, want)
	}
	if want := fields + int64(len("a second")); b != want {
		t.Errorf("the second answer takes %d bytes, want %d", b, want)
	}
	for page, kept := range map[string]*answer{"first": first, "a second": second} {
		got := http.Header{"Link": {"of the request"}}
		kept.setHeader(got)
		if want := header(page); !maps.EqualFunc(got, want, slices.Equal) {
			t.Errorf("the header is\n%v, want\n%v", got, want)
		}
	}
}

// TestTexts shows that a texts has no more texts than its bound.
func TestTexts(t *testing.T) {
	var x texts
	for n := range 3 * textsMax {
		s := fmt.Sprint(n)
		if text, bytes := x.one(s); text != s || bytes != int64(len(s)) {
			t.Fatalf("%q has the text %q of %d bytes", s, text, bytes)
		}
		if text, bytes := x.one(s); text != s || bytes != 0 {
			t.Fatalf("%q again has the text %q of %d bytes", s, text, bytes)
		}
		if len(x.all) > textsMax {
			t.Fatalf("%d texts, the bound is %d", len(x.all), textsMax)
		}
	}
}
