package store

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"infomall/store/commit"
	"infomall/store/formats"
	"infomall/store/record"
	"infomall/store/record/task"
)

// datesNow is the present in the tests of dates.
var datesNow = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// responseText is a response with a body of its own.
func responseText(body string) string {
	return "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
}

// datedRecord writes a record of a format with a date as it is written there.
func datedRecord(format, url, date string) string {
	m := responseText(url)
	switch format {
	case "tianwang":
		return fmt.Sprintf("version: 1.0\nurl: %s\ndate: %s\nlength: %d\n\n%s\n", url, date, len(m), m)
	case "arc":
		return fmt.Sprintf("%s 192.0.2.1 %s text/html %d\n%s\n", url, date, len(m), m)
	}
	return fmt.Sprintf("WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:x:%s>\r\nWARC-Date: %s\r\nWARC-Target-URI: %s\r\n"+
		"Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", url, date, url, len(m), m)
}

// TestDates imports files of each format whose records have dates in bounds and
// outside. Each record outside is a damage with its place and the cause, and all
// others come in.
func TestDates(t *testing.T) {
	warc := map[string]bool{
		"0000-06-01T00:00:00Z": false, "0000-01-01T00:00:00Z": false, "-0001-06-01T00:00:00Z": false, "0000": false,
		"10000-01-01T00:00:00Z": false, "99999-01-01T00:00:00Z": false, "9999-12-31T23:59:59-08:00": false,
		"1989-12-31T23:59:59Z": false, "1990-01-01T00:00:00+08:00": false, "1990-01-01T00:00:00Z": true,
		"2026-11-24T12:00:00Z": true, "2026-11-24T12:00:01Z": false, "2026-11-25T12:00:00Z": false, "2003-04-15T08:13:06Z": true,
	}
	formats := map[string]map[string]bool{
		"tianwang": {
			"Thu, 01 Jun 0000 00:00:00 GMT": false, "Sat, 01 Jan 0000 00:00:00 GMT": false, "Mon, 01 Jun -0001 00:00:00 GMT": false, "0": false,
			"Mon, 01 Jan 0001 00:00:00 +0800": false, "Mon, 01 Jan 10000 00:00:00 GMT": false, "Mon, 01 Jan 99999 00:00:00 GMT": false,
			"Fri, 31 Dec 9999 23:00:00 -0800": false, "Sun, 31 Dec 1989 23:59:59 GMT": false, "Mon, 01 Jan 1990 00:00:00 +0800": false,
			"Mon, 01 Jan 1990 00:00:00 GMT": true, "Tue, 24 Nov 2026 12:00:00 GMT": true, "Wed, 25 Nov 2026 12:00:00 GMT": false,
		},
		"arc": {
			"00000000000000": false, "00000601000000": false, "10000010100000": false, "99999010100000": false, "99991231235959": false,
			"19891231235959": false, "19900101000000": true, "20261124120000": true, "20261125120000": false, "20030415081306": true,
		},
		"warc": warc,
		"wacz": warc,
	}
	for format, dates := range formats {
		file := ""
		if format == "arc" {
			file = "filedesc://a.arc 0.0.0.0 19970417175710 text/plain 76\n1 0 Alexa Internet\nURL IP-address Archive-date Content-type Archive-length\n\n"
		}
		var at, good []string
		n := 0
		for date, in := range dates {
			url := fmt.Sprintf("http://d.example/%d", n)
			n++
			if in {
				good = append(good, url)
			} else {
				at = append(at, fmt.Sprint(len(file)))
			}
			file += datedRecord(format, url, date)
		}
		data := []byte(file)
		if format == "wacz" {
			var b bytes.Buffer
			z := zip.NewWriter(&b)
			w, err := z.CreateHeader(&zip.FileHeader{Name: "archive/data.warc", Method: zip.Store})
			if err != nil {
				t.Fatal(err)
			}
			w.Write(data)
			if err := z.Close(); err != nil {
				t.Fatal(err)
			}
			data = b.Bytes()
		}
		dir := t.TempDir()
		name := filepath.Join(dir, "data."+format)
		if err := writeFile(name, data); err != nil {
			t.Fatal(err)
		}
		a := openAt(filepath.Join(dir, "archive"), Options{Now: func() time.Time { return datesNow }})
		results, err := a.Import(context.Background(), task.ImportOptions{Patterns: []string{name}, Format: format})
		if err != nil {
			t.Fatal(format, err)
		}
		r := results[0]
		var damaged []string
		for _, d := range r.Damages {
			damaged = append(damaged, fmt.Sprint(d.Offset))
			if format == "wacz" && strings.Contains(d.Why, "datapackage.json") {
				r.Damaged-- // the package has no list of its files
				continue
			}
			if !strings.Contains(d.Why, "date") && !strings.Contains(d.Why, "Date") && !strings.Contains(d.Why, "header") {
				t.Errorf("%s: damage at %d does not speak of the date: %s", format, d.Offset, d.Why)
			}
		}
		if int(r.Damaged) != len(at) || int(r.Stored) != len(good) {
			t.Errorf("%s: %d damaged and %d stored, want %d and %d: %v", format, r.Damaged, r.Stored, len(at), len(good), r.Damages)
		}
		if format != "wacz" && !slices.Equal(damaged, at) {
			t.Errorf("%s: damage at %v, want %v", format, damaged, at)
		}
		if got := captured(t, a.Local(), ""); len(got) != len(good) {
			t.Errorf("%s: the archive has %q, want those of %q", format, got, good)
		}
		if n := verify(t, a.Local(), task.VerifyOptions{}); n != nil {
			t.Errorf("%s: VERIFY finds %v", format, n)
		}
		a.Close()
	}
}

