package documenttest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infomall/store/document"
	"infomall/store/page/pagetest"
)

// Office reads those office files of the shared test data that are documents of
// the kind k and whose names end in suffix. The test fails if they are fewer
// than least. phrases maps the base names of some files to a phrase. The test
// also fails if one of these files has no text, or lacks its phrase in title
// and text. Without the shared data the test is skipped.
func Office(t *testing.T, k document.Kind, suffix string, least int, phrases map[string]string) {
	t.Helper()
	names, bodies := pagetest.Files(t, filepath.Join(pagetest.Shared(t), "documents", "office.tar.zst"), suffix)
	count, found := 0, 0
	for i, body := range bodies {
		in := document.Input{Body: body}
		if !k.Is(&in) {
			continue
		}
		count++
		d := Read(t, k, in)
		want, ok := phrases[filepath.Base(names[i])]
		if !ok {
			continue
		}
		found++
		if text := Text(d); text == "" || !strings.Contains(d.Title+text, want) {
			t.Errorf("%s: no %q in %.200q", names[i], want, text)
		}
	}
	if count < least || found != len(phrases) {
		t.Errorf("%s: documents: %d, at least %d expected; with a known phrase: %d of %d", k.Name, count, least, found, len(phrases))
	}
}

// Testdata adds to bodies the content of each file in the folder testdata of
// the package under test, under the name of the file, and returns bodies. The
// test fails if there are fewer than least files.
func Testdata(t testing.TB, bodies map[string][]byte, least int) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob("testdata/*.*")
	if err != nil || len(names) < least {
		t.Fatalf("files of testdata: %d, at least %d expected: %v", len(names), least, err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		bodies[filepath.Base(name)] = b
	}
	return bodies
}
