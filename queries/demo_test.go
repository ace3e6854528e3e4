package queries_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"infomall/store/formats/tianwang"
	"infomall/store/record"
)

var update = flag.Bool("update", false, "write demo/*.raw anew from demo/site.txtar")

// TestDemo builds the demo's Tianwang files from demo/site.txtar and compares
// their records with those in the repository. Not the bytes: another release of
// the compressor may write others.
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
		if !reflect.DeepEqual(captures(t, got), captures(t, want)) {
			t.Errorf("%s is not what site.txtar says: run go test ./queries -update", name)
		}
	}
}

// captures are the captures of a Tianwang file, of which each record must be
// one. Where the records stand is left out.
func captures(t *testing.T, file []byte) []*record.Capture {
	t.Helper()
	var all []*record.Capture
	for item, err := range tianwang.Read(t.Context(), bytes.NewReader(file), tianwang.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		if item.Capture == nil {
			t.Fatalf("at %d: a record that is no capture: %s%s", item.Offset, item.Skipped, item.Damage)
		}
		item.Capture.Offset = 0
		all = append(all, item.Capture)
	}
	return all
}
