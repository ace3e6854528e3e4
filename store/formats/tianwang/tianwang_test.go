package tianwang

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"sort"
	"strings"
	"testing"
	"time"

	"infomall/store/record"
	"infomall/store/record/message"
)

// read reads all of file and fails the test on an error.
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

// brief writes items as lines: what each is, and where.
func brief(items []record.Item) string {
	var b strings.Builder
	for _, it := range items {
		switch {
		case it.Capture != nil:
			fmt.Fprintf(&b, "%d %s\n", it.Offset, it.Capture.AskedURL)
		case it.Skipped != "":
			fmt.Fprintf(&b, "%d skipped %s\n", it.Offset, it.Skipped)
		default:
			fmt.Fprintf(&b, "%d+%d damaged %s\n", it.Offset, it.Length, it.Damage)
		}
	}
	return b.String()
}

const (
	date   = "Tue, 15 Apr 2003 08:13:06 GMT"
	httpOK = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
	ipLine = "ip: 162.105.129.12\n"
)

// plain is a record as it stands in a file.
func plain(url, data string) string {
	return fmt.Sprintf("version: 1.0\nurl: %s\ndate: %s\n%slength: %d\n\n%s\n", url, date, ipLine, len(data), data)
}

// packed is one with compressed data.
func packed(t testing.TB, url, data string) string {
	t.Helper()
	b, err := Append(nil, &Record{URL: url, Time: record.At(time.Date(2003, 4, 15, 8, 13, 6, 0, time.UTC)), IP: "162.105.129.12", Data: []byte(data), Compress: true})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestRead shows what each deviation that real writers made is read as. A file
// is given in parts, each with what it is read as: a capture's URL, "skipped" or
// "damaged" and why, or nothing.
func TestRead(t *testing.T) {
	type part struct{ bytes, want string }
	const noBody = "HTTP/1.0 200 OK\r\n\r\n"
	data := httpOK + "text"
	a, b := part{plain("http://a.cn/", data), "http://a.cn/"}, part{plain("http://b.cn/", data), "http://b.cn/"}
	zlib := packed(t, "http://z.cn/", data)
	zData := strings.TrimSuffix(zlib[strings.Index(zlib, "\n\n")+2:], "\n")
	packedAs := func(unzip int) string {
		return fmt.Sprintf("version: 1.0\nurl: http://z.cn/\ndate: %s\nunzip-length: %d\nlength: %d\n\n%s\n", date, unzip, len(zData), zData)
	}
	inner := plain("http://inner.cn/", data)
	about := plain("http://about.cn/", httpOK+"A file is\n"+inner+inner+inner+inner+"and so on.")
	one := plain("http://one.cn/", httpOK+"A record is\n"+inner+"or so.")
	crlf := strings.ReplaceAll("version: 1.0\nurl: http://c.cn/\ntime: "+date+"\nlength: 19\n", "\n", "\r\n")

	const torn = "damaged record does not end where its length says"
	const badHead = "damaged no head of a record where one should begin"
	tests := []struct {
		name string
		file []part
	}{
		{"empty file", nil},
		{"two records", []part{a, b}},
		{"compressed", []part{{zlib, "http://z.cn/"}, b}},
		{"last line end missing", []part{a, {strings.TrimSuffix(b.bytes, "\n"), b.want}}},
		{"CRLF heads and time", []part{{crlf + "\r\n" + noBody + "\r\n", "http://c.cn/"}, b}},
		{"CRLF heads but for the empty line", []part{{crlf + "\n" + noBody + "\n", "http://c.cn/"}, b}},
		{"comments, empty lines and NULs between", []part{{"# made by x\n\n", ""}, a, {"\x00\x00# more\n", ""}, b}},
		{"an empty line more, always", []part{a, {"\n", ""}, b, {"\n", ""}, a, {"\n", ""}}},
		{"any order, id, host name as ip, unknown property", []part{
			{"version: 1.0\nid: CWT-1\nlength: 19\nip: www.x.cn\ncolour: red\ndate: " + date + "\nurl: http://o.cn/\n\n" + noBody + "\n", "http://o.cn/"}, b}},
		{"other version", []part{{"version: 2.0\nurl: http://v.cn/\nblocks: 7\nlength: 5\n\nabcde\n", "skipped record of version 2.0, which is not known"}, b}},
		{"writer failed to compress", []part{
			{"version: 1.0\nurl: http://e.cn/\ndate: " + date + "\nunzip-length: 5\nlength: 0\n\n\n", "skipped empty record: its writer failed to compress the page"}, b}},
		{"no data", []part{{plain("http://e.cn/", ""), "skipped empty record"}, b}},
		{"inflates to less", []part{{packedAs(1000), "damaged data inflates to 48 bytes, unzip-length says 1000"}, b}},
		{"inflates to more", []part{{packedAs(7), "damaged data inflates to more than the 7 bytes that unzip-length says"}, b}},
		{"unzip-length lies", []part{{packedAs(1 << 60), fmt.Sprintf("damaged %d bytes of data can't hold the 1152921504606846976 that unzip-length says", len(zData))}, b}},
		{"not compressed", []part{{strings.Replace(a.bytes, "length", "unzip-length: 5\nlength", 1), "damaged data can't be inflated: zlib: invalid header"}, b}},
		{"no unzip-length", []part{{plain("http://z.cn/", zData), "damaged compressed data without unzip-length"}, b}},
		{"no url", []part{{"version: 1.0\ndate: " + date + "\nlength: 19\n\n" + noBody + "\n", "damaged record without url"}, b}},
		{"bad date", []part{{"version: 1.0\nurl: x\ndate: blue monday\nlength: 1\n\nx\n", `damaged can't read date "blue monday": want one like "Tue, 15 Apr 2003 08:13:06 GMT"`}, b}},
		{"a page with records in it", []part{a, {about, "http://about.cn/"}, b}},
		{"the same, its head damaged", []part{a, {strings.Replace(about, "url:", "url%", 1), badHead}, b}},
		{"the same, its length damaged", []part{a, {strings.Replace(one, "length: ", "length: 1", 1), "damaged file ends within the record"}, b, b, a}},
		{"torn at the end", []part{a, {b.bytes[:len(b.bytes)-10], "damaged file ends within the record"}}},
		{"torn in the middle", []part{a, {b.bytes[:len(b.bytes)-10], torn}, a, a, b}},
		{"torn where the next looks like its head", []part{a, {b.bytes[:len(b.bytes)-14], torn}, a, a, b}},
		{"torn in its head", []part{a, {b.bytes[:20], badHead}, a}},
		{"length past the end", []part{{strings.Replace(a.bytes, "length: ", "length: 99999999", 1), "damaged file ends within the record"}, b, b}},
		{"length past all bounds", []part{{strings.Replace(a.bytes, "length: ", "length: 99999999999999999999", 1), badHead}, b, b}},
		{"negative length", []part{{strings.Replace(a.bytes, "length: ", "length: -", 1), badHead}, b, b}},
		{"endless head", []part{a, {"version: 1.0\nurl: " + strings.Repeat("x", 3<<20), badHead}}},
		{"zeros", []part{a, {strings.Repeat("\x00", 5000), "damaged zeros where a record should begin"}, b, b}},
		{"not a file of records", []part{{"<html>no</html>", badHead}}},
	}
	for _, tt := range tests {
		var file, want strings.Builder
		for _, p := range tt.file {
			switch {
			case strings.HasPrefix(p.want, "damaged"):
				fmt.Fprintf(&want, "%d+%d %s\n", file.Len(), len(p.bytes), p.want)
			case p.want != "":
				fmt.Fprintf(&want, "%d %s\n", file.Len(), p.want)
			}
			file.WriteString(p.bytes)
		}
		if got := brief(read(t, []byte(file.String()), Options{})); got != want.String() {
			t.Errorf("%s: got\n%swant\n%s", tt.name, got, want.String())
		}
	}
}

// TestCapture shows what becomes of each property.
func TestCapture(t *testing.T) {
	file := "version: 1.0\nurl: http://www.pku.edu.cn/new/\norigin: http://www.pku.edu.cn/old\ndate: 15 Apr 03 16:13:06 +0800\nip: unknown\nid: 7\nlength: 20\n\nHTTP/1.0 200 OK\r\n\nX\n"
	items := read(t, []byte(strings.Replace(file, "length: 20", "length: 19", 1)), Options{Source: "f.raw"})
	if len(items) != 1 || items[0].Capture == nil {
		t.Fatalf("got %s", brief(items))
	}
	c := items[0].Capture
	got := fmt.Sprintf("%s|%s|%s|%q|%d|%q|%q|%s|%q|%v", c.AskedURL, c.Origin, c.Time.Std().Format(time.RFC3339), c.IP, c.Status, c.Head, c.Body, c.Source, c.Extra, c.Via)
	want := `http://www.pku.edu.cn/new/|http://www.pku.edu.cn/old|2003-04-15T08:13:06Z|""|200|"HTTP/1.0 200 OK\r\n\n"|"X"|f.raw|"id: 7\ndate: 15 Apr 03 16:13:06 +0800\n"|response`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if items[0].Type != "1.0" || c.RefersTime != record.NoTime {
		t.Errorf("type %q, refers time %v, want 1.0 and none", items[0].Type, c.RefersTime)
	}
}

// TestSpool reads large records with little memory: the same captures.
func TestSpool(t *testing.T) {
	page := httpOK + strings.Repeat("<p>text</p>", 1000)
	file := []byte(plain("http://a.cn/", page) + packed(t, "http://b.cn/", page) + plain("http://c.cn/", httpOK))
	o := Options{Limits: message.BodyLimits{MemoryMax: 1000, TempDir: t.TempDir()}}
	items := read(t, file, o)
	if len(items) != 3 {
		t.Fatalf("%d items, want 3: %s", len(items), brief(items))
	}
	for i, it := range items {
		c := it.Capture
		if (c.Spool != nil) != (i < 2) {
			t.Errorf("record %d: spool %v", i, c.Spool)
		}
		if c.Spool == nil {
			continue
		}
		body, err := io.ReadAll(io.NewSectionReader(c.Spool.File, 0, c.Spool.Size))
		c.Close()
		if err != nil || string(c.Head)+string(body) != page {
			t.Errorf("record %d: %d bytes of head and body, %v, want %d", i, len(c.Head)+len(body), err, len(page))
		}
	}
	if left, _ := os.ReadDir(o.Limits.TempDir); len(left) != 0 {
		t.Errorf("temporary files left: %v", left)
	}
}

// sample is a file of n records, each with its place.
func sample(t testing.TB, n int, zip, contentLength bool) (file []byte, starts []int) {
	for i := range n {
		body := strings.Repeat(fmt.Sprintf("<p>page %d</p>\n", i), 3+i%5)
		data := httpOK + body
		if contentLength {
			data = fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		}
		url := fmt.Sprintf("http://www.x.cn/%02d.htm", 11*i)
		starts = append(starts, len(file))
		if zip {
			file = append(file, packed(t, url, data)...)
		} else {
			file = append(file, plain(url, data)...)
		}
	}
	return file, append(starts, len(file))
}

// checkCover fails unless damages and captures lie in order and apart, and
// every capture is one of clean, byte for byte.
func checkCover(t *testing.T, what string, items []record.Item, size int) map[string]*record.Capture {
	t.Helper()
	got := map[string]*record.Capture{}
	end := int64(0)
	for _, it := range items {
		if it.Offset < end || it.Offset >= int64(size) || it.Offset+it.Length > int64(size) {
			t.Errorf("%s: item at %d+%d, want it behind %d within %d", what, it.Offset, it.Length, end, size)
		}
		end = it.Offset + max(it.Length, 1)
		if it.Capture != nil {
			got[it.Capture.AskedURL] = it.Capture
		}
	}
	return got
}

func byURL(items []record.Item) map[string]*record.Capture {
	m := map[string]*record.Capture{}
	for _, it := range items {
		m[it.Capture.AskedURL] = it.Capture
	}
	return m
}

func variants(t *testing.T, run func(t *testing.T, zip, contentLength bool)) {
	t.Run("plain", func(t *testing.T) { run(t, false, false) })
	t.Run("plain with Content-Length", func(t *testing.T) { run(t, false, true) })
	t.Run("zlib", func(t *testing.T) { run(t, true, false) })
}

// TestFlipEachByte damages every byte of a file in three ways: only the record
// it lies in may suffer. In a head, the damage of a value may go unseen.
func TestFlipEachByte(t *testing.T) {
	variants(t, func(t *testing.T, zip, contentLength bool) {
		file, starts := sample(t, 6, zip, contentLength)
		clean := byURL(read(t, file, Options{}))
		for i := range file {
			hit := 0
			for starts[hit+1] <= i {
				hit++
			}
			for _, flip := range []byte{1, 0x10, 0x80} {
				bad := bytes.Clone(file)
				bad[i] ^= flip
				what := fmt.Sprintf("byte %d (%d of record %d) ^ %#x", i, i-starts[hit], hit, flip)
				got := checkCover(t, what, read(t, bad, Options{}), len(file))
				for n := range len(starts) - 1 {
					url := fmt.Sprintf("http://www.x.cn/%02d.htm", 11*n)
					if c := got[url]; n != hit && (c == nil || !bytes.Equal(c.Body, clean[url].Body)) {
						t.Errorf("%s: record %d is lost or changed", what, n)
					}
				}
				damagedHead := got[fmt.Sprintf("http://www.x.cn/%02d.htm", 11*hit)]
				if damagedHead != nil && (zip || contentLength) && i < starts[hit]+bytes.Index(file[starts[hit]:], []byte("\n\n")) &&
					!bytes.Equal(damagedHead.Body, clean[damagedHead.AskedURL].Body) {
					t.Errorf("%s: record served with another body", what)
				}
			}
		}
	})
}

// TestTwoDamages damages two records one to four apart, in their heads and
// elsewhere: those between them come back.
func TestTwoDamages(t *testing.T) {
	variants(t, func(t *testing.T, zip, contentLength bool) {
		file, starts := sample(t, 9, zip, contentLength)
		clean := byURL(read(t, file, Options{}))
		rng := rand.New(rand.NewPCG(5, 6))
		for range 800 {
			first := rng.IntN(5)
			hit := map[int]bool{first: true, first + 1 + rng.IntN(4): true}
			bad := bytes.Clone(file)
			var what string
			for n := range hit {
				size := starts[n+1] - starts[n]
				if rng.IntN(2) == 0 {
					size = 130 // all of the head and little more
				}
				i := starts[n] + rng.IntN(min(size, starts[n+1]-starts[n]))
				bad[i] ^= 1 << rng.IntN(8)
				what += fmt.Sprintf("byte %d of record %d is %q; ", i-starts[n], n, bad[i])
			}
			got := checkCover(t, what, read(t, bad, Options{}), len(bad))
			for n := range len(starts) - 1 {
				url := fmt.Sprintf("http://www.x.cn/%02d.htm", 11*n)
				if c := got[url]; !hit[n] && (c == nil || !bytes.Equal(c.Body, clean[url].Body)) {
					t.Errorf("%s: record %d is lost or changed", what, n)
				}
			}
		}
	})
}

// TestCut cuts a file at every byte from behind, from in front, and takes
// pieces out of its middle: every whole record comes back.
func TestCut(t *testing.T) {
	variants(t, func(t *testing.T, zip, contentLength bool) {
		file, starts := sample(t, 5, zip, contentLength)
		clean := byURL(read(t, file, Options{}))
		// inHead reports whether byte i lies in a head: two halves of heads may
		// make a whole one.
		inHead := func(i int) bool {
			n := sort.SearchInts(starts, i+1) - 1
			return n < len(starts)-1 && i < starts[n]+bytes.Index(file[starts[n]:], []byte("\n\n"))
		}
		// check reads what is left of file without the bytes from..to.
		check := func(what string, left []byte, from, to int) {
			t.Helper()
			what = fmt.Sprintf("%s bytes %d to %d", what, from, to)
			got := checkCover(t, what, read(t, left, Options{}), len(left))
			for n := range len(starts) - 1 {
				url := fmt.Sprintf("http://www.x.cn/%02d.htm", 11*n)
				c := got[url]
				delete(got, url)
				whole := starts[n+1] <= from || starts[n] >= to
				if !whole || c != nil && bytes.Equal(c.Body, clean[url].Body) {
					continue
				}
				// A plain record that does not say its own size can't be told
				// from one of damaged length if nothing behind it looks like a
				// head.
				if zip || contentLength || from < starts[n+1] || from > starts[n+1]+1 {
					t.Errorf("%s: record %d is lost or changed", what, n)
				}
			}
			if len(got) > 0 && !(inHead(from) && inHead(to)) {
				t.Errorf("%s: %d captures that never were", what, len(got))
			}
		}
		for i := range file {
			check("cut off", file[:i], i, len(file))
			check("cut off", file[i:], 0, i)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		for range 600 {
			i := rng.IntN(len(file))
			j := min(len(file), i+1+rng.IntN(600))
			check("without", append(bytes.Clone(file[:i]), file[j:]...), i, j)
			zeros := bytes.Clone(file)
			clear(zeros[i:j])
			check("zeros in", zeros, i, j)
		}
	})
}

// TestFragment reads pieces cut at both ends.
func TestFragment(t *testing.T) {
	variants(t, func(t *testing.T, zip, contentLength bool) {
		file, starts := sample(t, 5, zip, contentLength)
		rng := rand.New(rand.NewPCG(3, 4))
		for range 600 {
			i := rng.IntN(len(file))
			j := i + 1 + rng.IntN(len(file)-i)
			got := map[string]bool{}
			for _, it := range read(t, file[i:j], Options{}) {
				if it.Capture != nil {
					got[it.Capture.AskedURL] = true
				}
			}
			for n := range len(starts) - 1 {
				if url := fmt.Sprintf("http://www.x.cn/%02d.htm", 11*n); starts[n] >= i && starts[n+1] <= j && !got[url] {
					t.Errorf("bytes %d to %d: record %d is lost", i, j, n)
				}
			}
		}
	})
}

func TestCancel(t *testing.T) {
	file, _ := sample(t, 3, false, false)
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	for _, err := range Read(ctx, bytes.NewReader(file), Options{}) {
		if !errors.Is(err, cause) {
			t.Errorf("error %v, want the cause of the cancelling", err)
		}
	}
}

func TestStop(t *testing.T) {
	file, _ := sample(t, 3, false, false)
	n := 0
	for range Read(t.Context(), bytes.NewReader(file), Options{}) {
		n++
		break
	}
	if n != 1 {
		t.Errorf("%d items after a stop, want 1", n)
	}
}

func FuzzRead(f *testing.F) {
	file, _ := sample(f, 3, false, true)
	f.Add(file)
	zipped, _ := sample(f, 2, true, false)
	f.Add(zipped)
	f.Add([]byte("version: 1.0\r\nurl: x\r\ntime: 1 Jan 99 1:00\r\nlength: 9999999999999\r\n\r\nx"))
	f.Add([]byte("version: 1.0\nlength: 0\n\n\nversion: 1.0\nlength: 0\n\n\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		items := read(t, file, Options{Limits: message.BodyLimits{MemoryMax: 1 << 10, TempDir: t.TempDir()}})
		checkCover(t, "fuzz", items, len(file))
		for _, it := range items {
			if it.Capture != nil {
				it.Capture.Close()
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	for _, zip := range []bool{false, true} {
		b.Run(map[bool]string{false: "plain", true: "zlib"}[zip], func(b *testing.B) {
			var file []byte
			payload := 0
			for i := range 200 {
				data := []byte(httpOK + strings.Repeat(fmt.Sprintf("<p>page %d</p>\n", i*i), 2000))
				payload += len(data)
				var err error
				file, err = Append(file, &Record{URL: fmt.Sprintf("http://www.x.cn/%d", i), Data: data, Compress: zip})
				if err != nil {
					b.Fatal(err)
				}
			}
			b.SetBytes(int64(payload))
			for b.Loop() {
				if n := len(read(b, file, Options{})); n != 200 {
					b.Fatalf("%d items, want 200", n)
				}
			}
		})
	}
}
