package article

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"infomall/store/page/markup"
)

// TestInked compares inked with a loop over bytes, on random texts of all bytes.
func TestInked(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 20_000 {
		b := make([]byte, r.IntN(40))
		few := []byte{byte(r.IntN(256)), ' ', '0' - 1, '9' + 1, '0' | 0x80, byte(r.IntN(256))}
		want, digits := int32(0), false
		for i := range b {
			if b[i] = few[r.IntN(len(few))]; b[i] > ' ' {
				want++
			}
			digits = digits || b[i] >= '0' && b[i] <= '9'
		}
		if ink, digit := inked(b); ink != want || digit != digits {
			t.Fatalf("%q: got %d bytes, digit %t; want %d, %t", b, ink, digit, want, digits)
		}
	}
}

// TestSaysPublished compares saysPublished with a plain search, on random texts.
func TestSaysPublished(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	parts := []string{"date", "Published", "P", " ", "dat"}
	for range 5000 {
		var s []byte
		for range r.IntN(6) {
			s = append(s, parts[r.IntN(len(parts))]...)
		}
		if got, want := saysPublished(s), bytes.Contains(s, []byte("datePublished")); got != want {
			t.Fatalf("%q says datePublished: got %t, want %t", s, got, want)
		}
	}
}

// TestHeadingInHeading reads the ranks of the lines of a heading that contains another heading.
func TestHeadingInHeading(t *testing.T) {
	body := []byte(`<h1>a<div><h2>b</h2>c</div>d</h1><p>e</p><h3>f</h3>g`)
	r := &reader{in: &Input{}, t: markup.NewTree(body), besides: map[int32]bool{}, texts: map[int]string{}}
	r.walk()
	var got []string
	for i := range r.lines {
		got = append(got, fmt.Sprint(r.text(i), r.lines[i].heading))
	}
	if got := strings.Join(got, " "); got != "a1 b2 c1 d1 e0 f3 g0" {
		t.Errorf("lines and ranks: %s", got)
	}
}
