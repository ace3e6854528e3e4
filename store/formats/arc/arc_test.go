package arc

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"pgregory.net/rapid"

	"infomall/store/record"
	"infomall/store/record/message"
)

const (
	desc1 = "filedesc://x.arc 0.0.0.0 20080430204825 text/plain 75\n1 0 LiveWeb Capture\nURL IP-address Archive-date Content-type Archive-length\n\n"
	page  = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>page"
)

// rec is a record of version 1.
func rec(url, mime, data string) string {
	return fmt.Sprintf("%s 10.0.0.1 20080430204825 %s %d\n%s\n", url, mime, len(data), data)
}

func zip(t testing.TB, data string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(data)) // a bytes.Buffer does not fail
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func read(t testing.TB, file []byte, o Options) []record.Item {
	t.Helper()
	var items []record.Item
	for it, err := range Read(t.Context(), bytes.NewReader(file), o) {
		if err != nil {
			t.Fatalf("read %d bytes: %v", len(file), err)
		}
		items = append(items, it)
	}
	return items
}

// brief writes what items are.
func brief(items []record.Item) string {
	var b strings.Builder
	for _, it := range items {
		switch c := it.Capture; {
		case c != nil:
			fmt.Fprintf(&b, "%s %s %s %d %q %s\n", c.Via, c.AskedURL, c.Time.Std().Format("20060102150405.999"), c.Status, c.Body, c.IP)
		case it.Skipped != "":
			fmt.Fprintf(&b, "skipped %s\n", it.Skipped)
		default:
			fmt.Fprintf(&b, "damaged %s\n", it.Damage)
		}
	}
	return b.String()
}

// TestRead shows what becomes of good and of odd records, plain and zipped.
func TestRead(t *testing.T) {
	const got1 = "response http://a.cn/ 20080430204825 200 \"<p>page\" 10.0.0.1\n"
	tests := []struct{ name, file, want string }{
		{"version 1", desc1 + rec("http://a.cn/", "text/html", page), "skipped filedesc record\n" + got1},
		{"no filedesc", rec("http://a.cn/", "text/html", page), got1},
		{"version 2", "http://a.cn/ 10.0.0.1 20080430204825 text/html 200 d41d8cd9 - 1234 x.arc 51\n" + page + "\n", got1},
		{"blanks in the URL", rec("http://a.cn/b c d", "text/html", page), strings.Replace(got1, "a.cn/", "a.cn/b c d", 1)},
		{"parameters of the type", rec("http://a.cn/", "text/html; charset=gbk", page), got1},
		{"no address", "http://a.cn/ - 20080430204825 text/html 51\n" + page, strings.Replace(got1, "10.0.0.1", "", 1)},
		{"finer time", "http://a.cn/ 10.0.0.1 20080430204825123 text/html 51\n" + page, strings.Replace(got1, "825", "825.123", 1)},
		{"coarser time", "http://a.cn/ 10.0.0.1 200804302048 text/html 51\n" + page, strings.Replace(got1, "825", "800", 1)},
		{"all dashes in filedesc", "filedesc:// - - - 76\n1 0 InternetArchive\nURL IP-address Archive-date Content-type Archive-length\n\n" + rec("http://a.cn/", "text/html", page),
			"skipped filedesc record\n" + got1},
		{"filedesc of another length", strings.Replace(desc1, " 75\n", " -1\n", 1) + rec("http://a.cn/", "text/html", page), "skipped filedesc record\n" + got1},
		{"byte order mark", "\ufeff" + desc1 + rec("http://a.cn/", "text/html", page), "skipped filedesc record\n" + got1},
		{"no field of an address", "http://a.cn/ 20080430204825 text/html 51\n" + page, strings.Replace(got1, "10.0.0.1", "", 1)},
		{"no field of a type", "http://a.cn/ 10.0.0.1 20080430204825 51\n" + page, got1},
		{"dashes in version 2", "http://a.cn/ 10.0.0.1 20080430204825 text/html 200 - - - - 51\n" + page + "\n", got1},
		{"no time", "http://a.cn/ 10.0.0.1 - text/html 51\n" + page + "\n" + rec("http://a.cn/", "text/html", page), "damaged can't read the date \"-\": want one like 20080430204825\n" + got1},
		{"length short by a line end", "http://a.cn/ 10.0.0.1 20080430204825 text/html 49\n" + page + "\n" + rec("http://a.cn/", "text/html", page), got1 + got1},
		{"no such time", "http://a.cn/ 10.0.0.1 20081330204825 text/html 51\n" + page + "\n",
			"damaged can't read the date \"20081330204825\": want one like 20080430204825\n"},
		{"CR LF", strings.Replace(rec("http://a.cn/", "text/html", page), "51\n", "51\r\n", 1), got1},
		{"DNS", rec("dns:a.cn", "text/dns", "20080430204825\na.cn. 1 IN A 10.0.0.1\n"),
			"resource dns:a.cn 20080430204825 0 \"20080430204825\\na.cn. 1 IN A 10.0.0.1\\n\" 10.0.0.1\n"},
		{"page that quotes a record", rec("http://a.cn/", "text/html", page+"\nhttp://b.cn/ 10.0.0.1 20080430204825 text/html 2\nxy"),
			strings.Replace(got1, "page", "page\\nhttp://b.cn/ 10.0.0.1 20080430204825 text/html 2\\nxy", 1)},
		{"no length", "http://b.cn/ 10.0.0.1 20080430204825 text/html -1\n\n" + rec("http://a.cn/", "text/html", page),
			"damaged header of a record without a length\n" + got1},
		{"length too short", strings.Replace(rec("http://b.cn/", "text/html", page), "51\n", "40\n", 1) + rec("http://a.cn/", "text/html", page),
			"damaged record does not end where its length says\n" + got1},
		{"length too long", strings.Replace(rec("http://b.cn/", "text/html", page), "51\n", "60\n", 1) + rec("http://a.cn/", "text/html", page),
			"damaged record does not end where its length says\n" + got1},
		{"a first line torn into that of the next", "http://b.cn/ 10.0.0.1 20080430204825 text/ht" + rec("http://c.cn/", "text/html", page)[4:] + rec("http://a.cn/", "text/html", page),
			"damaged no header of a record where one should begin\n" + got1},
		{"garbage", "what is this\n" + rec("http://a.cn/", "text/html", page), "damaged no header of a record where one should begin\n" + got1},
		{"garbage behind a record that its own length confirms",
			rec("http://a.cn/", "text/html", strings.Replace(page, "\r\n\r\n", "\r\nContent-Length: 7\r\n\r\n", 1)) + "what is this",
			got1 + "damaged no header of a record where one should begin\n"},
		{"cut", rec("http://a.cn/", "text/html", page) + rec("http://b.cn/", "text/html", page)[:70],
			got1 + "damaged file ends within the 51 bytes of a record\n"},
		{"empty", "", ""},
	}
	for _, tt := range tests {
		if got := brief(read(t, []byte(tt.file), Options{})); got != tt.want {
			t.Errorf("%s: got\n%swant\n%s", tt.name, got, tt.want)
		}
		if tt.file == "" {
			continue
		}
		if got := brief(read(t, []byte(zip(t, tt.file)), Options{})); got != tt.want && hasRecord([]byte(tt.file)) {
			t.Errorf("%s, zipped: got\n%swant\n%s", tt.name, got, tt.want)
		}
	}
}

