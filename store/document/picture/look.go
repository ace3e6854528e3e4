package picture

import (
	"image"
	"image/color"
	"math"
	"slices"
)

// side is the width and height of the grid that a picture is made small to, and sideMin
// the least width and height of pictures that have a hash.
const (
	side    = 32
	sideMin = 16
)

// grid is a small picture: brightness from 0 to 255, by row and column.
type grid [side][side]float64

// shrink returns a picture as a grid. Each cell is the mean of the area that it covers.
// What is transparent is white.
func shrink(m image.Image) *grid {
	r := m.Bounds()
	w, h := r.Dx(), r.Dy()
	sums := make([]int64, w+1) // of the brightness of a row, up to each column
	row := rower(m)
	g := &grid{}
	for y := range h {
		row(y, sums)
		var cells [side]float64
		last := 0.0
		for c := range cells {
			x := float64((c + 1) * w)
			i := int(x / side)
			sum := float64(sums[i])
			if rest := x/side - float64(i); rest > 0 {
				sum += rest * float64(sums[i+1]-sums[i])
			}
			cells[c], last = sum-last, sum
		}
		top, bottom := float64(y)*side/float64(h), float64(y+1)*side/float64(h)
		for c := int(top); c < side && float64(c) < bottom; c++ {
			share := min(bottom, float64(c+1)) - max(top, float64(c))
			for x := range cells {
				g[c][x] += share * cells[x]
			}
		}
	}
	for y := range g {
		for x := range g[y] {
			g[y][x] *= side / float64(w)
		}
	}
	return g
}

// luma returns the brightness of a colour from 0 to 255.
func luma(r, g, b int) int { return (299*r + 587*g + 114*b) / 1000 }

// onWhite returns the brightness of a colour that is not premultiplied, on white.
func onWhite(r, g, b, a int) int { return 255 - a*(255-luma(r, g, b))/255 }

// rower returns a function that computes, for row y of the picture m, the running sums of
// brightness: sums[x] is the sum of the first x points.
func rower(m image.Image) func(y int, sums []int64) {
	r := m.Bounds()
	fill := func(sums []int64, at func(x int) int) {
		total := int64(0)
		for x := range len(sums) - 1 {
			total += int64(at(x))
			sums[x+1] = total
		}
	}
	switch m := m.(type) {
	case *image.YCbCr:
		return func(y int, sums []int64) { sumBytes(m.Y[m.YOffset(r.Min.X, r.Min.Y+y):], sums) }
	case *image.Gray:
		return func(y int, sums []int64) { sumBytes(m.Pix[m.PixOffset(r.Min.X, r.Min.Y+y):], sums) }
	case *image.Paletted:
		var light [256]int
		for i, c := range m.Palette {
			light[i&255] = lumaOf(c)
		}
		return func(y int, sums []int64) {
			pix := m.Pix[m.PixOffset(r.Min.X, r.Min.Y+y):]
			fill(sums, func(x int) int { return light[pix[x]] })
		}
	case *image.NYCbCrA:
		return func(y int, sums []int64) {
			light, alpha := m.Y[m.YOffset(r.Min.X, r.Min.Y+y):], m.A[m.AOffset(r.Min.X, r.Min.Y+y):]
			fill(sums, func(x int) int { return 255 - int(alpha[x])*(255-int(light[x]))/255 })
		}
	case *image.Gray16:
		return points(m.Pix, m.Stride, 2, func(p []byte) int { return int(p[0]) }, fill)
	case *image.NRGBA:
		return points(m.Pix, m.Stride, 4, func(p []byte) int { return onWhite(int(p[0]), int(p[1]), int(p[2]), int(p[3])) }, fill)
	case *image.NRGBA64:
		return points(m.Pix, m.Stride, 8, func(p []byte) int { return onWhite(int(p[0]), int(p[2]), int(p[4]), int(p[6])) }, fill)
	case *image.RGBA:
		return points(m.Pix, m.Stride, 4, func(p []byte) int { return luma(int(p[0]), int(p[1]), int(p[2])) + 255 - int(p[3]) }, fill)
	case *image.RGBA64:
		return points(m.Pix, m.Stride, 8, func(p []byte) int { return luma(int(p[0]), int(p[2]), int(p[4])) + 255 - int(p[6]) }, fill)
	case *image.CMYK:
		return points(m.Pix, m.Stride, 4, func(p []byte) int {
			return luma(255-int(p[0]), 255-int(p[1]), 255-int(p[2])) * (255 - int(p[3])) / 255
		}, fill)
	}
	return func(y int, sums []int64) {
		fill(sums, func(x int) int { return lumaOf(m.At(r.Min.X+x, r.Min.Y+y)) })
	}
}

