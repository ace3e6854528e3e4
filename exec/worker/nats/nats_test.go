package nats_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"infomall/exec"
	"infomall/exec/relation"
	"infomall/exec/relation/relationtest"
	"infomall/exec/session"
	"infomall/exec/worker"
	"infomall/exec/worker/nats"
	"infomall/exec/worker/natstest"
	"infomall/lang"
	"infomall/store/record"
)

// archive makes a memory archive one that statements take.
type archive struct{ *relationtest.Archive }

func (a archive) Snapshot(context.Context) (relation.Snapshot, error) { return a.Archive, nil }

// newArchive is an archive whose pages are so large that an answer has many messages.
func newArchive() archive {
	var list []relationtest.Capture
	for i := range 200 {
		list = append(list, relationtest.Capture{
			URL: fmt.Sprintf("http://a.example/%03d", i), Time: record.Time(1_200_000_000_000 + i), Status: 200, Mime: "text/html",
			Body: strings.Repeat(fmt.Sprintf("<p>page %d ", i), 1200),
		})
	}
	return archive{relationtest.New(list...)}
}

func newSession(a session.Archive, workers session.Workers) *session.Session {
	return exec.New(session.Options{Archive: a, Settings: session.DefaultSettings(), Workers: workers})
}

// sixParts divides every question into six parts.
type sixParts struct{ *worker.Asker }

func (sixParts) Parts(float64) (parts, least int) { return 6, 0 }

// work starts a worker at the servers, and waits until it can be asked. stop ends it.
func work(t *testing.T, urls string, a session.Archive) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	ready := make(chan bool)
	var wait sync.WaitGroup
	wait.Go(func() {
		err := nats.Serve(ctx, urls, func(id string) *worker.Answerer {
			return worker.NewAnswerer(a, worker.Info{ID: id, Host: "here", Slots: 1}, func() *session.Session { return newSession(a, nil) })
		}, func() { close(ready) })
		if err != nil {
			t.Error(err)
		}
	})
	<-ready
	stop = func() { cancel(); wait.Wait() }
	t.Cleanup(stop)
	return stop
}

// rows returns the rows of a query as text.
func rows(ctx context.Context, s *session.Session, src string) (list []string, err error) {
	st, err := lang.ParseOne(src, "")
	if err != nil {
		return nil, err
	}
	res, err := s.Run(ctx, st)
	if err != nil {
		return nil, err
	}
	defer res.Close()
	for b, err := range res.Rows {
		if err != nil {
			return list, err
		}
		for i := range b.N {
			var row []byte
			for _, c := range b.Cols {
				row = append(c.At(i).Append(row, nil), '|')
			}
			list = append(list, string(row))
		}
	}
	return list, nil
}

// TestQuestions asks workers over NATS, also after one has ended, and when none is left.
func TestQuestions(t *testing.T) {
	urls := natstest.Start(t, 1).URLs()
	a := newArchive()
	transport := nats.New(urls)
	defer transport.Close()
	s := newSession(a, sixParts{worker.NewAsker(transport, worker.Options{Wait: 1})})
	if _, err := rows(t.Context(), s, "SELECT url FROM captures"); err == nil || !strings.Contains(err.Error(), "no worker answers; start some") {
		t.Errorf("without workers: error %v", err)
	}
	s = newSession(a, sixParts{worker.NewAsker(transport, worker.Options{})})
	stop := work(t, urls, a)
	work(t, urls, a)
	for i, src := range []string{
		"SELECT url, html FROM versions", // 3 MB in messages of 256 KB
		"SELECT status, count(*), max(url) FROM captures GROUP BY status",
		"SELECT url FROM versions WHERE html CONTAINS 'page 17' ORDER BY url DESC LIMIT 3",
	} {
		want, err := rows(t.Context(), newSession(a, nil), src)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := rows(t.Context(), s, src); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %d rows, error %v; want %d rows", src, len(got), err, len(want))
		}
		if i == 1 {
			stop()
		}
	}
	if _, err := rows(t.Context(), s, "SELECT sum(bytes * 4000000000000000000) FROM captures"); err == nil || !strings.HasPrefix(err.Error(), "1:18:") {
		t.Errorf("a product that is too great: error %v", err)
	}
}

// TestNoServer shows the error if there is no server, without the password in its address.
func TestNoServer(t *testing.T) {
	transport := nats.New("nats://me:secret@127.0.0.1:1")
	defer transport.Close()
	s := newSession(newArchive(), sixParts{worker.NewAsker(transport, worker.Options{})})
	_, err := rows(t.Context(), s, "SELECT url FROM captures")
	if err == nil || !strings.Contains(err.Error(), "connect to nats://…@127.0.0.1:1") || strings.Contains(err.Error(), "secret") {
		t.Errorf("error %v", err)
	}
}
