package state

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"infomall/crawl/report"
	"infomall/store/disk"
	"infomall/store/record"
)

// damagedHosts are the hosts of the state that the tests of damage use.
var damagedHosts = []string{"a.cn", "b.cn", "c.cn"}

// writeState makes a state with entries in all buckets in the folder dir, and returns its database.
func writeState(t *testing.T, dir string) []byte {
	t.Helper()
	q := openQueue(t, dir)
	must(t, q.SetCrawl(&report.Crawl{Name: "t", Statement: "CRAWL"}))
	for i := range 150 {
		host := damagedHosts[i%len(damagedHosts)]
		u := report.Queued{URL: fmt.Sprintf("http://%s/%d", host, i), Host: host, Priority: uint64(i % 5), Due: record.NoTime}
		if i%10 == 0 {
			u.Due = record.Time(1000 + i)
		}
		if _, err := q.Add(&u); err != nil {
			t.Fatal(err)
		}
		if i%10 == 5 {
			must(t, q.Keep(&u))
		}
		must(t, q.Log(&report.Fetch{URL: u.URL, Bytes: int64(i%3 - 1)}))
		must(t, q.SetTally(&report.HostTally{Host: host, ErrorURL: u.URL}))
		must(t, q.SetHost(host, []byte(u.URL)))
		must(t, q.SetSite(host, []byte(u.URL)))
		must(t, q.Alert(&report.Alert{URL: u.URL}))
	}
	must(t, q.Commit())
	must(t, q.Close())
	b, err := os.ReadFile(filepath.Join(dir, fileState))
	must(t, err)
	return b
}

// runDamaged does with the state in dir what a crawl does: it takes all URLs out. It returns the first
// error. If URLs that were removed come again, it returns errAgain.
func runDamaged(dir string) (err error) {
	q, err := Open(disk.OS, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, q.Close()) }()
	if _, err := q.Crawl(); err != nil {
		return err
	}
	if _, err := q.Orders(); err != nil {
		return err
	}
	if _, err := q.Inbox(10); err != nil {
		return err
	}
	steps := 0
	for more := true; more; steps++ {
		list, err := q.Ripe(5000, 7)
		if err != nil {
			return err
		}
		if more = len(list) > 0; steps > 1000 {
			return errAgain
		}
	}
	kept, err := q.KeptHosts()
	if err != nil {
		return err
	}
	for _, host := range append(kept, damagedHosts...) {
		for more := true; more; steps++ {
			list, _, err := q.Unkeep(host, 0, 7, func(*report.Queued) bool { return true })
			if err != nil {
				return err
			}
			if more = len(list) > 0; steps > 1000 {
				return errAgain
			}
		}
	}
	hosts, err := q.Hosts()
	if err != nil {
		return err
	}
	for _, host := range append(hosts, damagedHosts...) {
		if _, err := q.Host(host); err != nil {
			return err
		}
		if _, err := q.Site(host); err != nil {
			return err
		}
		t, err := q.Tally(host)
		if err == nil {
			err = q.SetTally(&t)
		}
		if err != nil {
			return err
		}
		for more := true; more; steps++ {
			list, _, err := q.Load(host, 0, 0, 7)
			if err != nil {
				return err
			}
			for i := range list {
				if err := q.Log(&report.Fetch{URL: list[i].URL}); err != nil {
					return err
				}
				if err := q.Done(&list[i]); err != nil {
					return err
				}
				if _, err := q.Meet(list[i].URL + "/x"); err != nil {
					return err
				}
			}
			if more = len(list) > 0; steps > 1000 {
				return errAgain
			}
		}
	}
	return q.Commit()
}

// errAgain says that URLs come again after they were removed.
var errAgain = errors.New("removed URLs come again")

