package media

import "testing"

// TestAfter shows that no size of a chunk, not even one that is negative as an int of 32 bits, leads
// to a position outside of the view.
func TestAfter(t *testing.T) {
	v := View("0123456789")
	for _, c := range []struct{ at, n, want int }{{0, 0, 0}, {4, 3, 7}, {4, 6, 10}, {4, 7, 10}, {4, -1, 10}, {4, 1<<31 - 1, 10}, {12, 0, 10}, {0, -1 << 31, 10}} {
		if got := v.After(c.at, c.n); got != c.want {
			t.Errorf("After(%d, %d) is %d, want %d", c.at, c.n, got, c.want)
		}
	}
	if got := View("\xff\x00\x01").Big24(0); got != 0xff0001 {
		t.Errorf("Big24 is %#x", got)
	}
}

// TestChunksOfAnySize reads chunks whose sizes are the largest, or negative as an int of 32 bits.
func TestChunksOfAnySize(t *testing.T) {
	for _, size := range []string{"\xff\xff\xff\xff", "\xf8\xff\xff\xff", "\xf0\xff\xff\xff", "\xff\xff\xff\x7f"} {
		n := 0
		for range Chunks(View("name"+size+"data name\x00\x00\x00\x00"), false) {
			if n++; n > 1 {
				t.Fatalf("size %q: more than one chunk", size)
			}
		}
	}
}
