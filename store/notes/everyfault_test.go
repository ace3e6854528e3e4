package notes

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"infomall/store/disk/disktest"
)

// everyFault does steps on an archive, with the power lost after each operation
// of the disk, four times each with other luck, and with the program killed at
// each. do does the steps until one fails, and tells how many were acknowledged,
// and when. judge looks at the archive that is left.
func everyFault(t *testing.T, do func(d *disktest.Disk, dir string) (acked int, at []point), judge func(dir string, acked, begun int) error) {
	t.Helper()
	root := t.TempDir()
	whole := disktest.New(root)
	_, at := do(whole, filepath.Join(root, "archive"))
	r := rand.New(rand.NewPCG(1, 2))
	for n := at[0].mark; n <= whole.Mark(); n++ {
		p := at[0]
		for _, next := range at {
			if next.mark <= n {
				p = next
			}
		}
		for range 4 {
			left := t.TempDir()
			if err := whole.Crash(n, r).WriteTo(left); err != nil {
				t.Fatal(err)
			}
			if err := judge(filepath.Join(left, "archive"), p.acked, p.begun); err != nil {
				t.Fatalf("power lost after %d operations: %v", n, err)
			}
		}
	}
	for n := 1; n <= whole.Operations(); n++ {
		root := t.TempDir()
		d := disktest.New(root)
		d.Fault = func(at int, _ string) error {
			if at >= n {
				return disktest.ErrKilled
			}
			return nil
		}
		dir := filepath.Join(root, "archive")
		acked, _ := do(d, dir)
		if err := judge(dir, acked, acked+1); err != nil {
			t.Fatalf("killed at operation %d: %v", n, err)
		}
		d.Fault = nil
		d.Revive()
		if open := d.OpenFiles(); open != 0 {
			t.Fatalf("%d files are open after a kill at operation %d", open, n)
		}
	}
}

// point is a place in a record of operations: what was acknowledged and begun by
// then.
type point struct{ mark, acked, begun int }