// TestVersion2 shows where the fields of version 2 go.
func TestVersion2(t *testing.T) {
	items := read(t, []byte("http://a.cn/ 10.0.0.1 20080430204825 image/png 302 5d41402abc4b2a76b9719d911017c592 http://b.cn/ 1234 x.arc 3\npng\n"), Options{Source: "x.arc"})
	if len(items) != 1 || items[0].Capture == nil {
		t.Fatalf("items %+v, want a capture", items)
	}
	c := items[0].Capture
	if c.DeclaredDigest != "5d41402abc4b2a76b9719d911017c592" || c.Mime != "image/png" || c.Source != "x.arc" || string(c.Extra) != "Result-code: 302\nLocation: http://b.cn/\n" {
		t.Errorf("capture %+v, extra %q", c, c.Extra)
	}
}

// TestDamagedMember shows that a damaged gzip member costs the records in it.
func TestDamagedMember(t *testing.T) {
	bad := []byte(zip(t, rec("http://b.cn/", "text/html", page+strings.Repeat("text ", 100))))
	bad[len(bad)/2] ^= 0xff
	file := zip(t, desc1) + string(bad) + zip(t, rec("http://a.cn/", "text/html", page))
	items := read(t, []byte(file), Options{})
	if len(items) != 3 || items[1].Damage == "" || items[2].Capture == nil {
		t.Fatalf("got\n%s", brief(items))
	}
	if want := int64(len(zip(t, desc1))); items[1].Offset != want || items[1].Length != int64(len(bad)) {
		t.Errorf("damage at %d+%d, want %d+%d", items[1].Offset, items[1].Length, want, len(bad))
	}
}

