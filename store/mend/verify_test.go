package mend

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"infomall/store/body"
	"infomall/store/commit"
	"infomall/store/disk"
	"infomall/store/disk/lines"
	"infomall/store/finder"
	"infomall/store/notes"
	"infomall/store/record/task"
	"infomall/store/snapshot"
)

// emptyArchive returns the maintenance of a new archive without captures.
func emptyArchive(t *testing.T) *Maintenance {
	t.Helper()
	warn := func(err error) { t.Errorf("it warns of %v", err) }
	f := commit.Open(t.TempDir(), disk.OS)
	w, err := f.NewWriter(t.Context())
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	files := body.NewFiles(f, 1<<20, warn)
	t.Cleanup(func() { files.Close() })
	return New(f, files, snapshot.NewSource(files), finder.NewIndexes(f), notes.New(f, time.Now, warn), nil, time.Now, nil)
}

// TestVerifyCancelledAtDefinitions ends a VERIFY after it has begun and before it
// reads the definitions. It ends with the cause, reports nothing and does not
// panic.
func TestVerifyCancelledAtDefinitions(t *testing.T) {
	m := emptyArchive(t)
	v, err := m.snapshots.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	if v.Pin.Generation == 0 {
		t.Fatal("the archive has no generation: nothing is verified")
	}
	y := &verifier{m: m, v: v, yield: func(f task.Finding) error {
		t.Errorf("it reports %v", f)
		return nil
	}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := y.small(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the cause of the end", err)
	}
}

// TestProgressOfOtherFormat names another format, older or newer, in the file of
// progress, with a right checksum. Whoever reads the file gets an error that names
// the format, and VERIFY finds the file.
func TestProgressOfOtherFormat(t *testing.T) {
	for _, format := range []string{"5", "draft 2"} {
		m := emptyArchive(t)
		b := lines.Append([]byte("infomall "+kindVerify+"\t"+format+"\n"), "next", 7, 3)
		if err := os.WriteFile(filepath.Join(m.folder.Path, fileVerify), lines.Seal(b), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := m.readProgress()
		if other := new(disk.FormatError); !errors.As(err, &other) || other.Found != format {
			t.Errorf("format %s: got %v, want a FormatError", format, err)
		}
		var got []task.Finding
		for f, err := range m.Verify(t.Context(), task.VerifyOptions{}) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, f)
		}
		if len(got) != 1 || got[0].File != fileVerify {
			t.Errorf("format %s: VERIFY finds %+v, want the file of progress", format, got)
		}
	}
}

// TestVerifyUnlistedResults makes the folder of the results unreadable. VERIFY must not say that
// nothing is wrong, and PlanVerify must not leave the results out.
func TestVerifyUnlistedResults(t *testing.T) {
	m := emptyArchive(t)
	if err := os.WriteFile(filepath.Join(m.folder.Path, "results"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	var failed error
	for _, err := range m.Verify(t.Context(), task.VerifyOptions{}) {
		failed = errors.Join(failed, err)
	}
	if failed == nil {
		t.Error("VERIFY ends without an error")
	}
	if _, err := m.PlanVerify(t.Context(), task.VerifyOptions{}); err == nil {
		t.Error("PlanVerify returns no error")
	}
}
