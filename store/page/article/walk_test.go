package article

import (
	"bytes"
	"math/rand/v2"
	"testing"
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
