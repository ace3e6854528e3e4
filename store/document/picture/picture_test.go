package picture

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/draw"
	"golang.org/x/text/encoding/simplifiedchinese"

	"infomall/store/document"
	"infomall/store/document/documenttest"
	"infomall/store/record"
)

const drawing = `<?xml version="1.0"?>
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd" [<!ENTITY ns_svg "http://www.w3.org/2000/svg">]>
<!-- made by hand --><svg xmlns="http://www.w3.org/2000/svg" width="2in" viewBox="0 0 100 50"><title>Stadtplan</title>
<desc>Die Mitte</desc><style>text{fill:red}</style><a xlink:href="/dom.html"><text x="1">Dom <tspan>am</tspan>
<tspan x="1" y="9">Rhein</tspan></text></a><text display="none">versteckt</text><defs><g visibility="hidden"><text>&lt;footer&gt;</text></g></defs><g visibility="hidden"><text>Rathaus</text></g></svg>`

// bodies returns the files of testdata by name, and the files that this test makes.
func bodies(t *testing.T) map[string][]byte {
	out := map[string][]byte{"drawing.svg": []byte(drawing), "huge.png": hugePNG(), "gbk.jpg": gbkJPEG(t)}
	return documenttest.Testdata(t, out, 10)
}

// hugePNG returns a small file that claims 60000 by 60000 points.
func hugePNG() []byte {
	head := []byte("IHDR\x00\x00\xea\x60\x00\x00\xea\x60\x08\x02\x00\x00\x00")
	b := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), head...)
	sum := crc32.ChecksumIEEE(head)
	return append(b, byte(sum>>24), byte(sum>>16), byte(sum>>8), byte(sum))
}

// gbkJPEG returns a picture with IPTC in GBK, as old Chinese programs wrote it.
func gbkJPEG(t *testing.T) []byte {
	text, err := simplifiedchinese.GBK.NewEncoder().String("未名湖的早晨")
	if err != nil {
		t.Fatal(err)
	}
	iptc := "\x1c\x02\x78\x00" + string(rune(len(text))) + text
	block := "Photoshop 3.0\x008BIM\x04\x04\x00\x00\x00\x00\x00" + string(rune(len(iptc))) + iptc
	var b bytes.Buffer
	if err := jpeg.Encode(&b, scene(1), nil); err != nil {
		t.Fatal(err)
	}
	return bytes.Join([][]byte{{0xff, 0xd8, 0xff, 0xed, 0, byte(len(block) + 2)}, []byte(block), b.Bytes()[2:]}, nil)
}

