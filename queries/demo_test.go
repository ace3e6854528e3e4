package queries_test

import (
	"bytes"
	"compress/zlib"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write demo/*.raw anew from demo/site.txtar")

// compressed is the file whose records are compressed; the others are plain.
const compressed = "200808.raw"

// build writes the site's captures as Tianwang 1.0 files, by name.
func (s *site) build() (map[string][]byte, error) {
	files := make(map[string][]byte)
	for _, v := range s.captures {
		data, err := s.response(v)
		if err != nil {
			return nil, fmt.Errorf("%s at %v: %w", v.url, v.time, err)
		}
		ip, err := s.ip(v.url)
		if err != nil {
			return nil, err
		}
		files[v.file] = appendRecord(files[v.file], v, ip, data, v.file == compressed)
	}
	return files, nil
}

func appendRecord(dst []byte, v visit, ip string, data []byte, compress bool) []byte {
	dst = fmt.Appendf(dst, "version: 1.0\nurl: %s\n", v.url)
	if v.origin != "" {
		dst = fmt.Appendf(dst, "origin: %s\n", v.origin)
	}
	date := v.time.Format(time.RFC1123Z)
	if v.time.Location() == time.UTC {
		date = v.time.Format("Mon, 02 Jan 2006 15:04:05 GMT")
	}
	dst = fmt.Appendf(dst, "date: %s\nip: %s\n", date, ip)
	if compress {
		dst = fmt.Appendf(dst, "unzip-length: %d\n", len(data))
		var b bytes.Buffer
		w := zlib.NewWriter(&b)
		w.Write(data)
		w.Close()
		data = b.Bytes()
	}
	dst = fmt.Appendf(dst, "length: %d\n\n", len(data))
	return append(append(dst, data...), '\n')
}

// TestDemo builds the demo's Tianwang files from demo/site.txtar and compares
// them with those in the repository.
func TestDemo(t *testing.T) {
	s, err := openSite("demo/site.txtar")
	if err != nil {
		t.Fatal(err)
	}
	files, err := s.build()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		name = filepath.Join("demo", name)
		if *update {
			if err := os.WriteFile(name, want, 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what site.txtar says: run go test ./queries -update", name)
		}
	}
}
