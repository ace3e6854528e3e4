package warc

import (
	"bytes"
	"crypto/sha1"
	"encoding/base32"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"infomall/store/record"
	"infomall/store/record/message"
)

// shared is the folder of sample files made by others.
func shared(t testing.TB) string {
	dir := os.Getenv("INFOMALL_SHARED")
	if dir == "" {
		dir = filepath.FromSlash("../../../../shared")
	}
	dir = filepath.Join(dir, "data", "warc")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("sample files are not here: ", err)
	}
	return dir
}

// summary counts items by their record's type, and damages.
func summary(items []record.Item) string {
	counts := map[string]int{}
	for _, it := range items {
		if it.Damage != "" {
			counts["damaged"]++
		} else {
			counts[strings.TrimSpace(it.Type)]++
		}
	}
	return format(counts)
}

func format(counts map[string]int) string {
	var words []string
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		words = append(words, fmt.Sprintf("%s:%d", k, counts[k]))
	}
	return strings.Join(words, " ")
}

// TestInventory compares what is read from each sample with what another
// reader sees. Where that is something else, the figure and why are here.
func TestInventory(t *testing.T) {
	dir := shared(t)
	differs := map[string]string{
		// Several records in one gzip member, where the other reader stops.
		"warcio/test/data/example-bad-non-chunked.warc.gz":  "request:2 response:1 revisit:1 warcinfo:2",
		"warcio/test/data/example-bad.warc.gz.bad":          "request:2 response:2 revisit:1 warcinfo:1",
		"pywb/sample_archive/warcs/example-bad.warc.gz.bad": "request:2 response:2 revisit:1 warcinfo:1",
		// A chunk's size is wrong, where the other reader stops.
		"warcio/test/data/example-wrong-chunks.warc.gz": "request:1 response:1",
		// Content-Length is missing or no number.
		"jwat-invalid/invalid-warcfile-fields-empty.warc":         "damaged:1",
		"jwat-invalid/invalid-warcfile-fields-invalidformat.warc": "damaged:1",
		"jwat-invalid/invalid-warcfile-fields-missing.warc":       "damaged:1",
	}
	inventory, err := os.ReadFile(filepath.Join(dir, "INVENTORY.psv"))
	if err != nil {
		t.Fatal(err)
	}
	files := 0
	for line := range strings.Lines(string(inventory)) {
		f := strings.Split(line, "|")
		name := f[0]
		if i := strings.Index(name, "/src/test/resources/"); i >= 0 {
			name = "jwat-invalid/" + name[i+len("/src/test/resources/"):]
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.HasPrefix(f[3], "warc ") {
			continue // not among the samples, or no WARC
		}
		files++
		want := differs[name]
		if want == "" {
			counts := map[string]int{}
			for _, word := range strings.Fields(f[4]) {
				kind, n, _ := strings.Cut(word, ":")
				counts[kind], _ = strconv.Atoi(n)
			}
			want = format(counts)
		}
		if got := summary(read(t, data, Options{})); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	if files < 30 {
		t.Errorf("%d files compared, want 30 or more", files)
	}
}

// TestDigests compares each body, or its wire form, with the sha1 that its
// record declares.
func TestDigests(t *testing.T) {
	// Records made to be wrong: a digest of another body, a status line of
	// HTTPX/1.1.
	wrong := []string{"invalid-warcfile-contenttype-recommended.warc", "invalid-warcfile-digest-fields.warc", "example-extra.warc"}
	checked := 0
	eachSample(t, func(name string, data []byte) {
		if slices.Contains(wrong, filepath.Base(name)) {
			return
		}
		for _, it := range read(t, data, Options{}) {
			c := it.Capture
			if c == nil || c.Body == nil || !strings.HasPrefix(c.DeclaredDigest, "sha1:") {
				continue
			}
			var wire []byte
			stored := message.Stored{Capture: *c}
			for b, err := range stored.Wire() {
				if err != nil {
					t.Errorf("%s: %s: %v", name, c.AskedURL, err)
				}
				wire = append(wire, b...)
			}
			checked++
			block := append(bytes.Clone(c.Head), wire...)
			if d := c.DeclaredDigest; !isSHA1(d, c.Body) && !isSHA1(d, wire) && !isSHA1(d, block) {
				t.Errorf("%s: %s: body of %d bytes, %d on the wire, does not have its digest %s", name, c.AskedURL, len(c.Body), len(wire), d)
			}
		}
	})
	if checked < 100 {
		t.Errorf("%d digests checked, want 100 or more", checked)
	}
}

// isSHA1 reports whether digest is that of b, in base 32 or hexadecimal.
func isSHA1(digest string, b []byte) bool {
	sum := sha1.Sum(b)
	return digest == "sha1:"+base32.StdEncoding.EncodeToString(sum[:]) || digest == fmt.Sprintf("sha1:%x", sum)
}

// TestEverySample reads each file of the samples, WARC or not, whole and cut:
// no panic, and items in order.
func TestEverySample(t *testing.T) {
	eachSample(t, func(name string, data []byte) {
		for _, n := range []int{len(data), len(data) / 2, len(data) * 9 / 10} {
			checkOrder(t, name, read(t, data[:n], Options{}), n)
		}
	})
}

func eachSample(t *testing.T, do func(name string, data []byte)) {
	t.Helper()
	err := filepath.Walk(shared(t), func(name string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if err == nil {
			do(name, data)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func checkOrder(t *testing.T, name string, items []record.Item, size int) {
	t.Helper()
	last := int64(0)
	for _, it := range items {
		if it.Offset < last || it.Offset >= int64(size) || it.Offset+it.Length > int64(size) {
			t.Errorf("%s: item at %d+%d behind one at %d, in %d bytes", name, it.Offset, it.Length, last, size)
		}
		last = it.Offset
		if (it.Capture != nil) == (it.Skipped+it.Damage != "") {
			t.Errorf("%s: item at %d is not one of capture, skipped and damaged: %+v", name, it.Offset, it)
		}
	}
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