// TestRead shows what is read out of each format.
func TestRead(t *testing.T) {
	all := bodies(t)
	for _, c := range []struct {
		name, size, tags string
		hash             bool
	}{
		{"base.png", "160x120", "|||||", true},
		{"text.png", "160x120", "Ein Bild|gezeichnet||||", true},
		{"xmp.png", "160x120", "北京大学|未名湖|王||2004-05-05 23:08|39.99,116.3", true},
		{"photo.jpg", "120x160", "|Das Tor|Änne|Canon EOS 300D|2004-05-06 05:08|48.8566,-2.3522", true},
		{"progressive.jpg", "160x120", "Tor|Am Abend|Änne||2004-05-06 07:08|", true},
		{"gbk.jpg", "128x96", "|未名湖的早晨||||", true},
		{"lossy.webp", "160x120", "||||2004-05-06 07:08|", true},
		{"lossless.webp", "160x120", "|未名湖||||", true},
		{"still.gif", "160x120", "Tor|gezeichnet||||", true},
		{"moving.gif", "80x60", "|||||", true},
		{"pages.tif", "80x60", "|zwei Seiten||scan||", true},
		{"base.bmp", "48x36", "|||||", true},
		{"icon.ico", "32x32", "|||||", false},
		{"base.avif", "160x120", "|||||", false},
		{"base.heic", "160x120", "|||||", false},
		{"flat.png", "64x64", "|||||", false},
		{"tiny.gif", "8x8", "|||||", false},
		{"huge.png", "60000x60000", "|||||", false},
		{"drawing.svg", "192x96", "Stadtplan|Die Mitte||||", false},
	} {
		d := documenttest.Read(t, Kind, document.Input{Body: all[c.name]})
		taken := ""
		if d.Taken != record.NoTime {
			taken = d.Taken.Std().Format("2006-01-02 15:04")
		}
		if got := fmt.Sprintf("%dx%d", d.Width, d.Height); got != c.size {
			t.Errorf("%s: size %s, want %s", c.name, got, c.size)
		}
		if got := strings.Join([]string{d.Title, d.Description, d.Author, d.Producer, taken, d.Place}, "|"); got != c.tags {
			t.Errorf("%s: got %q, want %q", c.name, got, c.tags)
		}
		if d.HasPrint != c.hash {
			t.Errorf("%s: has a hash: %v", c.name, d.HasPrint)
		}
		if (d.Reason != "") != (c.name == "huge.png") {
			t.Errorf("%s: reason %q", c.name, d.Reason)
		}
		switch c.name {
		case "moving.gif":
			if d.Duration != 1000 {
				t.Errorf("%s: lasts %d ms, want 1000", c.name, d.Duration)
			}
		case "pages.tif":
			if d.Pages != 2 {
				t.Errorf("%s: %d pages, want 2", c.name, d.Pages)
			}
		case "progressive.jpg":
			if d.Keywords != "Berlin; Nacht" {
				t.Errorf("%s: keywords %q", c.name, d.Keywords)
			}
		case "drawing.svg":
			if got, want := documenttest.Text(d), "Dom am\nRhein\nRathaus\nStadtplan\nDie Mitte\n"; got != want {
				t.Errorf("%s: text %q, want %q", c.name, got, want)
			}
			if len(d.Links) != 1 || d.Links[0].Target != "/dom.html" {
				t.Errorf("%s: links %v", c.name, d.Links)
			}
		}
		delete(all, c.name)
	}
	for name := range all {
		t.Errorf("%s: no case", name)
	}
}

// TestStrayEnds reads an SVG with end tags that end nothing. They do not repeat its last link.
func TestStrayEnds(t *testing.T) {
	d := documenttest.Read(t, Kind, document.Input{Body: []byte(`<svg xmlns="http://www.w3.org/2000/svg"><a href="/x"><text>x</text></a></svg></g></g>`)})
	if len(d.Links) != 1 {
		t.Errorf("links %v, want one", d.Links)
	}
}

// TestIsNot shows that other bodies are not taken for pictures.
func TestIsNot(t *testing.T) {
	for _, body := range []string{
		"", "BMW baut Autos in Bayern", "<html><svg></svg></html>", "<!DOCTYPE html><p><svg></svg>", "<?xml version='1.0'?><html><svg/></html>",
		"RIFF\x00\x00\x00\x00WAVE", "\x00\x00\x01\x00\x00\x00", "\x00\x00\x00\x18ftypisom", "\x1f\x8b\x08",
	} {
		if Kind.Is(&document.Input{Body: []byte(body)}) {
			t.Errorf("%q is taken for a picture", body)
		}
	}
}

// scene returns a drawing. Each number gives another one.
func scene(number int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, 128, 96))
	f := func(k int) float64 { return math.Sin(float64(number*k)*12.9898)*2 + 3 }
	for y := range 96 {
		for x := range 128 {
			u, v := float64(x)/128, float64(y)/96
			b := 128 + 60*math.Sin(f(1)*u*3+f(2)*v*2) + 40*math.Cos(f(3)*v*4-f(4)*u*5+f(5)) + 20*math.Sin(f(6)*(u-v)*9)
			if (u-f(7)/6)*(u-f(7)/6)+(v-f(8)/6)*(v-f(8)/6) < .03 {
				b = 255 - b
			}
			c := uint8(max(0, min(255, b)))
			m.SetRGBA(x, y, color.RGBA{c, c / 2, 255 - c, 255})
		}
	}
	return m
}