// watchDamaged reads the state in dir as a visitor does, and returns the errors.
func watchDamaged(dir string) error {
	_, _, err := Look(dir)
	errs := []error{err}
	for _, err := range Waiting(dir) {
		errs = append(errs, err)
	}
	for _, err := range Fetches(dir) {
		errs = append(errs, err)
	}
	for _, err := range Tallies(dir) {
		errs = append(errs, err)
	}
	for _, err := range Alerts(dir) {
		errs = append(errs, err)
	}
	for _, err := range Failures(dir, nil) {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// TestDamage shows that a crawl whose state is damaged ends with an error: it neither panics nor goes on
// for ever. A database has no checksums, so a crawl cannot notice every changed byte.
func TestDamage(t *testing.T) {
	whole := writeState(t, filepath.Join(t.TempDir(), "c"))
	rnd := rand.New(rand.NewPCG(1, 2))
	page := os.Getpagesize()
	tries := 0
	try := func(name string, b []byte) error {
		dir := filepath.Join(t.TempDir(), "c")
		must(t, os.MkdirAll(dir, 0o755))
		must(t, os.WriteFile(filepath.Join(dir, fileState), b, 0o644))
		must(t, os.WriteFile(filepath.Join(dir, fileGate), nil, 0o644))
		var watched error
		if tries++; tries%4 == 1 {
			watched = watchDamaged(dir)
		}
		err := runDamaged(dir)
		if errors.Is(err, errAgain) {
			t.Errorf("%s: %v", name, err)
		}
		for _, err := range []error{watched, err} {
			if err != nil && strings.Contains(err.Error(), "timeout") {
				t.Errorf("%s: the database stays locked: %v", name, err)
			}
		}
		return err
	}
	if err := try("whole", whole); err != nil {
		t.Errorf("the whole state: %v", err)
	}
	for at := 0; at < len(whole); at += page {
		part := whole[at : at+page]
		if string(part) == string(make([]byte, page)) {
			continue
		}
		b := append([]byte(nil), whole...)
		clear(b[at : at+page])
		try(fmt.Sprintf("zero at %d", at), b)
		b = append([]byte(nil), whole...)
		for i := range 64 { // the head of the page and its first elements
			b[at+16+i] = byte(rnd.UintN(256))
		}
		try(fmt.Sprintf("noise at %d", at), b)
	}
	for _, host := range damagedHosts {
		// One letter of the host of each URL in one bucket is another one.
		try("host "+host, []byte(strings.ReplaceAll(string(whole), "\x04"+host, "\x04"+host[:3]+"x")))
	}
	for range 6 {
		b := append([]byte(nil), whole...)
		at := rnd.IntN(len(b))
		b[at] ^= 1 << rnd.UintN(8)
		try(fmt.Sprintf("bit at %d", at), b)
	}
	try("cut", whole[:len(whole)/2])
}

// TestCircle shows that a state ends with an error, for the crawl and for visitors, if a page is below itself.
// bbolt would follow the circle until the stack is full.
func TestCircle(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "c")
	whole := writeState(t, dir)
	page, circles, met := os.Getpagesize(), 0, 0
	for at := 2 * page; at < len(whole); at += page {
		head := whole[at:]
		if binary.LittleEndian.Uint16(head[8:]) != pageIsBranch || binary.LittleEndian.Uint64(head) != uint64(at/page) {
			continue
		}
		circles++
		b := append([]byte(nil), whole...)
		for i := range int(binary.LittleEndian.Uint16(head[10:])) {
			binary.LittleEndian.PutUint64(b[at+pageHeadBytes+i*elementBytes+8:], uint64(at/page))
		}
		must(t, os.WriteFile(filepath.Join(dir, fileState), b, 0o644))
		if err := watchDamaged(dir); errors.Is(err, errState) {
			met++
		} else if err != nil {
			t.Errorf("page %d: visitors got %v, want %v", at/page, err, errState)
		}
		if err := runDamaged(dir); !errors.Is(err, errState) {
			t.Errorf("page %d: the crawl got %v, want %v", at/page, err, errState)
		}
	}
	if circles < 3 || met < circles-1 { // visitors do not read which URLs the crawl has met
		t.Errorf("the state has %d branch pages, and visitors met %d of them", circles, met)
	}
}

// TestRunningAsked shows that a crawl can begin while others ask whether it runs, and that it counts as running
// only then.
func TestRunningAsked(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "c")
	must(t, openQueue(t, dir).Close())
	f, err := os.Open(filepath.Join(dir, fileLock)) // as Running does
	must(t, err)
	free, err := disk.TryShared(f)
	if must(t, err); !free {
		t.Fatal("the lock is taken")
	}
	if running, err := Running(dir); running || err != nil {
		t.Errorf("while another asks: running %v, %v", running, err)
	}
	must(t, f.Close())
	var asking sync.WaitGroup
	ended := make(chan struct{})
	asking.Go(func() {
		for {
			select {
			case <-ended:
				return
			default:
				Running(dir)
			}
		}
	})
	for range 20 {
		q, err := Open(disk.OS, dir)
		must(t, err)
		must(t, q.Close())
	}
	close(ended)
	asking.Wait()
}

// TestEmptyState shows what becomes of a state whose file a crash or a fault of the disk has left empty, cut or
// full of zeros. An empty file counts as a crawl that has not begun; otherwise the error says what to do.
func TestEmptyState(t *testing.T) {
	for _, size := range []int{0, 100, 4096, 16384} {
		dir := filepath.Join(t.TempDir(), "c")
		must(t, openQueue(t, dir).Close())
		must(t, os.WriteFile(filepath.Join(dir, fileState), make([]byte, size), 0o644))
		c, _, err := Look(dir)
		q, opened := Open(disk.OS, dir)
		if opened == nil {
			must(t, q.Close())
		}
		for _, err := range []error{err, opened} {
			if size == 0 && err != nil || size > 0 && !errors.Is(err, errState) || c.Name != "" {
				t.Errorf("a state of %d bytes: %v", size, err)
			}
		}
	}
}
