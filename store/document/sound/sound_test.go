package sound

import (
	"bytes"
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"golang.org/x/text/encoding/simplifiedchinese"

	"infomall/store/document"
	"infomall/store/document/documenttest"
)

// bodies returns the files of testdata by name, and the files that this test makes.
func bodies(t *testing.T) map[string][]byte {
	out := map[string][]byte{
		"gbk.mp3": gbkMP3(t), "old.ra": realAudio3(), "song.mid": song(), "song.rmi": wrapped(song()), "ape.mp3": apeMP3(t),
	}
	return documenttest.Testdata(t, out, 10)
}

// frames returns the frames of a file of testdata, without its tags.
func frames(t *testing.T) []byte {
	b, err := os.ReadFile("testdata/cbr.mp3")
	if err != nil {
		t.Fatal(err)
	}
	return b[id3Size(b):]
}

// gbkMP3 returns a file as old Chinese programs wrote it: the tags say Latin-1 and are GBK.
func gbkMP3(t *testing.T) []byte {
	gbk := func(s string) string {
		out, err := simplifiedchinese.GBK.NewEncoder().String(s)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	var tag bytes.Buffer
	for _, f := range [][2]string{{"TIT2", gbk("东风破")}, {"TPE1", gbk("周杰伦")}, {"TCON", "(13)"}, {"TALB", gbk("叶惠美")}} {
		tag.WriteString(f[0])
		_ = binary.Write(&tag, binary.BigEndian, uint32(len(f[1])+1))
		tag.WriteString("\x00\x00\x00" + f[1])
	}
	head := []byte("ID3\x03\x00\x00\x00\x00\x00")
	v1 := append([]byte("TAG"+gbk("东风破")), make([]byte, 125)...)[:128]
	return bytes.Join([][]byte{head, {byte(tag.Len())}, tag.Bytes(), frames(t), v1}, nil)
}

// apeMP3 returns a file with a tag APE.
func apeMP3(t *testing.T) []byte {
	item := "\x05\x00\x00\x00\x00\x00\x00\x00Title\x00Lied\xc3"
	item = strings.Replace(item, "Lied\xc3", "Lieds", 1)
	foot := "APETAGEX\xd0\x07\x00\x00" + string([]byte{byte(len(item) + 32), 0, 0, 0, 1, 0, 0, 0}) + strings.Repeat("\x00", 12)
	return append(frames(t), item+foot...)
}

// realAudio3 returns a file of RealAudio 1.0 of 10 seconds.
func realAudio3() []byte {
	b := []byte(".ra\xfd\x00\x03\x00\x39\x00\x00\x00\x00\x00\x00\x00\x00\xea\x60\x00\x00\x27\x10")
	for _, s := range []string{"Nachrichten", "Rundfunk", "1996", ""} {
		b = append(append(b, byte(len(s))), s...)
	}
	return append(b, make([]byte, 10_000)...)
}

// song returns a MIDI file: a quarter note lasts half a second, and after four of them one
// second; it has eight.
func song() []byte {
	track := "\x00\xff\x03\x05Aria!" + "\x00\xff\x05\x03la " + "\x00\x90\x40\x40" + "\x83\x00\x40\x00" + "\x00\xff\x05\x02lu" +
		"\x00\xff\x51\x03\x0f\x42\x40" + "\x83\x00\xff\x2f\x00"
	return []byte("MThd\x00\x00\x00\x06\x00\x00\x00\x01\x00\x60MTrk\x00\x00\x00" + string([]byte{byte(len(track))}) + track)
}

// wrapped returns a MIDI file in RIFF.
func wrapped(song []byte) []byte {
	size := func(n int) string { return string(binary.LittleEndian.AppendUint32(nil, uint32(n))) }
	return []byte("RIFF" + size(len(song)+12) + "RMIDdata" + size(len(song)) + string(song))
}

// TestRead shows what is read out of each format. The files of testdata last 2
// seconds, sine.aiff and sine.au one.
func TestRead(t *testing.T) {
	all := bodies(t)
	const lieder = "Morgenlied|Änne|Lieder; aufgenommen|2004"
	for _, c := range []struct {
		name, want string
		duration   int64
	}{
		{"xing.mp3", lieder, 2160}, {"cbr.mp3", lieder, 2160}, {"vorbis.ogg", lieder, 2000}, {"opus.ogg", lieder, 2000},
		{"speex.ogg", lieder, 1995}, {"sine.flac", lieder, 2000}, {"sine.wav", lieder, 2000}, {"adpcm.wav", lieder, 2036},
		{"sine.wma", lieder, 2048}, {"sine.m4a", lieder, 2000}, {"sine.aiff", "Morgenlied||aufgenommen|", 1000},
		{"sine.au", "||Title=Morgenlied Artist=Änne Album=Lieder|", 1000}, {"sine.rm", "Morgenlied||aufgenommen|", 3520},
		{"gbk.mp3", "东风破|周杰伦|叶惠美|", 2160}, {"ape.mp3", "Lieds|||", 2160}, {"old.ra", "Nachrichten|Rundfunk||", 10_000},
		{"song.mid", "Aria!|||", 6000}, {"song.rmi", "Aria!|||", 6000},
	} {
		d := documenttest.Read(t, Kind, document.Input{Body: all[c.name]})
		year := ""
		if d.Created > 0 {
			year = d.Created.Std().Format("2006")
		}
		if got := strings.Join([]string{d.Title, d.Author, d.Description, year}, "|"); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
		if d.Duration != c.duration {
			t.Errorf("%s: lasts %d ms, want %d", c.name, d.Duration, c.duration)
		}
		delete(all, c.name)
	}
	for name := range all {
		t.Errorf("%s: no case", name)
	}
}

// TestText shows that tags are text, and that the syllables of a song are one text.
func TestText(t *testing.T) {
	d := documenttest.Read(t, Kind, document.Input{Body: gbkMP3(t)})
	if got, want := documenttest.Text(d), "东风破\n周杰伦\n叶惠美\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	d = documenttest.Read(t, Kind, document.Input{Body: song()})
	if got, want := documenttest.Text(d), "Aria!\nla lu\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestIsNot shows that other bodies are not taken for sound.
func TestIsNot(t *testing.T) {
	for _, body := range []string{"", "\xff\xfb", "ID", "\xff\xfe<\x00h\x00t\x00m\x00l\x00", "\xff\xd8\xff\xe0\x00\x10JFIF", "RIFF\x00\x00\x00\x00WEBP", "<html>"} {
		if Kind.Is(&document.Input{Body: []byte(body)}) {
			t.Errorf("%q is taken for sound", body)
		}
	}
}

func TestMutations(t *testing.T) {
	for _, b := range bodies(t) {
		documenttest.Mutate(t, Kind, "", b)
	}
}
