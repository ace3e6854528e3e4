package charset

import (
	"archive/tar"
	"bytes"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// TestGuessText guesses the charset of long texts.
func TestGuessText(t *testing.T) {
	for file, want := range map[string]string{
		"candide-utf-8.txt":                            "utf-8",
		"candide-windows-1252.txt":                     "windows-1252",
		"rashomon-euc-jp.txt":                          "euc-jp",
		"rashomon-iso-2022-jp.txt":                     "iso-2022-jp",
		"rashomon-shift-jis.txt":                       "shift_jis",
		"rashomon-utf-8.txt":                           "utf-8",
		"sunzi-bingfa-gb-levels-1-and-2-hz-gb2312.txt": "hz-gb-2312",
		"sunzi-bingfa-simplified-gbk.txt":              "gb18030",
		"sunzi-bingfa-traditional-big5.txt":            "big5",
		"unsu-joh-eun-nal-euc-kr.txt":                  "euc-kr",
		"unsu-joh-eun-nal-utf-8.txt":                   "utf-8",
		"sunzi-bingfa-simplified-utf-8.txt":            "utf-8",
	} {
		body, err := os.ReadFile(shared(t, "charset", "xtext", file))
		if err != nil {
			t.Fatal(err)
		}
		if got := charsetOf(body); got != want {
			t.Errorf("%s: guess = %q, want %q", file, got, want)
		}
	}
}

// TestCharsetChinesePages reads real pages, three of which say gb2312 and are
// UTF-8.
func TestCharsetChinesePages(t *testing.T) {
	lied := 0
	for name, body := range tarFiles(t, shared(t, "chinese", "gne-odd.tar.zst")) {
		if !strings.HasSuffix(name, ".html") {
			continue
		}
		found := Find(body, "", "")
		got, declared := found.Charset, found.Declared
		if got != "utf-8" {
			t.Errorf("%s: Charset = %q, declared %q; want utf-8", name, got, declared)
		}
		if declared == "gb2312" {
			lied++
		}
	}
	if lied != 3 {
		t.Errorf("%d pages say gb2312, want 3", lied)
	}
}

// TestGuessNews guesses each of 250 records of news by itself, and each title.
func TestGuessNews(t *testing.T) {
	data, err := os.ReadFile(shared(t, "chinese", "infomall-dat0-first250.dat"))
	if err != nil {
		t.Fatal(err)
	}
	records, titles := 0, 0
	for record := range bytes.SplitSeq(data, []byte("\x1f")) {
		if len(bytes.TrimSpace(record)) == 0 {
			continue
		}
		records++
		if got := charsetOf(record); got != "gb18030" {
			t.Errorf("guess(%.200q) = %q, want gb18030", record, got)
		}
		_, title, _ := bytes.Cut(record, []byte("title="))
		title, _, _ = bytes.Cut(title, []byte("\n"))
		if got, ascii := charsetOf(title), !bytes.ContainsFunc(title, func(r rune) bool { return r > '~' }); got != "gb18030" && !ascii {
			t.Errorf("guess(%q) = %q, want gb18030", title, got)
		} else if !ascii {
			titles++
		}
	}
	t.Logf("%d records, %d titles", records, titles)
	if records < 200 {
		t.Errorf("%d records, want 200 or more", records)
	}
}

// tarFiles reads all files of a tar.zst.
func tarFiles(t *testing.T, name string) map[string][]byte {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f, zstd.WithDecoderMaxWindow(1<<27))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	files := make(map[string][]byte)
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if files[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCountUTF8 puts a letter beyond ASCII, and a byte that is none, behind any
// number of letters of ASCII, which are passed over several at a time.
func TestCountUTF8(t *testing.T) {
	for before := range 80 {
		for after := range 40 {
			body := strings.Repeat("a", before) + "é\xff" + strings.Repeat("b", after)
			if good, bad := countUTF8([]byte(body)); good != 1 || bad != 1 {
				t.Fatalf("%q has %d and %d, want 1 and 1", body, good, bad)
			}
		}
	}
}

// charsetOf is the charset of a body of which nothing else is known.
func charsetOf(body []byte) string {
	name := Find(body, "", "").Charset
	return name
}