// TestCutMember cuts a file within the member of its last record, and damages that
// member so that it inflates to the file's end: the record is a damage at its place,
// however much of it can be read.
func TestCutMember(t *testing.T) {
	first, second := zip(t, rec("http://a.cn/", "text/html", page)), zip(t, rec("http://b.cn/", "text/html", page+strings.Repeat("text ", 100)))
	check := func(what string, last string) {
		items := read(t, []byte(first+last), Options{})
		if len(items) != 2 || items[0].Capture == nil || items[1].Offset != int64(len(first)) || items[1].Length != int64(len(last)) || items[1].Damage != "damaged gzip member: unexpected EOF" {
			t.Errorf("%s: got\n%s at %+v, want a capture and the damage of a member at byte %d", what, brief(items), items[len(items)-1], len(first))
		}
	}
	for n := 2; n < len(second); n++ {
		check(fmt.Sprintf("%d bytes of %d", n, len(second)), second[:n])
	}
	check("a changed word", zipStored(rec("http://b.cn/", "text/html", page)))
}

// zipStored returns a damaged gzip member: data with another word in it, in a stored
// block, and then not a checksum but a block that is longer than the rest of the file.
func zipStored(data string) string {
	n := uint16(len(data))
	b := append([]byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"), 0) // stored, not the last block
	b = binary.LittleEndian.AppendUint16(b, n)
	b = binary.LittleEndian.AppendUint16(b, ^n)
	b = append(b, strings.Replace(data, "page", "PAGE", 1)...)
	b = append(b, 0)
	b = binary.LittleEndian.AppendUint16(b, 8)
	b = binary.LittleEndian.AppendUint16(b, ^uint16(8))
	return string(append(b, "\n1234"...))
}

// TestOneMemberCut cuts a file that is one member: each record that another one
// follows comes back.
func TestOneMemberCut(t *testing.T) {
	var plain strings.Builder
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 30 {
		noise := make([]byte, 3000)
		for j := range noise {
			noise[j] = byte('a' + rng.IntN(26))
		}
		plain.WriteString(rec(fmt.Sprintf("http://x.cn/%d", i), "text/html", page+string(noise)))
	}
	file := zip(t, plain.String())
	items := read(t, []byte(file[:len(file)/2]), Options{})
	if n := len(items) - 1; n < 13 || n > 15 || items[n].Damage == "" {
		t.Errorf("half a file of 30 records gives %d items, the last %+v; want 13 to 15 captures and a damage", len(items), items[n])
	}
}

// TestRapid writes random records and reads them back, whatever is in them.
func TestRapid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var file, want strings.Builder
		for n := range rapid.IntRange(1, 6).Draw(t, "records") {
			body := rapid.SampledFrom([]string{"", "x", "\n\n", "http://c.cn/ 10.0.0.1 20080430204825 text/html 3", "1\r\n"}).Draw(t, "body")
			url := fmt.Sprintf("http://a.cn/%d%s", n, rapid.SampledFrom([]string{"", "?q=a b", " 1 2"}).Draw(t, "url"))
			head := "HTTP/1.0 404 x\r\n\r\n"
			fmt.Fprintf(&file, "%s 10.0.0.1 20080430204825 text/html %d\n%s%s\n", url, len(head)+len(body), head, body)
			fmt.Fprintf(&want, "response %s 20080430204825 404 %q 10.0.0.1\n", url, body)
		}
		var items []record.Item
		for it, err := range Read(context.Background(), strings.NewReader(file.String()), Options{}) {
			if err != nil {
				t.Fatal(err)
			}
			items = append(items, it)
		}
		if got := brief(items); got != want.String() {
			t.Fatalf("got\n%swant\n%s", got, want.String())
		}
	})
}

// TestCancelled ends with the cause.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var last error
	for _, err := range Read(ctx, strings.NewReader(desc1), Options{}) {
		last = err
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", last)
	}
}

