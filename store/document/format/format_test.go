package format

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"
)

// sample is the beginning and the end of a file of a format, as its specification says.
type sample struct {
	name, body string
	want       ID
}

// x returns the bytes of hexadecimal digits.
func x(digits string) string {
	b, err := hex.DecodeString(strings.ReplaceAll(digits, " ", ""))
	if err != nil {
		panic(err)
	}
	return string(b)
}

func zeros(n int) string { return strings.Repeat("\x00", n) }

// samples are small, hand-made beginnings of files.
var samples = []sample{
	{"PNG 1.0", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + x("00000001 00000001 08 00 00 00 00 3a7e9b55") + "\x00\x00\x00\nIDAT" + x("789c63600000000200015b1e0000") + "\x00\x00\x00\x00IEND\xaeB`\x82", "fmt/11"},
	{"PNG 1.2", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + x("00000001 00000001 08 00 00 00 00 3a7e9b55") + "\x00\x00\x00\x10iTXtTitle\x00\x00\x00\x00\x00Baum\x00\x00\x00\x00IDAT\x00\x00\x00\x00IEND\xaeB`\x82", "fmt/13"},
	{"GIF 87a", "GIF87a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;", "fmt/3"},
	{"GIF 89a", "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;", "fmt/4"},
	{"JPEG", "\xff\xd8\xff\xdb\x00C\x00" + zeros(64) + "\xff\xd9", "fmt/41"},
	{"JFIF 1.00", "\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x00\x00\x00\x01\x00\x01\x00\x00" + zeros(32) + "\xff\xd9", "fmt/42"},
	{"JFIF 1.01", "\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x01\x00H\x00H\x00\x00" + zeros(32) + "\xff\xd9", "fmt/43"},
	{"JFIF 1.02", "\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x02\x01\x00H\x00H\x00\x00" + zeros(32) + "\xff\xd9", "fmt/44"},
	{"Exif 2.2", "\xff\xd8\xff\xe1\x00\x80Exif\x00\x00II*\x00\x08\x00\x00\x00" + zeros(32) + "\x00\x90\x07\x00\x04\x00\x00\x000220" + zeros(32) + "\xff\xd9", "x-fmt/391"},
	{"TIFF, little-endian", "II*\x00\x08\x00\x00\x00\x01\x00" + zeros(16), "fmt/353"},
	{"TIFF, big-endian", "MM\x00*\x00\x00\x00\x08\x00\x01" + zeros(16), "fmt/353"},
	{"BMP 3", "BM\x3a\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00\x28\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x01\x00\x18\x00" + zeros(28), "fmt/116"},
	{"ICO", "\x00\x00\x01\x00\x01\x00\x10\x10\x00\x00\x01\x00\x20\x00\x68\x04\x00\x00\x16\x00\x00\x00\x28\x00\x00\x00\x10\x00\x00\x00\x20\x00\x00\x00\x01\x00\x20" + zeros(32), "x-fmt/418"},
	{"WebP, lossy", "RIFF\x1a\x00\x00\x00WEBPVP8 \x0e\x00\x00\x00" + zeros(14), "fmt/566"},
	{"WebP, lossless", "RIFF\x1a\x00\x00\x00WEBPVP8L\x0e\x00\x00\x00" + zeros(14), "fmt/567"},
	{"Photoshop", "8BPS\x00\x01" + zeros(6) + "\x00\x03\x00\x00\x00\x01\x00\x00\x00\x01\x00\x08\x00\x03" + zeros(16), "x-fmt/92"},
	{"JPEG 2000", "\x00\x00\x00\x0cjP  \r\n\x87\n\x00\x00\x00\x14ftypjp2 \x00\x00\x00\x00jp2 ", "x-fmt/392"},
	{"DjVu", "AT&TFORM\x00\x00\x01\x00DJVUINFO\x00\x00\x00\x0a", "fmt/255"},
	{"PCX 3.0", "\x0a\x05\x01\x08" + zeros(8) + "H\x00H\x00" + zeros(112), "fmt/90"},
	{"WMF", "\xd7\xcd\xc6\x9a\x00\x00\x00\x00\x00\x00\x64\x00\x64\x00\x48\x00\x00\x00\x00\x00\x8c\x53\x01\x00\x09\x00\x00\x03", "x-fmt/119"},
	{"PDF 1.0", pdf("1.0"), "fmt/14"}, {"PDF 1.1", pdf("1.1"), "fmt/15"}, {"PDF 1.2", pdf("1.2"), "fmt/16"}, {"PDF 1.3", pdf("1.3"), "fmt/17"},
	{"PDF 1.4", pdf("1.4"), "fmt/18"}, {"PDF 1.5", pdf("1.5"), "fmt/19"}, {"PDF 1.6", pdf("1.6"), "fmt/20"}, {"PDF 1.7", pdf("1.7"), "fmt/276"}, {"PDF 2.0", pdf("2.0"), "fmt/1129"},
	{"PDF/A-1a", "%PDF-1.4\n" + pdfa("1", "A") + "\n%%EOF\n", "fmt/95"},
	{"PDF/A-1b", "%PDF-1.4\n" + pdfa("1", "B") + "\n%%EOF\n", "fmt/354"},
	{"PDF/A-2b", "%PDF-1.7\n" + pdfa("2", "B") + "\n%%EOF\n", "fmt/477"},
	{"PDF/A-1b, far from both ends", "%PDF-1.4\n" + strings.Repeat("0 0 m 1 1 l S\n", 9000) + pdfa("1", "B") + strings.Repeat("0 0 m 1 1 l S\n", 9000) + "\n%%EOF\n", "fmt/354"},
	{"PostScript 3.0", "%!PS-Adobe-3.0\n%%Title: x\n%%EOF\n", "x-fmt/408"},
	{"EPS 3.0", "%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 1 1\n%%EOF\n", "fmt/124"},
	{"RTF 1.6", "{\\rtf1\\ansi\\ansicpg1252\\uc1 \\deff0\\deflang1033\\deflangfe1033{\\fonttbl{\\f0\\froman Times;}}{\\stylesheet{\\ql \\li0\\ri0\\widctlpar\\aspalpha\\aspnum\\faauto\\adjustright\\rin0\\lin0\\itap0 Normal;}}{\\info{\\title x}} x}", "fmt/50"},
	{"zip", "PK\x03\x04\x14\x00\x00\x00\x00\x00" + zeros(4) + zeros(12) + "\x01\x00\x00\x00a" + "PK\x01\x02\x14\x00\x14\x00" + zeros(20) + "\x01\x00" + zeros(16) + "a" + "PK\x05\x06\x00\x00\x00\x00\x01\x00\x01\x00\x2f\x00\x00\x00\x1f\x00\x00\x00\x00\x00", "x-fmt/263"},
	{"gzip", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x4b\x04\x00\x43\xbe\xb7\xe8\x01\x00\x00\x00", "x-fmt/266"},
	{"bzip2", "BZh91AY&SY\x19\x93\x9bk" + zeros(20), "x-fmt/268"},
	{"xz", "\xfd7zXZ\x00\x00\x04\xe6\xd6\xb4F" + zeros(12) + "\x04YZ", "fmt/1098"},
	{"7z", "7z\xbc\xaf'\x1c\x00\x04" + zeros(24), "fmt/484"},
	{"RAR", "Rar!\x1a\x07\x00\xcf\x90s\x00\x00\r" + zeros(7) + "\x00\x00t\x20\x80\x2e\x00\x0d\x00\x00\x00\x0d\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x14\x30" + zeros(20), "x-fmt/264"},
	{"RAR 5", "Rar!\x1a\x07\x01\x00\x33\x92\xb5\xe5" + zeros(20), "fmt/613"},
	{"tar", "a" + zeros(99) + "0000644\x000000000\x000000000\x0000000000001\x0014567012345\x00012345\x00 0" + zeros(100) + "ustar\x0000root" + zeros(300), "x-fmt/265"},
	{"WARC 1.0", "WARC/1.0\r\nWARC-Type: warcinfo\r\nWARC-Date: 2008-04-30T20:48:25Z\r\nWARC-Record-ID: <urn:uuid:1>\r\nContent-Length: 0\r\n\r\n\r\n\r\n", "fmt/1355"},
	{"WARC 1.1", "WARC/1.1\r\nWARC-Type: warcinfo\r\nWARC-Date: 2008-04-30T20:48:25Z\r\nWARC-Record-ID: <urn:uuid:1>\r\nContent-Length: 0\r\n\r\n\r\n\r\n", "fmt/1281"},
	{"ARC 1.1", "filedesc://x.arc 0.0.0.0 20080430204825 text/plain 73\n1 1 InternetArchive\nURL IP-address Archive-date Content-type Archive-length\n", "fmt/410"},
	{"HTML", "<html><head><title>x</title></head><body>y</body></html>\n", "fmt/96"},
	{"HTML 2.0", "<!DOCTYPE HTML PUBLIC \"-//IETF//DTD HTML 2.0//EN\">\n<html><body>y</body></html>\n", "fmt/97"},
	{"HTML 3.2", "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 3.2 Final//EN\">\n<html><body>y</body></html>\n", "fmt/98"},
	{"HTML 4.0", "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.0 Transitional//EN\">\n<html><body>y</body></html>\n", "fmt/99"},
	{"HTML 4.01", "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01 Transitional//EN\">\n<html><body>y</body></html>\n", "fmt/100"},
	{"HTML 5", "<!DOCTYPE html>\n<html><body>y</body></html>\n", "fmt/471"},
	{"XHTML 1.0", "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\" \"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd\">\n<html xmlns=\"http://www.w3.org/1999/xhtml\"><head><title>x</title></head><body/></html>", "fmt/102"},
	{"XML", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<a/>\n", "fmt/101"},
	{"SVG 1.1", "<?xml version=\"1.0\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"1\" height=\"1\"></svg>", "fmt/92"},
	{"MP3", "ID3\x03\x00\x00\x00\x00\x00\x00" + strings.Repeat("\xff\xfb\x90\x00"+zeros(413), 12), "fmt/134"},
	{"WAV, PCM", "RIFF\x28\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x44\xac\x00\x00\x88\x58\x01\x00\x02\x00\x10\x00data\x04\x00\x00\x00\x00\x00\x00\x00", "fmt/141"},
	{"AVI", "RIFF\x00\x01\x00\x00AVI LIST\x00\x00\x00\x00hdrlavih8\x00\x00\x00" + zeros(56), "fmt/5"},
	{"Ogg Vorbis", "OggS\x00\x02" + zeros(20) + "\x01\x1e\x01vorbis\x00\x00\x00\x00\x02\x44\xac\x00\x00" + zeros(14) + "OggS\x00\x00", "fmt/203"},
	{"FLAC", "fLaC\x00\x00\x00\x22\x10\x00\x10\x00" + zeros(30), "fmt/279"},
	{"MIDI", "MThd\x00\x00\x00\x06\x00\x01\x00\x02\x01\xe0MTrk\x00\x00\x00\x04\x00\xff\x2f\x00", "x-fmt/230"},
	{"AU", ".snd\x00\x00\x00\x18\x00\x00\x00\x04\x00\x00\x00\x01\x00\x00\x1f\x40\x00\x00\x00\x01" + zeros(8), "x-fmt/139"},
	{"MP4", "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom\x00\x00\x00\x08free\x00\x00\x00\x6cmoov\x00\x00\x00\x64mvhd" + zeros(92), "fmt/199"},
	{"MP4, its index far from both ends", "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom\x00\x02\x00\x08mdat" + zeros(1<<17) + "\x00\x00\x00\x6cmoov\x00\x00\x00\x64mvhd" + zeros(1<<17), "fmt/199"},
	{"QuickTime", "\x00\x00\x00\x14ftypqt  \x20\x05\x03\x00qt  \x00\x00\x00\x08wide\x00\x00\x00\x08mdat\x00\x00\x00\x6cmoov\x00\x00\x00\x64mvhd" + zeros(92), "x-fmt/384"},
	{"Matroska", "\x1aE\xdf\xa3\xa3B\x86\x81\x01B\xf7\x81\x01B\xf2\x81\x04B\xf3\x81\x08B\x82\x88matroskaB\x87\x81\x02B\x85\x81\x02", "fmt/569"},
	{"WebM", "\x1aE\xdf\xa3\x9fB\x86\x81\x01B\xf7\x81\x01B\xf2\x81\x04B\xf3\x81\x08B\x82\x84webmB\x87\x81\x02B\x85\x81\x02", "fmt/573"},
	{"FLV", "FLV\x01\x05\x00\x00\x00\x09\x00\x00\x00\x00\x12\x00\x00\x10", "x-fmt/382"},
	{"Flash 6", "FWS\x06\x40\x00\x00\x00" + zeros(20), "fmt/109"},
	{"Flash 9, compressed", "CWS\x09\x40\x00\x00\x00x\x9c" + zeros(20), "fmt/506"},
	{"RealMedia", ".RMF\x00\x00\x00\x12\x00\x00\x00\x00\x00\x00\x00\x00\x00\x06PROP\x00\x00\x00\x32\x00\x00", "x-fmt/190"},
	{"Windows Media", x("3026b2758e66cf11a6d900aa0062ce6c 1e00000000000000 01000000 0102") + zeros(16), "fmt/131"},
	{"ELF", "\x7fELF\x02\x01\x01\x00" + zeros(8) + "\x02\x00\x3e\x00\x01\x00\x00\x00" + zeros(40), "fmt/690"},
	{"Java class", "\xca\xfe\xba\xbe\x00\x00\x00\x34\x00\x0a", "x-fmt/415"},
	{"WOFF", "wOFF\x00\x01\x00\x00\x00\x00\x01\x00\x00\x01\x00\x00" + zeros(28), "fmt/616"},
	{"WOFF 2", "wOF2\x00\x01\x00\x00\x00\x00\x01\x00\x00\x01\x00\x00" + zeros(28), "fmt/1172"},
	{"SQLite 3", "SQLite format 3\x00\x10\x00\x01\x01\x00\x40\x20\x20" + zeros(76), "fmt/729"},
	{"CHM", "ITSF\x03\x00\x00\x00\x60\x00\x00\x00\x01\x00\x00\x00" + zeros(16), "fmt/634"},
	{"CAB", "MSCF\x00\x00\x00\x00\x40\x00\x00\x00" + zeros(4) + "\x2c\x00\x00\x00\x00\x00\x00\x00\x03\x01\x01\x00\x01\x00" + zeros(16), "x-fmt/414"},
	{"AutoCAD 2000", "AC1015\x00\x00\x00\x00\x00\x00\x06\x01" + zeros(32), "fmt/35"},
	{"vCard 3", "BEGIN:VCARD\r\nVERSION:3.0\r\nN:Doe;Jane\r\nEND:VCARD\r\n", "fmt/1880"},
	{"iCalendar", "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x\r\nEND:VCALENDAR\r\n", "fmt/388"},
	{"WordPerfect 6", "\xffWPC\x10\x00\x00\x00\x01\x0a\x02\x01" + zeros(16), "x-fmt/44"},
	{"OLE2", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + zeros(16) + "\x3e\x00\x03\x00\xfe\xff\x09\x00\x06\x00" + zeros(600), "fmt/111"},
	{"Excel 4 worksheet", "\x09\x04\x06\x00\x00\x00\x10\x00\x00\x00" + zeros(20) + "\x0a\x00\x00\x00", "fmt/57"},
	{"Shockwave 3D, unknown", "\x01\x02\x03\x04\x05\x06\x07\x08", ""},
	{"empty", "", ""},
	{"plain", "Dear reader,\nthis is a text.\n", "x-fmt/111"},
}

func pdf(version string) string {
	return "%PDF-" + version + "\n%\xe2\xe3\xcf\xd3\n1 0 obj <</Type /Catalog>> endobj\ntrailer <</Root 1 0 R>>\nstartxref\n9\n%%EOF\n"
}

func pdfa(part, conformance string) string {
	return `<rdf:Description rdf:about="" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/"><pdfaid:part>` + part + `</pdfaid:part><pdfaid:conformance>` + conformance + `</pdfaid:conformance></rdf:Description>`
}

// TestFormats identifies the beginnings of files of many formats.
func TestFormats(t *testing.T) {
	for _, s := range samples {
		f := Identify([]byte(s.body))
		if f.ID != s.want {
			got, _ := Of(f.ID)
			t.Errorf("%s: %s %s %v, want %s", s.name, f.ID, got.Title(), f.Others, s.want)
		}
		if _, known := Of(f.ID); known != (f.ID != "") {
			t.Errorf("%s: Of(%q) is %t", s.name, f.ID, known)
		}
	}
}

// TestNames shows the names of formats.
func TestNames(t *testing.T) {
	for id, want := range map[ID]string{
		"fmt/18":    "Acrobat PDF 1.4 - Portable Document Format",
		"fmt/100":   "Hypertext Markup Language 4.01",
		"fmt/13":    "Portable Network Graphics 1.2",
		"x-fmt/111": "Plain Text File",
	} {
		f, ok := Of(id)
		if got := f.Title(); !ok || got != want || f.ID != id {
			t.Errorf("%s is %q, want %q", id, got, want)
		}
	}
	if f, _ := Of("fmt/11"); !slices.Equal(f.Mimes, []string{"image/png"}) {
		t.Errorf("the media types of PNG are %q", f.Mimes)
	}
	for _, id := range []ID{"", "fmt/", "fmt/0", "fmt/18 ", "fmt/018", "x-fmt/-1", "fmt/99999", "18"} {
		if f, ok := Of(id); ok {
			t.Errorf("%q is %s", id, f.Name)
		}
	}
	if about := string(registry().about); !strings.Contains(about, "Open Government Licence v3.0") || !strings.Contains(about, "version 122") {
		t.Errorf("the table says of itself: %s", about)
	}
	for i := range registry().size() {
		if id := registry().id(i); registry().find(id) != i {
			t.Errorf("%s is not found", id)
		}
	}
}

// TestText tells texts from other bodies, and does not take a text for a rare format whose
// signature is a few letters.
func TestText(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		want       ID
	}{
		{"ASCII", "a,b\r\n1,2\r\n", plainText},
		{"UTF-8", "图书馆新馆开放", plainText},
		{"UTF-8 with mark", "\xef\xbb\xbfText", plainText},
		{"UTF-16 with mark", "\xff\xfeT\x00e\x00x\x00t\x00\xe4\x00", plainText},
		{"UTF-16", "\x00T\x00e\x00x\x00t\x00\n", plainText},
		{"UTF-16 without a mark, Chinese", "\x7e\x76\xa6\x5e\x74\x5e\xa6\x5e\xa5\x62\x4a\x54\x2d\x4e\xfd\x56\x02\x30\x0a\x00", plainText},
		{"UTF-16, Chinese", "\xff\xfe\xfe\x56\x66\x4e\x86\x99", plainText},
		{"windows-1252", "Stra\xdfe und Stra\xdfen, gr\xfc\xdf dich\n", plainText},
		{"GBK", strings.Repeat("\xcd\xbc\xca\xe9\xb9\xdd\xd0\xc2\xb9\xdd\xbf\xaa\xb7\xc5\xa3\xac\xbb\xb6\xd3\xad\xb4\xf3\xbc\xd2\xa1\xa3", 8), plainText},
		{"ISO-2022-JP", "\x1b$BF|K\\8l\x1b(B\n", plainText},
		{"a text that begins like an executable", "MZ was the first.\n", plainText},
		{"a table that begins like PrimeOCR", "430,1,2\n431,3,4\n", plainText},
		{"a sentence that begins like a recording", "RIFFs are played on guitars.\n", plainText},
		{"a list that begins like a drawing", "AC1015 is a part number, AC1016 is another\n", plainText},
		{"HTML without an end", "<html><head><title>x</title><body>y", html},
		{"HTML after comments", "<!-- a -->\n<!--#include virtual=\"b\" --><div class=x>y</div>", html},
		{"HTML in UTF-16", "\xff\xfe<\x00p\x00>\x00a\x00", html},
		{"a text in angle brackets", "<jane@example.com> wrote:\n", plainText},
		{"a comment without an end", "<!-- a", plainText},
		{"zeros", zeros(200_000), ""},
		{"noise", "\x00\x01\x80\xff\x7f\x03\x90\x81", ""},
		{"one control character", "a text\x02", ""},
	} {
		if f := Identify([]byte(tt.body)); f.ID != tt.want {
			t.Errorf("%s: %q by %s, want %q", tt.name, f.ID, f.Basis, tt.want)
		}
	}
}

// TestEnds identifies a body of which only the ends are known.
func TestEnds(t *testing.T) {
	for _, s := range samples {
		if strings.Contains(s.name, "far from") || strings.HasPrefix(s.name, "SVG") {
			continue // pieces of its signature that follow one another are at both ends
		}
		middle := zeros(300_000)
		if s.want == plainText || strings.HasPrefix(s.body, "<") {
			middle = strings.Repeat("long ", 60_000)
		}
		at := len(s.body) / 2
		whole := []byte(s.body[:at] + middle + s.body[at:])
		want := Identify(whole)
		first, last := whole[:endBytes], whole[len(whole)-endBytes:]
		if got := IdentifyEnds(first, last, int64(len(whole))); got.ID != want.ID {
			t.Errorf("%s: %s by the ends, %s by all", s.name, got.ID, want.ID)
		}
	}
}
