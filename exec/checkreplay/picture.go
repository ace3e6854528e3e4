package checkreplay

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
)

// pixelsMax is the maximum number of pixels of a picture that is compared.
const pixelsMax = 32 << 20

// pictureLikeness returns how alike two PNGs are, from 0 to 1: 1 minus the mean
// difference of their pixels, where black and white differ by 1. A place that only one
// of the pictures has counts as different.
func pictureLikeness(a, b []byte) (float64, error) {
	x, err := picture(a)
	if err != nil {
		return 0, fmt.Errorf("the picture of the crawl: %w", err)
	}
	y, err := picture(b)
	if err != nil {
		return 0, fmt.Errorf("the picture of replay: %w", err)
	}
	p, q := x.Bounds(), y.Bounds()
	width, height := max(p.Dx(), q.Dx()), max(p.Dy(), q.Dy())
	if width == 0 || height == 0 {
		return 1, nil
	}
	differs := 0.0
	for row := range height {
		sum := 0 // at most 3*255 for each pixel
		for col := range width {
			if row >= p.Dy() || row >= q.Dy() || col >= p.Dx() || col >= q.Dx() {
				sum += 3 * 255
				continue
			}
			r, g, b, _ := x.At(p.Min.X+col, p.Min.Y+row).RGBA()
			s, h, c, _ := y.At(q.Min.X+col, q.Min.Y+row).RGBA()
			sum += distance(r, s) + distance(g, h) + distance(b, c)
		}
		differs += float64(sum)
	}
	return 1 - differs/(3*255*float64(width)*float64(height)), nil
}

// distance returns the difference of two values of a colour, 0 to 255.
func distance(a, b uint32) int {
	d := int(a>>8) - int(b>>8)
	return max(d, -d)
}

// picture decodes a PNG of at most pixelsMax pixels.
func picture(body []byte) (image.Image, error) {
	c, err := png.DecodeConfig(bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("it is no PNG: %w", err)
	}
	if int64(c.Width)*int64(c.Height) > pixelsMax {
		return nil, fmt.Errorf("it is too large to compare: %d × %d", c.Width, c.Height)
	}
	return png.Decode(bytes.NewReader(body))
}