// points returns the function of rower for pictures whose points have size bytes each. All
// such pictures that a decoder returns begin at the first byte of pix.
func points(pix []byte, stride, size int, light func(p []byte) int, fill func([]int64, func(int) int)) func(int, []int64) {
	return func(y int, sums []int64) {
		row := pix[y*stride:]
		fill(sums, func(x int) int { return light(row[size*x : size*x+size]) })
	}
}

func sumBytes(pix []byte, sums []int64) {
	total := int64(0)
	for x := range len(sums) - 1 {
		total += int64(pix[x])
		sums[x+1] = total
	}
}

func lumaOf(c color.Color) int {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	return onWhite(int(n.R), int(n.G), int(n.B), int(n.A))
}

// turn returns g turned and mirrored as the EXIF orientation, from 1 to 8, says.
func (g *grid) turn(orientation int) *grid {
	out := &grid{}
	for y := range g {
		for x := range g[y] {
			const last = side - 1
			to := [...][2]int{{x, y}, {last - x, y}, {last - x, last - y}, {x, last - y}, {y, x}, {last - y, x}, {last - y, last - x}, {y, last - x}}[orientation-1]
			out[to[1]][to[0]] = g[y][x]
		}
	}
	return out
}

// waves is how many waves, across and down, the hash is made of. Wave 0 does not change.
const waves = 8

// cosines has the waves: cosines[k][x] is wave k, of k half periods, at column x.
var cosines = func() (c [waves][side]float64) {
	for k := range c {
		for x := range c[k] {
			c[k][x] = math.Cos(math.Pi * float64(k) * (float64(x) + .5) / side)
		}
	}
	return c
}()

// flat is the standard deviation of the brightness of a grid below which a picture is of
// one colour.
const flat = 4.0

// margin is how much stronger than the median a wave must be, as a share of the mean
// strength. Half of the waves of a symmetric drawing have no strength at all; without the
// margin their bits would be noise.
const margin = .03

// look returns the perceptual hash of a picture (pHash). Bit 8*v+u says whether wave u
// across times wave v down is stronger than the median. Bit 0, the brightness of the
// picture, is not used. ok is false for a picture of one colour. Two pictures that look
// alike differ in few bits.
//
// Measured on 242 photos, drawings and icons: all of their copies that are scaled,
// recompressed, grey or cut by 1 percent differ in at most 10 bits, of those cut by 2
// percent 98, by 4 percent 68, with a black border 84, with a white one 91. Of the 29,161
// pairs of different pictures 70 do, 56 of them icons of one family. The hash by
// differences of neighbours (dHash) has five times as many such pairs among photos.
func look(g *grid) (hash uint64, ok bool) {
	sum, squares := 0.0, 0.0
	for y := range g {
		for _, b := range g[y] {
			sum += b
			squares += b * b
		}
	}
	const cells = side * side
	if mean := sum / cells; squares/cells-mean*mean < flat*flat {
		return 0, false
	}
	var across [side][waves]float64
	for y := range g {
		for u := range waves {
			for x, b := range g[y] {
				across[y][u] += b * cosines[u][x]
			}
		}
	}
	var strength [waves * waves]float64
	for v := range waves {
		for u := range waves {
			for y := range side {
				strength[v*waves+u] += across[y][u] * cosines[v][y]
			}
		}
	}
	sorted, energy := strength, 0.0
	slices.Sort(sorted[1:])
	for _, s := range sorted[1:] {
		energy += s * s
	}
	least := sorted[waves*waves/2] + margin*math.Sqrt(energy/(waves*waves-1))
	for i, s := range strength[1:] {
		if s > least {
			hash |= 2 << i
		}
	}
	return hash, true
}
