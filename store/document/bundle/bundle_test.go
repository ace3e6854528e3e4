package bundle

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"infomall/store/document"
	"infomall/store/document/documenttest"
)

var day = time.Date(2008, 6, 12, 10, 0, 0, 0, time.UTC)

// file is a file of an archive that a test makes.
type file struct{ name, content string }

func zipOf(t testing.TB, files ...file) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: day, NonUTF8: !isUTF8(f.name)}
		c, err := w.CreateHeader(h)
		if err == nil {
			_, err = c.Write([]byte(f.content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func tarOf(t testing.TB, files ...file) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Size: int64(len(f.content)), ModTime: day, Mode: 0o644, Typeflag: tar.TypeReg}
		if strings.HasSuffix(f.name, "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(f.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func gzipOf(t testing.TB, name string, content []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Name, w.ModTime = name, day
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// readAs reads an archive. Nested bodies are archives or, for a test, text.
func readAs(t testing.TB, body []byte, l document.Limits) *document.Document {
	t.Helper()
	var nested func(depth int) func(in *document.Input) *document.Document
	nested = func(depth int) func(in *document.Input) *document.Document {
		return func(in *document.Input) *document.Document {
			b := document.NewBuilder(in.Limits, nested(depth+1))
			var err error
			switch {
			case depth > 2 || strings.HasPrefix(string(in.Body), "data"):
				return nil
			case is(in):
				err = read(b, in)
			default:
				err = b.Add(document.Paragraph, string(in.Body))
			}
			if err != nil {
				b.Doc.Reason = err.Error()
			}
			return b.Doc
		}
	}
	in := &document.Input{Body: body, Limits: l}
	if !Kind.Is(in) {
		t.Fatalf("is no archive: %.20q", body)
	}
	d := nested(0)(in)
	return d
}

func describe(d *document.Document) string {
	var w strings.Builder
	for _, s := range d.Sections {
		w.WriteString("[" + s.Kind.String() + " " + s.Name + "]\n")
		for _, p := range s.Parts {
			w.WriteString(p.Text + "\n")
		}
	}
	if d.Reason != "" {
		w.WriteString("reason: " + d.Reason + "\n")
	}
	return w.String()
}

// TestFormats shows the lists of members and what is read of the members.
func TestFormats(t *testing.T) {
	files := []file{{"a.txt", "text of a"}, {"dir/", ""}, {"dir/b.bin", "data"}, {"c.txt", "text of c"}}
	listed := "a.txt\t9\t2008-06-12 10:00\ndir/\t\t2008-06-12 10:00\ndir/b.bin\t4\t2008-06-12 10:00\nc.txt\t9\t2008-06-12 10:00\n"
	all := "[ ]\n" + listed + "[member a.txt]\ntext of a\n[member c.txt]\ntext of c\n"
	zipped := zipOf(t, files...)
	gbk := file{"\xb1\xa8\xb8\xe6\xd6\xd0\xb9\xfa\xcd\xf8\xd2\xb3\xc0\xfa\xca\xb7.txt", "x y"}
	encrypted := zipOf(t, files[0], files[3])
	encrypted[bytes.Index(encrypted, []byte("PK\x01\x02"))+8] |= 1
	bz, err := base64.StdEncoding.DecodeString("QlpoOTFBWSZTWUYzwPcAAAhZgAAQQAAQADLh0BAgACIBMR6ahAAAfuWNRr5kQdIeaQn4u5IpwoSCMZ4HuA==")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		body []byte
		want string
	}{
		{"zip", zipped, all},
		{"tar", tarOf(t, files...), all},
		{"tar.gz", gzipOf(t, "", tarOf(t, files...)), all},
		{"gzip", gzipOf(t, "a.txt", []byte("only text")), "[ ]\nonly text\n"},
		{"gzip of data", gzipOf(t, "a.bin", []byte("data")), "[ ]\na.bin\t4\t2008-06-12 10:00\n"},
		{"bzip2", bz, "[ ]\none paragraph in bzip2\n"},
		{"names in GBK", zipOf(t, gbk), "[ ]\n报告中国网页历史.txt\t3\t2008-06-12 10:00\n[member 报告中国网页历史.txt]\nx y\n"},
		{"names in code page 437", zipOf(t, file{"gr\x81\xe1e.txt", "x y"}), "[ ]\ngrüße.txt\t3\t2008-06-12 10:00\n[member grüße.txt]\nx y\n"},
		{"names in GBK, tar", tarOf(t, gbk), "[ ]\n报告中国网页历史.txt\t3\t2008-06-12 10:00\n[member 报告中国网页历史.txt]\nx y\n"},
		{"encrypted", encrypted, "[ ]\na.txt\t9\t2008-06-12 10:00\nc.txt\t9\t2008-06-12 10:00\n[member c.txt]\ntext of c\nreason: 1 member is encrypted\n"},
		{"zip in zip", zipOf(t, file{"in.zip", string(zipOf(t, files[0]))}), "[ ]\nin.zip\t" + fmt.Sprint(len(zipOf(t, files[0]))) + "\t2008-06-12 10:00\n[member in.zip]\na.txt\t9\t2008-06-12 10:00\ntext of a\n"},
		{"same name twice", zipOf(t, files[0], file{"a.txt", "other"}), "[ ]\na.txt\t9\t2008-06-12 10:00\na.txt\t5\t2008-06-12 10:00\n[member a.txt]\ntext of a\n[member a.txt]\nother\n"},
		{"RAR", []byte("Rar!\x1a\x07\x00..."), "reason: archives in the format of RAR are not read\n"},
		{"empty zip", zipOf(t), ""},
		{"gzip, cut off", gzipOf(t, "a.txt", []byte("only text"))[:25], "[ ]\nonly tex\nreason: the compressed file is damaged or cut off: unexpected EOF\n"},
	} {
		if got := describe(readAs(t, c.body, document.Limits{})); got != c.want {
			t.Errorf("%s: got\n%q\nwant\n%q", c.name, got, c.want)
		}
	}
}

// made returns an archive from testdata.
func made(t testing.TB, name string) []byte {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// TestMade reads archives that other programs made: testdata/make.sh makes them.
func TestMade(t *testing.T) {
	list := "[ ]\ndir\t\t2008-06-12 10:00\nempty\t\t2008-06-12 10:00\na.txt\t24\t2008-06-12 10:00\ndir/b.txt\t42\t2008-06-12 10:00\n页.txt\t7\t2008-06-12 10:00\n"
	texts := "[member a.txt]\nText of the first file.\n[member dir/b.txt]\nText of the second file, which says more.\n[member 页.txt]\n历史\n"
	tarred := "[ ]\na.txt\t24\t2008-06-12 10:00\ndir/b.txt\t42\t2008-06-12 10:00\n[member a.txt]\nText of the first file.\n[member dir/b.txt]\nText of the second file, which says more.\n"
	for name, want := range map[string]string{
		"lzma.7z":       list + texts,
		"lzma2.7z":      list + texts,
		"nonsolid.7z":   list + texts,
		"deflate.7z":    list + texts,
		"bzip2.7z":      list + texts,
		"copy.7z":       list + texts,
		"plain.7z":      list + texts,
		"ppmd.7z":       list + "reason: members that are damaged or compressed in an unknown way: 3\n",
		"encrypted.7z":  list + "reason: members that are encrypted: 3\n",
		"hidden.7z":     "reason: the 7z file is encrypted\n",
		"a.txt.xz":      "[ ]\nText of the first file.\n",
		"blocks.tar.xz": tarred,
	} {
		if got := describe(readAs(t, made(t, name), document.Limits{})); got != want {
			t.Errorf("%s: got\n%q\nwant\n%q", name, got, want)
		}
	}
	body := made(t, "blocks.tar.xz")
	d := readAs(t, body[:len(body)*2/3], document.Limits{})
	if got := documenttest.Text(d); !strings.Contains(got, "Text of the first file.") || !strings.Contains(d.Reason, "cut off") {
		t.Errorf("xz, cut off: got %q, reason %q", got, d.Reason)
	}
	body = made(t, "copy.7z")
	for i := range body {
		if d := readAs(t, body[:max(6, i)], document.Limits{}); d.Reason == "" {
			t.Errorf("7z, cut to %d bytes: no reason", i)
		}
	}
}

// storedZip is a zip with local headers that have sizes, as other programs than Go write
// them, without the list of members at its end.
func storedZip(files ...file) []byte {
	var out []byte
	for _, f := range files {
		h := make([]byte, 30)
		copy(h, "PK\x03\x04\x14\x00\x00\x00\x00\x00\x00\x50\xcc\x38")
		put := func(at int, n uint32) {
			h[at], h[at+1], h[at+2], h[at+3] = byte(n), byte(n>>8), byte(n>>16), byte(n>>24)
		}
		put(14, crc32.ChecksumIEEE([]byte(f.content)))
		put(18, uint32(len(f.content)))
		put(22, uint32(len(f.content)))
		h[26] = byte(len(f.name))
		out = append(append(append(out, h...), f.name...), f.content...)
	}
	return out
}

// TestCut shows that the members of archives that are cut off are read as far as they go.
func TestCut(t *testing.T) {
	want := "[ ]\na.txt\t9\t2008-06-12 10:00\nb.txt\t9\t2008-06-12 10:00\n[member a.txt]\ntext of a\n[member b.txt]\ntext o\nreason: the zip file is cut off or damaged: its list of members is missing\n"
	body := storedZip(file{"a.txt", "text of a"}, file{"b.txt", "text of b"})
	if got := describe(readAs(t, body[:len(body)-3], document.Limits{})); got != want {
		t.Errorf("zip: got\n%q\nwant\n%q", got, want)
	}
	// The archives of Go have the sizes after the content.
	whole := zipOf(t, file{"a.txt", "text of a"}, file{"b.txt", "text of b"})
	d := readAs(t, whole[:bytes.Index(whole, []byte("PK\x01\x02"))], document.Limits{})
	if got := documenttest.Text(d); !strings.Contains(got, "text of a") || !strings.Contains(got, "text of b") || !strings.Contains(d.Reason, "cut off") {
		t.Errorf("zip with descriptors: got %q, reason %q", got, d.Reason)
	}
	tarred := tarOf(t, file{"a.txt", "text of a"}, file{"b.txt", "text of b"})
	d = readAs(t, tarred[:1024+512+4], document.Limits{})
	if got := documenttest.Text(d); !strings.Contains(got, "text of a") || !strings.Contains(got, "b.txt") || d.Reason == "" {
		t.Errorf("tar: got %q, reason %q", got, d.Reason)
	}
}

// TestBombs shows that archives that unpack to very much are read up to the limits, and
// that archives inside of an archive share these.
func TestBombs(t *testing.T) {
	big := file{"a.txt", strings.Repeat("0", 1<<20)}
	d := readAs(t, zipOf(t, file{"small.txt", "text of it"}, big, big), document.Limits{Unpacked: 1<<20 + 100})
	if got := documenttest.Text(d); !strings.Contains(got, "text of it") || strings.Count(got, "0000000000000000") < 1 || d.Reason != "1 member is larger than the limits" {
		t.Errorf("got %d bytes of text, reason %q", len(got), d.Reason)
	}
	inner := file{"in.zip", string(zipOf(t, big))}
	var many []file
	for range 50 {
		many = append(many, inner)
	}
	d = readAs(t, zipOf(t, many...), document.Limits{Unpacked: 3 << 20})
	if got := strings.Count(documenttest.Text(d), strings.Repeat("0", 1<<20)); got != 2 {
		t.Errorf("%d members were unpacked within 3 MB, want 2; reason %q", got, d.Reason)
	}
	d = readAs(t, gzipOf(t, "", make([]byte, 2<<20)), document.Limits{Unpacked: 1 << 20})
	if !strings.Contains(d.Reason, "larger than the limits") {
		t.Errorf("gzip: got reason %q", d.Reason)
	}
	d = readAs(t, bytes.Repeat([]byte("PK\x03\x04PK\x01\x02"), 2*membersMax+1), document.Limits{})
	if d.Reason != document.ErrLimit.Error() {
		t.Errorf("very many members: got reason %q", d.Reason)
	}
}

// TestRepeatedStreams shows that the list of packed streams of a 7z file may have each of its parts only
// once. Each part goes through all folders, so many small parts would take very long.
func TestRepeatedStreams(t *testing.T) {
	for repeated, part := range map[bool]string{false: "\x08\x00", true: "\x08\x00\x08\x00"} {
		r := szReader{b: []byte(part + "\x00")}
		if r.streams(nil); r.bad != repeated {
			t.Errorf("%q: damaged: %v", part, r.bad)
		}
	}
}

// TestRepeatedProperty shows that the header of a 7z file may have each property of its members only
// once. Two bytes for each repetition would otherwise cost a pass over all members.
func TestRepeatedProperty(t *testing.T) {
	header := []byte{szHeader, szFiles, 8}
	header = append(header, szEmptyStream, 1, 0, szEmptyStream, 1, 0xff, szEnd, szEnd)
	body := append([]byte("7z\xbc\xaf\x27\x1c"), make([]byte, sevenZipStart-6)...)
	body[20] = byte(len(header))
	if d := readAs(t, append(body, header...), document.Limits{}); !strings.Contains(d.Reason, errSevenZip.Error()) {
		t.Errorf("got reason %q, want that the file is damaged", d.Reason)
	}
}

// TestDamaged shows that damaged archives do not break the reader.
func TestDamaged(t *testing.T) {
	files := []file{{"a.txt", "text of a"}, {"b.txt", "text of b"}}
	documenttest.Mutate(t, Kind, "application/zip", zipOf(t, files...), tarOf(t, files...), gzipOf(t, "a.txt", []byte("text")), gzipOf(t, "", tarOf(t, files...)), storedZip(files...),
		made(t, "lzma.7z"), made(t, "lzma2.7z"), made(t, "plain.7z"), made(t, "plain.7z"), made(t, "bzip2.7z"), made(t, "blocks.tar.xz"))
}

// TestManyMembers reads a zip file of many small members. The decompressor is made once, not
// for each of them.
func TestManyMembers(t *testing.T) {
	var files []file
	for i := range 1000 {
		files = append(files, file{fmt.Sprint(i, ".txt"), "some text"})
	}
	body := zipOf(t, files...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	documenttest.Read(t, Kind, document.Input{Body: body})
	runtime.ReadMemStats(&after)
	// A decompressor takes 40 KB, so one for each member takes 40 MB.
	if used := after.TotalAlloc - before.TotalAlloc; used > 12<<20 {
		t.Errorf("1000 members take %d bytes of memory", used)
	}
}
