package wacz

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/record"
	"infomall/store/record/message"
)

// page returns a capture of a page with this URL and body, at the time at.
func page(url, body string, at int64) *message.Stored {
	s := &message.Stored{URL: url, Title: "of " + url, Size: int64(len(body))}
	s.AskedURL, s.Time, s.RefersTime = url, record.Time(at), record.NoTime
	s.Head, s.Status = []byte("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"), 200
	s.Body, s.Digest = []byte(body), sha256.Sum256([]byte(body))
	return s
}

// write returns a WACZ file with the captures of list.
func write(t interface{ Fatal(...any) }, list ...*message.Stored) []byte {
	var file bytes.Buffer
	w, err := NewWriter(&file, WriterOptions{Title: "test", Software: "test", Now: 1_200_000_000_000})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var lines [][]byte
	for _, s := range list {
		e, _, err := w.Write(s)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, e.Append(nil))
	}
	slices.SortFunc(lines, bytes.Compare)
	err = w.Finish(func(yield func([]byte, error) bool) {
		for _, l := range lines {
			if !yield(l, nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func read(t interface{ Fatal(...any) }, file []byte, o Options) []record.Item {
	var items []record.Item
	for it, err := range Read(context.Background(), bytes.NewReader(file), int64(len(file)), o) {
		if err != nil {
			t.Fatal(err)
		}
		items = append(items, it)
	}
	return items
}

// brief returns items as text, without skipped records.
func brief(items []record.Item) string {
	var b strings.Builder
	for _, it := range items {
		switch {
		case it.Capture != nil:
			fmt.Fprintf(&b, "%s %s %q\n", it.Capture.Source, it.Capture.AskedURL, it.Capture.Body)
		case it.Damage != "":
			fmt.Fprintf(&b, "damaged %s\n", it.Damage)
		}
	}
	return b.String()
}

// zipOf returns a zip file. files has the name and the content of each file in
// turn.
func zipOf(t testing.TB, method uint16, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		f, err := z.CreateHeader(&zip.FileHeader{Name: files[i], Method: method})
		if err == nil {
			_, err = io.WriteString(f, files[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const warcFile = "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://a.cn/\r\nWARC-Date: 2008-06-30T22:00:00Z\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\ntext\r\n\r\n"

const arcFile = "http://a.cn/ 10.0.0.1 20080430204825 text/plain 4\ntext\n"

func sumOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// TestRead shows how good and unusual files are read.
func TestRead(t *testing.T) {
	manifest := func(path, hash string) string {
		return fmt.Sprintf(`{"profile": "data-package", "wacz_version": "1.1.1", "resources": [{"name": "x", "path": %q, "hash": %q, "bytes": 1}]}`, path, hash)
	}
	const one = "x.wacz/archive/a.warc http://a.cn/ \"text\"\n"
	good := zipOf(t, zip.Store, "datapackage.json", manifest("archive/a.warc", "sha256:"+sumOf(warcFile)), "archive/a.warc", warcFile)
	tests := []struct {
		name string
		file []byte
		want string
	}{
		{"1.1.1", good, one},
		{"1.0", zipOf(t, zip.Store, "datapackage.json", `{"resources": [{"path": "archive/a.warc", "stats": {"hash": "`+sumOf(warcFile)+`"}}]}`, "archive/a.warc", warcFile), one},
		{"1.2.0 draft", zipOf(t, zip.Store, "datapackage.json", `{"profile": "wacz", "home": {"url": "http://a.cn/"}, "resources": []}`, "archive/a.warc", warcFile, "indexes/index.cdx", "", "extra/x.warc", "not ours"), one},
		{"compressed again", zipOf(t, zip.Deflate, "datapackage.json", `{}`, "archive/a.warc", warcFile), one},
		{"several, in order of name", zipOf(t, zip.Store, "datapackage.json", `{}`, "archive/b.arc", arcFile, "archive/a.warc", warcFile), one + "x.wacz/archive/b.arc http://a.cn/ \"text\"\n"},
		{"another digest", zipOf(t, zip.Store, "datapackage.json", manifest("archive/a.warc", "sha256:"+sumOf("")), "archive/a.warc", warcFile),
			"damaged archive/a.warc has the sha256 " + sumOf(warcFile) + ", but datapackage.json says " + sumOf("") + "\n" + one},
		{"a file is missing", zipOf(t, zip.Store, "datapackage.json", manifest("archive/b.warc.gz", "sha256:00"), "archive/a.warc", warcFile),
			one + "damaged archive/b.warc.gz is listed in datapackage.json, but is not in the zip file\n"},
		{"no manifest", zipOf(t, zip.Store, "archive/a.warc", warcFile), "damaged no datapackage.json in the zip file: files can't be checked against it\n" + one},
		{"manifest that is no JSON", zipOf(t, zip.Store, "datapackage.json", "{", "archive/a.warc", warcFile), "damaged datapackage.json can't be read: unexpected EOF\n" + one},
		{"nothing", zipOf(t, zip.Store, "datapackage.json", "{}"), "damaged no WARC file under archive/ in the zip file\n"},
		{"damage within", zipOf(t, zip.Store, "datapackage.json", `{}`, "archive/a.warc", "garbage\r\n"+warcFile), "damaged archive/a.warc: no WARC record where one should begin\n" + one},
		{"directory lost", good[:len(good)-30], "damaged the zip file has no readable directory (zip: not a valid zip file): the whole file is searched for records\n" +
			"damaged no WARC record where one should begin\nx.wacz http://a.cn/ \"text\"\ndamaged no WARC record where one should begin\n"},
		{"bytes changed", bytes.Replace(good, []byte("text\r\n"), []byte("test\r\n"), 1), "damaged archive/a.warc: zip: checksum error\n" + strings.Replace(one, "text", "test", 1)},
		{"grows too much", zipOf(t, zip.Deflate, "datapackage.json", "{}", "archive/a.warc", strings.Repeat("\x00", inflateMin+1)), "damaged archive/a.warc: it would inflate from"},
	}
	for _, tt := range tests {
		got := brief(read(t, tt.file, Options{Source: "x.wacz"}))
		if got != tt.want && (strings.HasSuffix(tt.want, "\n") || !strings.HasPrefix(got, tt.want)) {
			t.Errorf("%s: got\n%swant\n%s", tt.name, got, tt.want)
		}
	}
}

// TestWrite looks at the parts of a file: each is listed with its digest, the
// index is sorted and its offsets lead to records, and pages have titles.
func TestWrite(t *testing.T) {
	file := write(t, page("http://a.cn/", "<p>a", 1e12), page("http://a.cn/", "<p>a", 2e12), page("http://b.cn/", "<p>b", 1e12))
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	content := make(map[string][]byte)
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if content[f.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(f.Name, "archive/") && f.Method != zip.Store {
			t.Errorf("%s is compressed again", f.Name)
		}
	}
	var manifest struct {
		Profile   string
		Version   string `json:"wacz_version"`
		Resources []resource
	}
	if err := json.Unmarshal(content[namePackage], &manifest); err != nil {
		t.Fatal(err)
	}
	if manifest.Profile != "data-package" || manifest.Version != "1.1.1" || len(manifest.Resources) != 3 {
		t.Errorf("manifest %+v", manifest)
	}
	for _, r := range manifest.Resources {
		if c := content[r.Path]; int64(len(c)) != r.Bytes || r.Hash != "sha256:"+sumOf(string(c)) {
			t.Errorf("%+v does not fit %d bytes of %s", r, len(c), sumOf(string(c)))
		}
	}
	if want := `"hash": "sha256:` + sumOf(string(content[namePackage])) + `"`; !bytes.Contains(content[nameDigest], []byte(want)) {
		t.Errorf("%s lacks %s", content[nameDigest], want)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(string(content[nameIndex]), "\n"), "\n")
	if len(lines) != 3 || !slices.IsSorted(lines) || !strings.Contains(lines[1], "warc/revisit") {
		t.Errorf("index %q", lines)
	}
	pages := strings.Split(strings.TrimSpace(string(content[namePages])), "\n")
	if len(pages) != 3 || !strings.Contains(pages[1], `"title":"of http://a.cn/","ts":"2001-09-09T01:46:40Z","url":"http://a.cn/"`) {
		t.Errorf("pages %q, want a header and two", pages)
	}
	if got := brief(read(t, file, Options{})); strings.Contains(got, "damaged") || strings.Count(got, "\n") != 3 {
		t.Errorf("read back:\n%s", got)
	}
}

// TestCutAnywhere cuts a file at random places. Every record that is still
// whole must be read, and nothing may panic.
func TestCutAnywhere(t *testing.T) {
	file := write(t, page("http://a.cn/", "<p>a", 1e12), page("http://b.cn/", "<p>b", 1e12))
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, len(file)).Draw(t, "bytes")
		got := brief(read(t, file[:n], Options{}))
		if n < len(file) && !strings.Contains(got, "damaged") {
			t.Errorf("%d of %d bytes: no damage told:\n%s", n, len(file), got)
		}
	})
}

// TestCancelled shows that reading ends with the cause of a cancelled context.
func TestCancelled(t *testing.T) {
	file := write(t, page("http://a.cn/", "<p>a", 1e12))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var last error
	for _, err := range Read(ctx, bytes.NewReader(file), int64(len(file)), Options{}) {
		last = err
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", last)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(write(f, page("http://a.cn/", "<p>a", 1e12)))
	f.Add(zipOf(f, zip.Deflate, "datapackage.json", `{"resources":[{"path":"archive/a.arc","hash":"md5:"}]}`, "archive/a.arc", arcFile))
	f.Fuzz(func(t *testing.T, file []byte) {
		for _, it := range read(t, file, Options{Limits: message.BodyLimits{MemoryMax: 1 << 10, TempDir: t.TempDir()}}) {
			if it.Capture != nil {
				it.Capture.Close()
			}
		}
	})
}
