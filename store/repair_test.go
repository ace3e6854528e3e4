package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"infomall/store/commit"
	"infomall/store/record/task"
)

// repaired repairs a pool and gives the state of each file.
func repaired(t *testing.T, dir string, o task.RepairOptions) map[string]task.RepairState {
	t.Helper()
	a := openAt(dir, Options{})
	defer a.Close()
	results, err := a.Repair(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]task.RepairState)
	for _, r := range results {
		got[filepath.Ext(r.File)] = r.State
	}
	return got
}

// manyRuns is an archive of one pool whose db-file has several runs, and its
// verified copy.
func manyRuns(t *testing.T) (dir, backup string) {
	t.Helper()
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	r := rand.New(rand.NewPCG(1, 2))
	var visits []*visit
	for i := range 20 {
		body := make([]byte, 60_000)
		for j := range body {
			body[j] = byte(r.Uint32())
		}
		visits = append(visits, &visit{url: fmt.Sprintf("http://www.example.com/%d", i), time: day0, status: 200, body: string(body)})
	}
	put(t, a, visits)
	backup = filepath.Join(t.TempDir(), "backup")
	copyTo(t, a, place(backup))
	return a.Local(), backup
}

// TestRepair damages the files of an archive and of its copy at random, each in
// places of its own: every one comes back.
func TestRepair(t *testing.T) {
	dir, backup := manyRuns(t)
	files, err := archiveFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 4))
	for round := range 8 {
		for _, name := range files {
			rel, err := filepath.Rel(dir, name)
			if err != nil {
				t.Fatal(err)
			}
			if ext := filepath.Ext(rel); ext != ".raw" && ext != ".idx" {
				continue
			}
			whole, err := readFile(name)
			if err != nil {
				t.Fatal(err)
			}
			// Neither is damaged where the other is.
			places := r.Perm(len(whole) / 100)[:6]
			for i, at := range places {
				to := []string{name, filepath.Join(backup, rel)}[i%2]
				b, err := readFile(to)
				if err != nil {
					t.Fatal(err)
				}
				for j := range 1 + r.IntN(80) {
					b[at*100+j] ^= byte(1 + r.IntN(255))
				}
				if err := writeFile(to, b); err != nil {
					t.Fatal(err)
				}
			}
		}
		if got := verify(t, dir, task.VerifyOptions{}); len(got) == 0 {
			t.Fatal("VERIFY finds nothing wrong with the damaged archive")
		}
		o := task.RepairOptions{Pool: "200806", Dir: place(backup)}
		o.Dry = true
		would := repaired(t, dir, o)
		o.Dry = false
		if got := repaired(t, dir, o); got[".raw"] != task.RepairMended || got[".idx"] != task.RepairMended || fmt.Sprint(would) != fmt.Sprint(got) {
			t.Fatalf("round %d: files are %v, and a dry run said %v; want all mended", round, got, would)
		}
		if got := verify(t, dir, task.VerifyOptions{}); len(got) > 0 {
			t.Fatalf("round %d: after the repair VERIFY finds %+v", round, got)
		}
		if got := repaired(t, backup, task.RepairOptions{Pool: "200806", Dir: place(dir)}); got[".raw"] != task.RepairTaken || got[".idx"] != task.RepairTaken {
			t.Fatalf("the copy's files are %v, want all taken", got)
		}
	}
}

// TestRepairLost damages what is damaged in the copy too: what only one has
// lost comes back, and the rest is told. Files of another archive are not
// taken.
func TestRepairLost(t *testing.T) {
	dir, backup := manyRuns(t)
	other, _ := manyRuns(t)
	names, err := glob(filepath.Join(dir, commit.DirPools, "*", "*.raw"))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	rel, err := filepath.Rel(dir, names[0])
	if err != nil {
		t.Fatal(err)
	}
	damage := func(dir string, places ...int) {
		t.Helper()
		b, err := readFile(filepath.Join(dir, rel))
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range places {
			b[at] ^= 1
		}
		if err := writeFile(filepath.Join(dir, rel), b); err != nil {
			t.Fatal(err)
		}
	}
	damage(dir, 1000, 1_000_000)
	damage(backup, 1000, 400_000)
	for _, c := range []struct {
		from string
		raw  task.RepairState
		lost int
	}{
		{place(backup), task.RepairPartly, 1},
		{place(backup), task.RepairDamaged, 1},
		{t.TempDir(), task.RepairDamaged, 1},
		{place(other), task.RepairDamaged, 1},
	} {
		a := openAt(dir, Options{})
		results, err := a.Repair(context.Background(), task.RepairOptions{Pool: "200806", Dir: c.from})
		a.Close()
		if err != nil {
			t.Fatal(err)
		}
		if got := results[0]; got.State != c.raw || got.Lost != c.lost || results[1].State != task.RepairWhole {
			t.Errorf("from %s: got %+v, want the db-file %v with %d lost", c.from, results, c.raw, c.lost)
		}
	}
	a := openAt(dir, Options{})
	defer a.Close()
	if _, err := a.Repair(context.Background(), task.RepairOptions{Pool: "200806", Dir: place(dir)}); err == nil {
		t.Error("an archive is repaired from itself")
	}
}
