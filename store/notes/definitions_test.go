package notes

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"infomall/store/commit"
	"infomall/store/disk"
	"infomall/store/disk/disktest"
	"infomall/store/record/task"
)

// openTest returns the notes of the archive in dir, which d changes.
func openTest(dir string, d disk.FS) *Notes {
	return New(commit.Open(dir, d), time.Now, func(error) {})
}

// define adds one definition.
func define(a *Notes, name string) error {
	return a.Define(context.Background(), func(list []task.Definition) ([]task.Definition, error) {
		return append(list, task.Definition{Kind: task.KindView, Name: name, Text: "CREATE VIEW " + name + "\tAS\nSELECT '正文'", Created: 1000}), nil
	})
}

// definedNames are the names that the archive in dir has.
func definedNames(dir string) ([]string, error) {
	a := openTest(dir, disk.OS)
	list, err := a.Definitions(context.Background())
	var names []string
	for _, d := range list {
		names = append(names, d.Name)
		if want := "CREATE VIEW " + d.Name + "\tAS\nSELECT '正文'"; d.Text != want || d.Kind != task.KindView || d.Created != 1000 {
			return nil, fmt.Errorf("read back as %+v", d)
		}
	}
	return names, err
}

// TestDefinitions shows that what was defined is there afterwards, that a change
// that fails changes nothing, and that a damaged file is refused and kept.
func TestDefinitions(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "archive")
	a := openTest(dir, disk.OS)
	if got, err := definedNames(dir); err != nil || got != nil {
		t.Errorf("an archive that is not there defines %q, error %v", got, err)
	}
	for _, name := range []string{"a", `"quo	ted"`, "标题"} {
		if err := define(a, name); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"a", `"quo	ted"`, "标题"}
	if got, err := definedNames(dir); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, error %v; want %q", got, err, want)
	}
	refused := errors.New("refused")
	err := a.Define(context.Background(), func([]task.Definition) ([]task.Definition, error) { return nil, refused })
	if got, _ := definedNames(dir); !errors.Is(err, refused) || !slices.Equal(got, want) {
		t.Errorf("a change that fails ends with %v and leaves %q", err, got)
	}
	path := filepath.Join(dir, FileDefinitions)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		bad := slices.Clone(whole)
		bad[i] ^= 1 << (i % 8)
		if _, err := decodeDefinitions(bad); err == nil {
			t.Errorf("a flipped bit in byte %d is not found", i)
		}
		if _, err := decodeDefinitions(whole[:i]); err == nil {
			t.Errorf("a file cut at byte %d is taken for whole", i)
		}
	}
	whole[30] ^= 1
	if err := os.WriteFile(path, whole, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := define(a, "more"); !errors.Is(err, errDefinitions) {
		t.Errorf("defining over a damaged file ends with %v", err)
	}
	if now, err := os.ReadFile(path); err != nil || string(now) != string(whole) {
		t.Errorf("a damaged file was changed (error %v)", err)
	}
}

// TestDefinitionsFaults kills the program and the machine while it defines names,
// at every operation: what was acknowledged is there, and of what was not all
// or nothing.
func TestDefinitionsFaults(t *testing.T) {
	names := []string{"a", "b", "c", "d"}
	judge := func(dir string, acked, begun int) error {
		got, err := definedNames(dir)
		if err != nil {
			return err
		}
		if len(got) < acked || len(got) > begun || !slices.Equal(got, names[:len(got)]) {
			return fmt.Errorf("got %q of %q, of which %d were acknowledged and %d begun", got, names, acked, begun)
		}
		return nil
	}
	defineAll := func(d *disktest.Disk, dir string) (acked int, at []point) {
		a := openTest(dir, d)
		for i, name := range names {
			at = append(at, point{d.Mark(), i, i + 1})
			if define(a, name) != nil {
				return i, at
			}
		}
		return len(names), append(at, point{d.Mark(), len(names), len(names)})
	}
	everyFault(t, defineAll, judge)
}

// TestDefinitionsAtOnce defines names from several archives at once, as several
// processes do, of which none is lost.
func TestDefinitionsAtOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "archive")
	const writers, each = 8, 10
	var wg sync.WaitGroup
	errs := make([]error, writers)
	for w := range writers {
		wg.Go(func() {
			a := openTest(dir, disk.OS)
			for i := range each {
				if err := define(a, fmt.Sprintf("v%d_%d", w, i)); err != nil {
					errs[w] = err
				}
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	got, err := definedNames(dir)
	slices.Sort(got)
	if err != nil || len(slices.Compact(got)) != writers*each {
		t.Errorf("%d names of %d, error %v", len(got), writers*each, err)
	}
}
