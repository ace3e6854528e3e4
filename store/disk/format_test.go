package disk

import (
	"errors"
	"strings"
	"testing"
)

// TestCutHead reads first lines: only the format in force is accepted. Another
// format is named in the error, beside the one wanted, and the remedy.
func TestCutHead(t *testing.T) {
	if rest, err := CutHead(Head("catalogue")+"a\nb\n", "catalogue"); rest != "a\nb\n" || err != nil {
		t.Errorf("format in force: got %q, %v", rest, err)
	}
	for _, c := range []struct{ text, found string }{
		{"infomall catalogue\t5\na\n", "5"},
		{"infomall catalogue\tdraft 2\na\n", "draft 2"},
		{"infomall catalogue\tdraft 0\na\n", "draft 0"},
		{"infomall catalogue\tdraft 01\na\n", "draft 01"},
		{"infomall catalogue\t1\na\n", "1"},
		{"infomall catalogue\tdraft 1", ""},
		{"infomall catalogue\tdraft x\na\n", ""},
		{"infomall catalogue\t\na\n", ""},
		{"infomall removal\tdraft 1\na\n", ""},
		{"", ""},
	} {
		_, err := CutHead(c.text, "catalogue")
		var other *FormatError
		switch is := errors.As(err, &other); {
		case c.found == "" && err != ErrNoHead:
			t.Errorf("%q: got %v, want ErrNoHead", c.text, err)
		case c.found != "" && (!is || other.Found != c.found):
			t.Errorf("%q: got %v, want a FormatError that names %q", c.text, err, c.found)
		}
	}
	_, err := CutHead("infomall catalogue\t5\n", "catalogue")
	for _, want := range []string{"catalogue", "format 5", "format draft 1", "EXPORT", "IMPORT"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want a message with %q", err, want)
		}
	}
}

// TestCheckByte accepts one byte of the 256.
func TestCheckByte(t *testing.T) {
	for n := range 256 {
		if err := CheckByte(byte(n), "run"); (err == nil) != (n == FormatByte) {
			t.Errorf("byte %#x: got %v", n, err)
		}
	}
	for b, want := range map[byte]string{9: "the run has format 9 and", 0xd2: "the run has format draft 2 and"} {
		if err := CheckByte(b, "run"); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("byte %#x: got %v, want %q", b, err, want)
		}
	}
}
