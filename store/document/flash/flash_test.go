package flash

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/simplifiedchinese"

	"infomall/store/document"
	"infomall/store/document/documenttest"
)

// tag returns a tag of a file.
func tag(kind int, content ...string) string {
	c := strings.Join(content, "")
	return little16(kind<<6|63) + little32(len(c)) + c
}

// action returns an action with operands.
func action(op byte, content string) string {
	return string([]byte{op}) + little16(len(content)) + content
}

func little16(n int) string { return string(binary.LittleEndian.AppendUint16(nil, uint16(n))) }

func little32(n int) string { return string(binary.LittleEndian.AppendUint32(nil, uint32(n))) }

// swf returns a file of 550 by 400 points and 24 frames, 12 a second.
func swf(version byte, tags ...string) []byte {
	head := "\x78\x00\x05\x5f\x00\x00\x0f\xa0\x00\x00\x0c\x18\x00"
	body := head + strings.Join(tags, "") + "\x00\x00"
	return []byte("FWS" + string([]byte{version}) + little32(8+len(body)) + body)
}

// packed returns a file in the form that is packed with zlib.
func packed(t *testing.T, file []byte) []byte {
	var b bytes.Buffer
	b.WriteString("CWS" + string(file[3:8]))
	w := zlib.NewWriter(&b)
	if _, err := w.Write(file[8:]); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// menu is a file with a script, a sprite with a script, buttons of both forms, and a clip
// with a script.
func menu() []byte {
	pool := action(0x88, little16(3)+"_root\x00movies/intro.swf\x00http://news.example/a?b=1\x00") + "\x00"
	push := action(0x96, "\x08\x01\x00ftp://files.example/x.zip\x00\x07\x01\x00\x00\x00") + "\x00"
	button := action(0x83, "/kontakt.html\x00_self\x00") + "\x00"
	clip := "\x80\x01\x00" + "\x00\x00\x02\x00\x00\x00\x02\x00\x00\x00" + little32(20) + action(0x83, "clip.html\x00\x00") + "\x00" + little32(0)
	return swf(5,
		tag(12, pool), tag(39, little16(1)+little16(1)+tag(12, push)+"\x00\x00"),
		tag(7, little16(2), "\x0f\x01\x00\x01\x00\x00\x00", button),
		tag(34, little16(3), "\x00", little16(3), "\x00", little16(0)+little16(8)+action(0x83, "button2.html\x00\x00")+"\x00"),
		tag(26, clip),
		tag(12, action(0x83, "FSCommand:quit\x00\x00")+"\x00"))
}

// text is a file with a font, a text of its glyphs, text fields, metadata and the
// constants of ActionScript 3.
func text() []byte {
	font := tag(48, little16(7), "\x04\x00\x01F", little16(3), little16(8), little16(8), little16(8), little16(8), "H\x00a\x00o\x00")
	// Records: font 7 of height 240, with glyphs of 2 bits and no advance: H a o.
	record := "\x88" + little16(7) + little16(240) + "\x03" + string([]byte{0b00_01_10_00})
	static := tag(11, little16(8), "\x00", "\x00", "\x02\x00", record, "\x00")
	field := tag(37, little16(9), "\x00", "\x80\x02", "name\x00", `<P><A HREF="http://shop.example/">Laden</A> &amp; Preise</P>`+"\x00")
	meta := tag(77, `<rdf:RDF><rdf:Description dc:creator="Anna"><dc:title>Karte</dc:title></rdf:Description></rdf:RDF>`+"\x00")
	abc := tag(82, little32(1), "main\x00", "\x10\x00\x2e\x00", "\x02\x85\x01", "\x00", "\x00", "\x03\x04Main\x14https://api.example/")
	return swf(9, font, static, field, meta, abc)
}

// gbk is a file of version 5 whose text is GBK.
func gbk(t *testing.T) []byte {
	s, err := simplifiedchinese.GBK.NewEncoder().String("欢迎来到北京大学")
	if err != nil {
		t.Fatal(err)
	}
	return swf(5, tag(37, little16(9), "\x00", "\x80\x00", "\x00", s+"\x00"))
}

// TestRead shows what is read out of a file, packed or not.
func TestRead(t *testing.T) {
	menuLinks := []string{"movies/intro.swf", "http://news.example/a?b=1", "ftp://files.example/x.zip", "/kontakt.html", "button2.html", "clip.html"}
	for _, c := range []struct {
		name        string
		body        []byte
		title, text string
		links       []string
	}{
		{"menu", menu(), "", "", menuLinks},
		{"menu, packed", packed(t, menu()), "", "", menuLinks},
		{"text", text(), "Karte", "Hao\nLaden & Preise\nKarte\nAnna\n", []string{"http://shop.example/", "https://api.example/"}},
		{"gbk", gbk(t), "", "欢迎来到北京大学\n", nil},
	} {
		d := documenttest.Read(t, Kind, document.Input{Body: c.body})
		if d.Width != 550 || d.Height != 400 || d.Duration != 2000 || d.Reason != "" {
			t.Errorf("%s: %d by %d points, %d ms, reason %q", c.name, d.Width, d.Height, d.Duration, d.Reason)
		}
		var links []string
		for _, l := range d.Links {
			links = append(links, l.Target)
		}
		if !slices.Equal(links, c.links) {
			t.Errorf("%s: links %q, want %q", c.name, links, c.links)
		}
		if got := documenttest.Text(d); got != c.text || d.Title != c.title {
			t.Errorf("%s: text %q, title %q, want %q, %q", c.name, got, d.Title, c.text, c.title)
		}
	}
}

// TestVideo reads a file that ffmpeg 5.1 made from a test picture of two seconds:
//
//	ffmpeg -f lavfi -i testsrc=duration=2:size=64x48:rate=5 -c:v flv video.swf
func TestVideo(t *testing.T) {
	d := documenttest.Read(t, Kind, document.Input{Body: video(t)})
	if d.Width != 64 || d.Height != 48 || d.Duration != 2000 {
		t.Errorf("%d by %d points, %d ms", d.Width, d.Height, d.Duration)
	}
}

func video(t *testing.T) []byte {
	b, err := os.ReadFile("testdata/video.swf")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestReason shows that a file that cannot be unpacked says so.
func TestReason(t *testing.T) {
	file := packed(t, menu())
	lzma := append([]byte("Z"), menu()[1:]...)
	for _, body := range [][]byte{file[:len(file)-30], file[:10], lzma} {
		if d := documenttest.Read(t, Kind, document.Input{Body: body}); d.Reason == "" {
			t.Errorf("no reason for %q", body[:8])
		}
	}
}

func TestMutations(t *testing.T) {
	documenttest.Mutate(t, Kind, "", menu(), text(), packed(t, text()), gbk(t), video(t))
}