// hashOf returns the hash of a picture that is read from a file of some format.
func hashOf(t *testing.T, m image.Image, encode func(*bytes.Buffer, image.Image) error) uint64 {
	t.Helper()
	var b bytes.Buffer
	if err := encode(&b, m); err != nil {
		t.Fatal(err)
	}
	d := documenttest.Read(t, Kind, document.Input{Body: b.Bytes()})
	if !d.HasPrint || d.Reason != "" {
		t.Fatalf("no hash: %s", d.Reason)
	}
	return d.Print
}

func asPNG(b *bytes.Buffer, m image.Image) error { return png.Encode(b, m) }

func asJPEG(quality int) func(*bytes.Buffer, image.Image) error {
	return func(b *bytes.Buffer, m image.Image) error { return jpeg.Encode(b, m, &jpeg.Options{Quality: quality}) }
}

// TestLook shows that scaled, recompressed, converted and slightly cut copies of a picture
// have nearly its hash, and that other pictures have not.
func TestLook(t *testing.T) {
	const scenes, near = 30, 10
	var hashes []uint64
	for n := range scenes {
		m := scene(n + 1)
		want := hashOf(t, m, asPNG)
		hashes = append(hashes, want)
		small := image.NewRGBA(image.Rect(0, 0, 48, 36))
		draw.CatmullRom.Scale(small, small.Bounds(), m, m.Bounds(), draw.Src, nil)
		grey := image.NewGray(m.Bounds())
		draw.Draw(grey, m.Bounds(), m, image.Point{}, draw.Src)
		for name, got := range map[string]uint64{
			"smaller": hashOf(t, small, asPNG), "quality 90": hashOf(t, m, asJPEG(90)), "quality 30": hashOf(t, m, asJPEG(30)),
			"GIF":  hashOf(t, m, func(b *bytes.Buffer, m image.Image) error { return gif.Encode(b, m, nil) }),
			"grey": hashOf(t, grey, asPNG), "cut": hashOf(t, m.SubImage(image.Rect(1, 1, 127, 95)), asPNG),
		} {
			if n := bits.OnesCount64(got ^ want); n > near {
				t.Errorf("scene %d, %s: %d bits differ", n, name, n)
			}
		}
	}
	for i, a := range hashes {
		for j, b := range hashes[:i] {
			if n := bits.OnesCount64(a ^ b); n <= near {
				t.Errorf("scenes %d and %d: only %d bits differ", i, j, n)
			}
		}
	}
}

// TestTurn shows that a picture that must be turned has the hash of the turned one.
func TestTurn(t *testing.T) {
	m := scene(3)
	w, h := m.Bounds().Dx(), m.Bounds().Dy()
	for orientation, at := range map[int]func(x, y int) (int, int){
		2: func(x, y int) (int, int) { return w - 1 - x, y }, 3: func(x, y int) (int, int) { return w - 1 - x, h - 1 - y },
		4: func(x, y int) (int, int) { return x, h - 1 - y }, 5: func(x, y int) (int, int) { return y, x },
		6: func(x, y int) (int, int) { return y, h - 1 - x }, 7: func(x, y int) (int, int) { return w - 1 - y, h - 1 - x },
		8: func(x, y int) (int, int) { return w - 1 - y, x },
	} {
		size := image.Rect(0, 0, w, h)
		if orientation >= 5 {
			size = image.Rect(0, 0, h, w)
		}
		shown := image.NewRGBA(size)
		for y := range size.Dy() {
			for x := range size.Dx() {
				sx, sy := at(x, y)
				shown.Set(x, y, m.At(sx, sy))
			}
		}
		got, _ := look(shrink(m).turn(orientation))
		if want, _ := look(shrink(shown)); got != want {
			t.Errorf("orientation %d: %d bits differ", orientation, bits.OnesCount64(got^want))
		}
	}
}

func TestMutations(t *testing.T) {
	var points [][]byte
	for name, b := range bodies(t) {
		if !strings.HasSuffix(name, ".svg") {
			points = append(points, b)
		}
	}
	slices.SortFunc(points, bytes.Compare) // so that a seed gives the same bodies again
	documenttest.Mutate(t, Kind, "", points...)
	documenttest.Mutate(t, Kind, "image/svg+xml", []byte(drawing))
}
