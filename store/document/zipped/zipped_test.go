package zipped

import (
	"archive/zip"
	"bytes"
	"errors"
	"strings"
	"testing"

	"infomall/store/document"
)

// pack returns a zip file with members of the given names and contents.
func pack(t *testing.T, members ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for i := 0; i < len(members); i += 2 {
		h := &zip.FileHeader{Name: members[i], Method: zip.Deflate}
		if members[i] == "mimetype" {
			h.Method = zip.Store
		}
		w, err := z.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(members[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestRead shows that members are found whatever the case of their names, and that what
// they unpack to is bounded for each and for all together.
func TestRead(t *testing.T) {
	bomb := strings.Repeat("\x00", 8<<20)
	half := strings.Repeat("some text with few repetitions 0123456789", 20_000)
	body := pack(t, "mimetype", "application/x", "Word/Document.xml", "text", "bomb", bomb, "half", half)
	if got := first(body, "mimetype"); !strings.HasPrefix(got, "application/x") {
		t.Errorf("First is %q", got)
	}
	if got := first(body, "other"); got != "" {
		t.Errorf("First of another name is %q", got)
	}
	f, err := Open(body, document.Limits{Unpacked: 1_500_000})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := f.Read("word/document.XML"); string(got) != "text" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := f.Read("none"); !errors.Is(err, errMissing) {
		t.Errorf("got %v, want ErrMissing", err)
	}
	if got, err := f.Read("half"); string(got) != half || err != nil {
		t.Errorf("got %d bytes, %v, want %d", len(got), err, len(half))
	}
	if got, err := f.Read("half"); !errors.Is(err, document.ErrLimit) || len(got) != 1_500_000-4-len(half) {
		t.Errorf("got %d bytes, %v, want the rest of the limit and ErrLimit", len(got), err)
	}
	f, err = Open(body, document.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := f.Read("bomb"); !errors.Is(err, document.ErrLimit) || len(got) >= len(bomb) {
		t.Errorf("a bomb: got %d bytes, %v, want fewer bytes and ErrLimit", len(got), err)
	}
	if err := f.Err(); err != nil {
		t.Errorf("a whole file: %v", err)
	}
}

// TestCut shows that the members before the end of a file that is cut short are read,
// at whatever length it is cut.
func TestCut(t *testing.T) {
	text := strings.Repeat("some text with few repetitions 0123456789", 100)
	body := pack(t, "mimetype", "application/x", "a", text, "B", "last")
	whole := 0
	for n := range len(body) {
		if got := first(body[:n], "mimetype"); got != "" && !strings.HasPrefix("application/x", got) && !strings.HasPrefix(got, "application/x") {
			t.Errorf("cut to %d bytes, First is %q", n, got)
		}
		f, err := Open(body[:n], document.Limits{})
		if err != nil {
			continue
		}
		if f.Err() != errCut {
			t.Fatalf("cut to %d bytes, Err is %v", n, f.Err())
		}
		got, err := f.Read("a")
		if !strings.HasPrefix(text, string(got)) || err == nil && string(got) != text {
			t.Fatalf("cut to %d bytes: got %.60q, %v", n, got, err)
		}
		if last, err := f.Read("b"); err == nil {
			whole++
			if string(last) != "last" || string(got) != text {
				t.Fatalf("cut to %d bytes: got %q and %.60q", n, last, got)
			}
		}
	}
	if whole == 0 {
		t.Error("no cut file had all members")
	}
}

// TestHugeSize reads a file without a directory whose header states sizes that are negative as an
// int of 32 bits.
func TestHugeSize(t *testing.T) {
	for _, size := range []string{"\xff\xff\xff\xff", "\xf0\xff\xff\x7f", "\x00\x00\x00\x80"} {
		body := "PK\x03\x04\x14\x00\x00\x00\x00\x00" + "\x00\x00\x00\x00\x00\x00\x00\x00" + size + size + "\x01\x00\x00\x00" + "atext"
		f, err := Open([]byte(body), document.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := f.Read("a"); string(got) != "text" {
			t.Errorf("size %q: got %q, %v", size, got, err)
		}
	}
}

// TestMimeType finds the member mimetype wherever it is.
func TestMimeType(t *testing.T) {
	const mime = "application/epub+zip"
	for _, c := range []struct {
		body []byte
		want string
	}{
		{pack(t, "mimetype", mime+"\n", "a", "b"), mime},
		{pack(t, "a", "b", "mimetype", mime), mime},
		{pack(t, "a", "mimetype"), ""},
		{[]byte("mimetype"), ""},
	} {
		if got := MimeType(c.body, document.Limits{}); got != c.want {
			t.Errorf("%.30q: got %q, want %q", c.body, got, c.want)
		}
	}
}
