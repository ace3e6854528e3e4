package video

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"strconv"
	"strings"
	"testing"

	"infomall/store/document"
	"infomall/store/document/documenttest"
	"infomall/store/document/media"
	"infomall/store/record"
)

// bodies returns the files of testdata by name, and the files that this test makes.
func bodies(t *testing.T) map[string][]byte {
	out := documenttest.Testdata(t, make(map[string][]byte), 10)
	out["packed.mov"] = packedMovie(t, out["test.mov"])
	out["cut.mov"] = out["test.mov"][:200]
	return out
}

// box returns a box of QuickTime.
func box(name string, content ...[]byte) []byte {
	c := bytes.Join(content, nil)
	return append(append(binary.BigEndian.AppendUint32(nil, uint32(len(c)+8)), name...), c...)
}

// packedMovie returns a movie whose description is compressed, as QuickTime wrote it for
// the web.
func packedMovie(t *testing.T, movie []byte) []byte {
	moov := box("moov", media.Box(movie, "moov"))
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	if _, err := w.Write(moov); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	size := binary.BigEndian.AppendUint32(nil, uint32(len(moov)))
	return box("moov", box("cmov", box("dcom", []byte("zlib")), box("cmvd", size, z.Bytes())))
}

// TestRead shows what is read out of each format. The files of testdata last 2 seconds.
// The clocks of MPEG end before the last picture, so that its files seem shorter.
func TestRead(t *testing.T) {
	all := bodies(t)
	const (
		lieder = "Morgenlied|Änne|Lieder; aufgenommen"
		small  = "64x48"
	)
	for _, c := range []struct {
		name, want, size, created, place string
		duration                         int64
	}{
		{"test.mp4", lieder, small, "2004-05-06 07:08", "48.856598,2.352188", 2000},
		{"test.mov", lieder, small, "2004-05-06 07:08", "", 2000},
		{"packed.mov", lieder, small, "2004-05-06 07:08", "", 2000},
		{"keys.mov", lieder, small, "", "48.8566,2.3522", 2000},
		{"fragments.mp4", lieder, small, "2004-01-01 00:00", "", -1},
		{"test.3gp", lieder, "128x96", "", "", 2000},
		{"test.webm", lieder, small, "2004-01-01 00:00", "", 2000},
		{"test.mkv", lieder, small, "2004-01-01 00:00", "", 2000},
		{"test.avi", lieder, small, "2004-01-01 00:00", "", 2000},
		{"test.flv", "Morgenlied|Änne|aufgenommen", small, "2004-01-01 00:00", "", 2000},
		{"test.wmv", lieder, small, "2004-01-01 00:00", "", 2000},
		{"test.rm", "Morgenlied||aufgenommen", small, "", "", 2000},
		{"test.ogv", lieder, small, "2004-01-01 00:00", "", 2000},
		{"test.mpg", "||", small, "", "", 820},
		{"test.vob", "||", small, "", "", 1740},
		{"test.ts", "||", small, "", "", 1800},
		{"cut.mov", "||", "-1x-1", "", "", -1},
	} {
		d := documenttest.Read(t, Kind, document.Input{Body: all[c.name]})
		created := ""
		if d.Created != record.NoTime {
			created = d.Created.Std().Format("2006-01-02 15:04")
		}
		got := []string{d.Title + "|" + d.Author + "|" + d.Description, number(d.Width) + "x" + number(d.Height), created, d.Place, number(d.Duration)}
		want := []string{c.want, c.size, c.created, c.place, number(c.duration)}
		if g, w := strings.Join(got, " "), strings.Join(want, " "); g != w {
			t.Errorf("%s: got  %q\n%*s want %q", c.name, g, len(c.name), "", w)
		}
		if (d.Reason != "") != (c.name == "cut.mov") {
			t.Errorf("%s: reason %q", c.name, d.Reason)
		}
		delete(all, c.name)
	}
	for name := range all {
		t.Errorf("%s: no case", name)
	}
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

// TestIsNot shows that other bodies are not taken for video.
func TestIsNot(t *testing.T) {
	for _, body := range []string{"", "RIFF\x00\x00\x00\x00WEBP", "\x00\x00\x00\x18ftypavif", "\x00\x00\x00\x18ftypM4A ", "GGGG", "<html>", "OggS\x00\x02"} {
		if Kind.Is(&document.Input{Body: []byte(body)}) {
			t.Errorf("%q is taken for video", body)
		}
	}
}

func TestMutations(t *testing.T) {
	for _, b := range bodies(t) {
		documenttest.Mutate(t, Kind, "", b)
	}
}
