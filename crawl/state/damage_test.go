package state

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
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