// TestDatesOfMirror imports plain files, whose times are those of the files. A
// file with an impossible time is a damage that names it.
func TestDatesOfMirror(t *testing.T) {
	dir := t.TempDir()
	site := filepath.Join(dir, "d.example")
	if err := os.Mkdir(site, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, at := range map[string]time.Time{
		"good.htm": datesNow, "zeroed.htm": time.Unix(0, 0), "future.htm": datesNow.AddDate(0, 0, 2),
	} {
		path := filepath.Join(site, name)
		if err := writeFile(path, []byte("<p>"+name)); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	a := openAt(filepath.Join(dir, "archive"), Options{Now: func() time.Time { return datesNow }})
	defer a.Close()
	o := task.ImportOptions{Patterns: []string{dir + "/**"}, Format: formats.HTML}
	results, err := a.Import(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	r := results[0]
	if r.Stored != 1 || len(r.Damages) != 2 || !strings.Contains(r.Damages[0].Why, "future.htm: its date") || !strings.Contains(r.Damages[1].Why, "zeroed.htm: its date 1970-01-01") {
		t.Errorf("got %+v", r)
	}
	early := record.At(time.Unix(0, 0))
	o.Earliest = &early
	if results, err = a.Import(context.Background(), o); err != nil || results[0].Stored != 1 {
		t.Errorf("with an earlier bound: %+v, %v", results, err)
	}
}

// TestDatesOfSink puts a capture whose clock was never set into a sink, as a
// crawl does. It is an error that names the clock, and nothing is kept.
func TestDatesOfSink(t *testing.T) {
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	ctx := context.Background()
	s, err := a.NewSink(ctx, "crawl", 0)
	if err != nil {
		t.Fatal(err)
	}
	v := &visit{url: "http://d.example/", time: record.At(time.Unix(100, 0)), status: 200, body: "x"}
	if err := s.Put(ctx, v.capture()); err == nil || !strings.Contains(err.Error(), "clock") {
		t.Errorf("put: %v", err)
	}
	if err := s.Close(ctx); err != nil {
		t.Error(err)
	}
	if got := captured(t, a.Local(), ""); len(got) != 0 {
		t.Errorf("the archive has %q", got)
	}
}

// misnamedTimes are times whose months are no names of pools.
var misnamedTimes = []time.Time{
	time.Date(0, 6, 15, 0, 0, 0, 0, time.UTC), time.Date(-1, 6, 15, 0, 0, 0, 0, time.UTC),
	time.Date(10000, 1, 15, 0, 0, 0, 0, time.UTC), time.Date(99999, 1, 15, 0, 0, 0, 0, time.UTC),
}

// TestMisnamedPools makes an archive whose pools are named after impossible
// months, as versions without bounds of dates did. It opens, all is done for its
// other pools, and each of the misnamed ones is reported and can be dropped.
func TestMisnamedPools(t *testing.T) {
	ctx := context.Background()
	var warnings []string
	a := openAt(t.TempDir(), Options{Warn: func(err error) { warnings = append(warnings, err.Error()) }})
	defer a.Close()
	var good []string
	for round := range 3 {
		g, err := a.intake.NewImporter(ctx, "test")
		if err != nil {
			t.Fatal(err)
		}
		g.Dates = record.Dates{Earliest: math.MinInt64, Latest: math.MaxInt64}
		var res task.ImportResult
		res.Source = "test"
		for i, at := range append(slices.Clone(misnamedTimes), datesNow, datesNow.AddDate(-20, 0, 0)) {
			v := &visit{url: fmt.Sprintf("http://d.example/%d", i), time: record.At(at.Add(time.Duration(round) * time.Hour)), status: 200, body: fmt.Sprintf("<p>the text of %d, in round %d", i, round/2)}
			if err := g.Add(ctx, v.capture(), &res); err != nil {
				t.Fatal(err)
			}
			if i >= len(misnamedTimes) {
				good = append(good, v.url)
			}
		}
		if err := errors.Join(g.Flush(ctx), g.Close()); err != nil {
			t.Fatal(err)
		}
	}
	var bad []string
	for _, at := range misnamedTimes {
		bad = append(bad, record.At(at).Pool())
	}
	slices.Sort(bad)
	check := func(when string, misnamed []string, want int) {
		t.Helper()
		warnings = nil
		clear(a.warned)
		if got := captured(t, a.Local(), ""); len(got) != want {
			t.Errorf("%s: queries give %d captures, want %d: %q", when, len(got), want, got)
		}
		v, err := a.Snapshot(ctx)
		if err != nil {
			t.Fatal(err)
		}
		pools, err := v.Pools(ctx)
		if err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		v.Close()
		// A pool that was dropped may be left with blocks that others use.
		pools = slices.DeleteFunc(pools, func(p record.Pool) bool { return p.Captures == 0 })
		if len(pools) != len(misnamed)+2 {
			t.Errorf("%s: %d pools with captures, want %d", when, len(pools), len(misnamed)+2)
		}
		found := verify(t, a.Local(), task.VerifyOptions{})
		for _, pool := range misnamed {
			if said := strings.Join(warnings, "\n"); !strings.Contains(said, "pool "+pool+" ") {
				t.Errorf("%s: no warning of pool %s: %s", when, pool, said)
			}
			if !slices.ContainsFunc(found, func(f task.Finding) bool { return f.Pool == pool && strings.Contains(f.What, "DROP POOL") }) {
				t.Errorf("%s: VERIFY does not report pool %s: %v", when, pool, found)
			}
		}
		if slices.ContainsFunc(found, func(f task.Finding) bool { return !slices.Contains(misnamed, f.Pool) }) || len(misnamed) == 0 && len(found) > 0 {
			t.Errorf("%s: VERIFY finds %v", when, found)
		}
	}
	check("as imported", bad, len(good))
	if _, err := a.Reindex(ctx, task.ReindexOptions{}); err != nil {
		t.Error(err)
	}
	check("with indexes made again", bad, len(good))
	if _, err := a.Reindex(ctx, task.ReindexOptions{Derived: true}); err != nil {
		t.Error(err)
	}
	for _, seal := range []bool{false, true} {
		results, err := a.Merge(ctx, task.MergeOptions{Seal: seal})
		if err != nil {
			t.Error(err)
		}
		if len(results) != len(bad)+2 {
			t.Errorf("seal %v: %d results", seal, len(results))
		}
		check(fmt.Sprintf("merged, sealed: %v", seal), bad, len(good))
	}
	dir := t.TempDir()
	if _, err := a.Copy(ctx, task.CopyOptions{Dir: place(dir)}); err != nil {
		t.Error(err)
	}
	b := openAt(dir, Options{})
	defer b.Close()
	if got := captured(t, dir, ""); len(got) != len(good) {
		t.Errorf("the copy has %q", got)
	}
	for i, pool := range bad {
		if _, err := a.Drop(ctx, task.DropOptions{Pool: pool}); err != nil {
			t.Errorf("drop %s: %v", pool, err)
		}
		check("without "+pool, bad[i+1:], len(good))
	}
	if err := removeFile(filepath.Join(b.Local(), commit.FileCurrent)); err != nil {
		t.Fatal(err)
	}
	if err := removeAll(filepath.Join(b.Local(), commit.DirCatalog)); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Reindex(ctx, task.ReindexOptions{}); err != nil {
		t.Errorf("a lost catalogue: %v", err)
	}
	if got := captured(t, dir, ""); len(got) != len(good) {
		t.Errorf("the copy, with its catalogue made again, has %q", got)
	}
}
