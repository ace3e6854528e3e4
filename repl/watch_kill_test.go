package repl

import (
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// watchKills is how often TestWatchIsKilled kills a run of a watch.
var watchKills = flag.Int("faults.watches", 12, "how often a run of a watch is killed")

// runCalls is about how many system calls that change files a run of a watch with new
// rows makes.
const runCalls = 100

// watchedRows says in which batch each row is that a watch has found, by the id of
// the row.
type watchedRows map[string]int

// ofBatch returns the ids of the rows of a batch, sorted.
func (w watchedRows) ofBatch(batch int) (ids []string) {
	for id, b := range w {
		if b == batch {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// TestWatchIsKilled kills runs of a watch at random system calls that change files:
// by RUN WATCH, and by a daemon. Between the runs rows come, go and come back. After
// each kill watched must have each row at most once, in the batch in which it was
// before, and THEN must have had whole batches. In the end watched has each row once,
// and THEN has had each batch.
func TestWatchIsKilled(t *testing.T) {
	if status, out := runKilled(1, "infomall", "--version"); status == untracedStatus {
		t.Skipf("programs cannot be traced here: %s", out)
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	work := t.TempDir()
	dir, file, out := filepath.Join(work, "archive"), filepath.Join(work, "rows.csv"), filepath.Join(work, "batch-")
	var ids []string // of all rows that ever came
	// come writes the file that the watch reads: all rows but some that watched has.
	come := func(has watchedRows) {
		for range random.IntN(4) {
			ids = append(ids, fmt.Sprintf("%06d", len(ids)))
		}
		b := []byte("id,n\n")
		for _, i := range random.Perm(len(ids)) {
			if _, seen := has[ids[i]]; !seen || random.IntN(3) > 0 {
				b = fmt.Appendf(b, "%s,%d\n", ids[i], random.IntN(1000))
			}
		}
		if err := os.WriteFile(file, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	rows := func() watchedRows {
		t.Helper()
		has := watchedRows{}
		for _, r := range parseCSV(t, infomall(t, dir, "SELECT id, batch FROM watched")) {
			if b, twice := has[r[0]]; twice {
				t.Fatalf("row %s is in batch %d and again in batch %s", r[0], b, r[1])
			}
			n, err := strconv.Atoi(r[1])
			if err != nil {
				t.Fatal(err)
			}
			has[r[0]] = n
		}
		return has
	}
	// done checks what THEN has written, and returns how many batches it had.
	done := func(has watchedRows) int {
		t.Helper()
		batches := slices.Max(append(slices.Collect(maps.Values(has)), 0))
		had := 0
		for batch := 1; batch <= batches+1; batch++ {
			b, err := os.ReadFile(fmt.Sprintf("%s%d.csv", out, batch))
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			had++
			var got []string
			for _, r := range parseCSV(t, string(b)) {
				got = append(got, r[0])
			}
			if want := has.ofBatch(batch); len(want) == 0 || !slices.Equal(got, want) {
				t.Fatalf("THEN had of batch %d the rows %q, and watched has %q", batch, got, want)
			}
		}
		return had
	}
	come(nil)
	infomall(t, dir, "SELECT 1")
	infomall(t, dir, fmt.Sprintf("WATCH w EVERY 1s FROM START AS SELECT id, n FROM FILE '%s' KEY (id) THEN EXPORT (SELECT id FROM watched WHERE name = 'w' AND batch = $batch ORDER BY id) TO '%s' || $batch || '.csv'", file, out))

	before := rows()
	killed := 0
	for i := 0; killed < *watchKills; i++ {
		if i > 20**watchKills {
			t.Fatalf("only %d of %d runs were killed", killed, i)
		}
		come(before)
		at := 1 + random.IntN(runCalls)
		program := []string{"infomall", "-a", dir, "-c", "RUN WATCH w"}
		if i%6 == 5 {
			program = []string{"infomall", "-a", dir, "--daemon"} // it runs until it is killed
		}
		status, printed := runKilled(at, program...)
		switch status {
		case killedStatus:
			killed++
		case statusDone: // it made fewer calls, because there was less to do
		default:
			t.Fatalf("killed at call %d it ends with status %d:\n%s", at, status, printed)
		}
		has := rows()
		for id, batch := range before {
			if has[id] != batch {
				t.Fatalf("killed at call %d: row %s was in batch %d and is in batch %d (0: it is gone)", at, id, batch, has[id])
			}
		}
		done(has)
		before = has
	}
	come(before)
	infomall(t, dir, "RUN WATCH w")
	has := rows()
	for _, id := range ids {
		if has[id] == 0 {
			t.Errorf("row %s is lost", id)
		}
	}
	batches := slices.Max(append(slices.Collect(maps.Values(has)), 0))
	if had := done(has); had != batches || len(has) != len(ids) {
		t.Errorf("THEN had %d of %d batches; watched has %d of %d rows", had, batches, len(has), len(ids))
	}
	t.Logf("killed %d times: %d rows in %d batches", killed, len(has), batches)
	infomall(t, dir, "VERIFY;")
	if left, _ := filepath.Glob(filepath.Join(dir, "results", "watches", "w", "*")); len(left) > batchesLeft(batches) {
		t.Errorf("%d batches left %d files", batches, len(left))
	}
}

// batchesLeft returns how many files this many batches may leave: seven for each
// level, one for what the last run has replaced, and marks of THEN.
func batchesLeft(batches int) int {
	levels := 1
	for n := batches; n >= 8; n /= 8 {
		levels++
	}
	return 7*levels + 8 + 4
}

// parseCSV returns the rows of a table in the form csv, without its head.
func parseCSV(t *testing.T, text string) [][]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) == 0 {
		return nil
	}
	return rows[1:]
}
