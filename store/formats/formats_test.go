package formats

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"infomall/store/record/task"
)

// TestDetect shows what a file is taken for by its content, or what its error
// says that it looks like.
func TestDetect(t *testing.T) {
	const warcRecord = "WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
	const tianwangRecord = "version: 1.0\nurl: http://a.cn/\ndate: Tue, 15 Apr 2003 08:13:06 GMT\nlength: 1\n\nx\n"
	const arcRecord = "http://a.cn/ 10.0.0.1 20080430204825 text/html 1\nx\n"
	badMember := "\x1f\x8a" + zipped(t, warcRecord)[2:]
	tests := []struct{ name, file, want string }{
		{"WARC", warcRecord, WARC},
		{"WARC behind an empty line", "\r\n" + warcRecord, WARC},
		{"WARC in gzip", zipped(t, warcRecord), WARC},
		{"WARC in gzip, its first member damaged", badMember + zipped(t, warcRecord), WARC},
		{"WARC, its beginning lost", "</html>\r\n\r\n\r\n" + warcRecord, WARC},
		{"Tianwang", tianwangRecord, Tianwang},
		{"Tianwang behind comments", "# by x\n\n\x00\x00" + tianwangRecord, Tianwang},
		{"Tianwang, its beginning lost", "</html>\n" + tianwangRecord, Tianwang},
		{"Tianwang, about WARC", strings.Replace(tianwangRecord, "x", warcRecord, 1), Tianwang},
		{"empty", "", Tianwang},
		{"Tianwang in gzip", zipped(t, tianwangRecord), "gunzip it first"},
		{"ARC", "filedesc://x.arc 0.0.0.0 20080430204825 text/plain 1\n", ARC},
		{"ARC in gzip", zipped(t, "filedesc://x.arc 0.0.0.0 20080430204825 text/plain 1\n"), ARC},
		{"ARC, its beginning lost", "</html>\n" + arcRecord, ARC},
		{"ARC in gzip, its first member damaged", "\x1f\x8a\x08" + zipped(t, arcRecord), ARC},
		{"WACZ", "PK\x03\x04\x14", WACZ},
		{"page", "<html>", `begins with "<html>"`},
		{"page in gzip", zipped(t, "<html>"), `begins with "<html>"`},
	}
	for _, tt := range tests {
		got, err := Detect(strings.NewReader(tt.file))
		if err != nil {
			got = err.Error()
		}
		if got != tt.want && (err == nil || !strings.Contains(got, tt.want)) {
			t.Errorf("%s: detect = %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestPackedOtherwise refuses files that are compressed in a way that IMPORT does not
// read, with the command that decompresses them, whatever their format is named.
func TestPackedOtherwise(t *testing.T) {
	for _, tt := range []struct{ name, file, start, want string }{
		{"zstd", "a.warc.zst", "\x28\xb5\x2f\xfd\x00", "compressed with zstd, which IMPORT does not read. Decompress it first: zstd -dc 'FILE' > 'FILE-'"},
		{"zstd, a dictionary", "a.warc.zst", "\x5d\x2a\x4d\x18\x07\x01\x00\x00\x37\xa4\x30\xec",
			"zstd and a dictionary of its own, which IMPORT does not read. Decompress it first: tail -c +9 'FILE' | head -c 263 > dictionary && zstd -dc -D dictionary 'FILE' > 'FILE-'"},
		{"zstd, a dictionary that is compressed", "a.warc.zst", "\x5d\x2a\x4d\x18\x07\x00\x00\x00\x28\xb5\x2f\xfd",
			"tail -c +9 'FILE' | head -c 7 | zstd -dc > dictionary && zstd -dc -D dictionary 'FILE' > 'FILE-'"},
		{"bzip2", "a.arc.bz2", "BZh91AY&SY", "bzip2 -dc 'FILE' > 'FILE-'"},
		{"xz", "it's.xz", "\xfd7zXZ\x00\x00\x04", "xz -dc 'FILE' > 'FILE-'"},
		{"no extension", "packed", "\x28\xb5\x2f\xfd\x00", "zstd -dc 'FILE' > 'FILE-.unpacked'"},
	} {
		name := filepath.Join(t.TempDir(), tt.file)
		if err := os.WriteFile(name, []byte(tt.start), 0o666); err != nil {
			t.Fatal(err)
		}
		short := strings.TrimSuffix(name, filepath.Ext(name))
		want := strings.ReplaceAll(strings.ReplaceAll(tt.want, "'FILE-", "'"+short), "'FILE'", "'"+name+"'")
		if tt.file == "it's.xz" {
			want = strings.ReplaceAll(want, "it's", `it'\''s`)
		}
		for _, format := range []string{"", WARC, Tianwang} {
			s, err := Open(&Input{Name: name}, task.ImportOptions{Format: format})
			if err == nil {
				s.Close()
			}
			if err == nil || !strings.Contains(err.Error(), "import "+name+": byte 0: the file is compressed with") || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("%s, format %q: error %v, want one that ends in %s", tt.name, format, err, want)
			}
		}
	}
}

func zipped(t *testing.T, data string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(data)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
