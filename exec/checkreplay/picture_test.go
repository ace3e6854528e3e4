package checkreplay

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"
)

// plain returns a PNG of one colour.
func plain(t *testing.T, width, height int, c color.Color) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			m.Set(x, y, c)
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestPictureLikeness compares pictures of one colour, of which also the size may differ.
func TestPictureLikeness(t *testing.T) {
	white, black, red := color.White, color.Black, color.RGBA{R: 255, A: 255}
	for _, c := range []struct {
		name string
		a, b []byte
		want float64
	}{
		{"the same", plain(t, 4, 4, red), plain(t, 4, 4, red), 1},
		{"white and black", plain(t, 4, 4, white), plain(t, 4, 4, black), 0},
		{"one colour of three", plain(t, 4, 4, black), plain(t, 4, 4, red), 2. / 3},
		{"half as high", plain(t, 4, 4, white), plain(t, 4, 2, white), .5},
	} {
		for _, pair := range [][2][]byte{{c.a, c.b}, {c.b, c.a}} {
			got, err := pictureLikeness(pair[0], pair[1])
			if err != nil || got < c.want-1e-9 || got > c.want+1e-9 {
				t.Errorf("%s: %v, %v; want %v", c.name, got, err, c.want)
			}
		}
	}
	if _, err := pictureLikeness([]byte("no picture"), plain(t, 1, 1, white)); err == nil {
		t.Error("no error for bytes that are no picture")
	}
}