// TestSamples reads the ARC files made by others.
func TestSamples(t *testing.T) {
	dir := os.Getenv("INFOMALL_SHARED")
	if dir == "" {
		dir = filepath.FromSlash("../../../../shared")
	}
	dir = filepath.Join(dir, "data", "warc")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("sample files are not here: ", err)
	}
	for name, want := range map[string]string{
		"warcio/test/data/example.arc":                                                  "captures 1, damaged 0",
		"warcio/test/data/example.arc.gz":                                               "captures 1, damaged 0",
		"warcio/test/data/example-space-in-url.arc":                                     "captures 1, damaged 0", // its CRs were lost, so its length is too long
		"warcio/test/data/bad.arc":                                                      "captures 1, damaged 2",
		"ukwa/small-arcs-and-warcs/IAH-20080430204825-00000-blackbook-truncated.arc":    "captures 8, damaged 0",
		"ukwa/small-arcs-and-warcs/IAH-20080430204825-00000-blackbook-truncated.arc.gz": "captures 8, damaged 0",
	} {
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		captures, damaged := 0, 0
		for _, it := range read(t, data, Options{}) {
			switch {
			case it.Capture != nil:
				captures++
			case it.Damage != "":
				damaged++
			}
		}
		if got := fmt.Sprintf("captures %d, damaged %d", captures, damaged); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestLengthByHTTP reads responses whose length is wrong: that of HTTP says where
// they end, if a record or the end of the file follows there.
func TestLengthByHTTP(t *testing.T) {
	data := "HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n" + strings.Repeat("0123456789", 4)
	a, b := rec("http://a.cn/", "text/html", data), rec("http://b.cn/", "text/html", page)
	right := fmt.Sprintf(" %d\n", len(data))
	want := strings.Count(brief(read(t, []byte(a+b), Options{})), "response")
	for _, length := range []string{"-1", "0", "30", "120", "99999", "abc"} {
		bad := strings.Replace(a, right, " "+length+"\n", 1)
		for name, file := range map[string]string{"first": desc1 + bad + b, "last": desc1 + b + bad, "zipped": zip(t, desc1) + zip(t, bad) + zip(t, b), "one member": zip(t, desc1+bad+b)} {
			got := brief(read(t, []byte(file), Options{}))
			if strings.Count(got, "response") != want || strings.Contains(got, "damaged") {
				t.Errorf("length %s, %s: got\n%s", length, name, got)
			}
		}
	}
	// A torn head goes on with the next record's, whose Content-Length is another.
	torn := rec("http://a.cn/", "text/html", data)[:70] + rec("http://b.cn/", "text/html", data)
	if got := brief(read(t, []byte(torn), Options{})); strings.Count(got, "response http://b.cn/") != 1 || strings.Count(got, "damaged") != 1 {
		t.Errorf("torn head: got\n%s", got)
	}
}

// TestDamagesApart shows a damage for each record without a length.
func TestDamagesApart(t *testing.T) {
	bad := "http://a.cn/ 10.0.0.1 20080430204825 text/html -1\nnothing\n"
	items := read(t, []byte(bad+bad+rec("http://b.cn/", "text/html", page)), Options{})
	if len(items) != 3 || items[1].Offset != int64(len(bad)) || items[1].Length != int64(len(bad)) || items[2].Capture == nil {
		t.Errorf("got\n%s, want two damages and a capture", brief(items))
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(desc1 + rec("http://a.cn/", "text/html", page)))
	f.Add([]byte(zip(f, desc1) + zip(f, rec("http://a.cn/", "text/html", page))))
	f.Add([]byte("http://a.cn/ 10.0.0.1 20080430204825 text/html 200 - - 1234 x.arc 9223372036854775807\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		last := int64(0)
		for _, it := range read(t, file, Options{Limits: message.BodyLimits{MemoryMax: 1 << 10, TempDir: t.TempDir()}}) {
			if it.Offset < last || it.Offset >= int64(len(file)) || it.Offset+it.Length > int64(len(file)) {
				t.Errorf("item at %d+%d behind one at %d, in %d bytes", it.Offset, it.Length, last, len(file))
			}
			last = it.Offset
			if it.Capture != nil {
				it.Capture.Close()
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	one := rec("http://a.cn/", "text/html", page+strings.Repeat("<p>text of a page</p>\n", 1000))
	for _, packing := range []struct{ name, file string }{
		{"plain", strings.Repeat(one, 200)}, {"member a record", strings.Repeat(zip(b, one), 200)},
	} {
		b.Run(packing.name, func(b *testing.B) {
			file := []byte(packing.file)
			b.SetBytes(int64(200 * len(one)))
			for b.Loop() {
				if n := len(read(b, file, Options{})); n != 200 {
					b.Fatalf("%d items, want 200", n)
				}
			}
		})
	}
}

// counted counts the calls of ReadAt.
type counted struct {
	*bytes.Reader
	calls int
}

func (c *counted) ReadAt(p []byte, off int64) (int, error) {
	c.calls++
	return c.Reader.ReadAt(p, off)
}

// TestUnconfirmedReadOnce reads files in which other bytes follow each record, so that no record
// is confirmed. The reader must not search the rest of the file again for each of them: for twice
// as many records it may read about twice as often.
func TestUnconfirmedReadOnce(t *testing.T) {
	read := func(records int) int {
		var b strings.Builder
		b.WriteString(desc1)
		for i := range records {
			b.WriteString(rec(fmt.Sprintf("http://a/%d", i), "text/html", page+strings.Repeat("x", 1000)))
			b.WriteString("other bytes\n")
		}
		in := &counted{Reader: bytes.NewReader([]byte(b.String()))}
		captures := 0
		for it, err := range Read(t.Context(), in, Options{}) {
			if err != nil {
				t.Fatal(err)
			}
			if it.Capture != nil {
				captures++
			}
		}
		if captures != records {
			t.Errorf("got %d captures, want %d", captures, records)
		}
		return in.calls
	}
	if few, many := read(400), read(800); many > 3*few {
		t.Errorf("read %d times for 400 records and %d times for 800", few, many)
	}
}
