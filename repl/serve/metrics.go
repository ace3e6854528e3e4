package serve

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"infomall/exec/session"
)

// metrics counts what the server does. sendMetrics writes the counts in the text form of
// Prometheus. The library of Prometheus would do so too, but it registers counters of its
// own when the program starts, which took a twentieth of each start.
type metrics struct {
	boot    string          // names this run of the server; part of each ETag, because another version answers otherwise
	crawler session.Crawler // has the counters of crawls; nil if the archive has none

	sync.Mutex // for the rest
	requests   metric
	bytes      metric
	seconds    map[string]*latency // by listener
	statements metric
	rows       metric
	hits       metric
	misses     metric
	running    metric
}

// metric is a number, or one for each set of labels, such as {listener="replay",status="200"}.
type metric struct {
	name, kind, help string
	values           map[string]float64 // by labels; "" is the number without labels
}

// latency counts requests by how long they took.
type latency struct {
	within []int64 // requests, by the first of latencyBounds that they keep; the last took longer than all
	sum    float64 // of the seconds of all requests
}

// latencyBounds are in seconds.
var latencyBounds = []float64{.001, .003, .005, .01, .015, .03, .1, .3, 1, 3, 10, 30}

// newMetrics returns metrics that are all zero. The counters of crawls are read from
// the archive when somebody asks for them.
func newMetrics(archive session.Archive) *metrics {
	var id [6]byte
	rand.Read(id[:]) // never fails
	labelled := func(name, kind, help string) metric { return metric{name, kind, help, map[string]float64{}} }
	single := func(name, kind, help string) metric { return metric{name, kind, help, map[string]float64{"": 0}} }
	m := &metrics{
		boot:       hex.EncodeToString(id[:]),
		requests:   labelled("infomall_http_requests_total", "counter", "Requests answered, by listener and status."),
		bytes:      labelled("infomall_http_response_bytes_total", "counter", "Bytes of bodies sent, by listener."),
		seconds:    map[string]*latency{},
		statements: labelled("infomall_statements_total", "counter", "Statements run, by how they ended: done, cut, mistake or error."),
		rows:       single("infomall_statement_rows_total", "counter", "Rows of the answers of statements."),
		hits:       single("infomall_cache_hits_total", "counter", "Decoded runs of captures that statements found in the cache."),
		misses:     single("infomall_cache_misses_total", "counter", "Runs of captures that statements had to decode."),
		running:    single("infomall_statements_running", "gauge", "Statements that run now."),
	}
	m.crawler, _ = archive.(session.Crawler)
	return m
}

// request counts one answered request.
func (m *metrics) request(listener string, status int, bytes int64, took time.Duration) {
	m.Lock()
	defer m.Unlock()
	m.requests.values[labels("listener", listener, "status", strconv.Itoa(status))]++
	m.bytes.values[labels("listener", listener)] += float64(bytes)
	l := m.seconds[listener]
	if l == nil {
		l = &latency{within: make([]int64, len(latencyBounds)+1)}
		m.seconds[listener] = l
	}
	at, _ := slices.BinarySearch(latencyBounds, took.Seconds())
	l.within[at]++
	l.sum += took.Seconds()
}

// begin counts one statement that begins.
func (m *metrics) begin() {
	m.Lock()
	defer m.Unlock()
	m.running.values[""]++
}

// statement counts one statement that has ended as end says: done, cut, mistake or
// error.
func (m *metrics) statement(end string, rows, hits, misses int64) {
	m.Lock()
	defer m.Unlock()
	m.running.values[""]--
	m.statements.values[labels("end", end)]++
	m.rows.values[""] += float64(rows)
	m.hits.values[""] += float64(hits)
	m.misses.values[""] += float64(misses)
}

// sendMetrics answers /metrics.
func (s *server) sendMetrics(w http.ResponseWriter, r *http.Request) error {
	if err := onlyRead(w, r); err != nil {
		return err
	}
	fetched, queued := s.metrics.crawls(r.Context())
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.Write(s.metrics.text(fetched, queued))
	return nil
}

// text returns the metrics and those in more, as Prometheus reads them.
func (m *metrics) text(more ...metric) []byte {
	m.Lock()
	defer m.Unlock()
	var b bytes.Buffer
	for _, x := range append([]metric{m.requests, m.bytes, m.statements, m.rows, m.hits, m.misses, m.running}, more...) {
		if len(x.values) > 0 {
			x.head(&b)
		}
		for _, of := range slices.Sorted(maps.Keys(x.values)) {
			fmt.Fprintf(&b, "%s%s %v\n", x.name, of, x.values[of])
		}
	}
	seconds := metric{name: "infomall_http_request_duration_seconds", kind: "histogram", help: "Time to answer a request, by listener."}
	if len(m.seconds) > 0 {
		seconds.head(&b)
	}
	for _, listener := range slices.Sorted(maps.Keys(m.seconds)) {
		l, n := m.seconds[listener], int64(0)
		for i, bound := range latencyBounds {
			n += l.within[i]
			fmt.Fprintf(&b, "%s_bucket%s %d\n", seconds.name, labels("listener", listener, "le", fmt.Sprint(bound)), n)
		}
		n += l.within[len(latencyBounds)]
		of := labels("listener", listener)
		fmt.Fprintf(&b, "%s_bucket%s %d\n", seconds.name, labels("listener", listener, "le", "+Inf"), n)
		fmt.Fprintf(&b, "%s_sum%s %v\n%s_count%s %d\n", seconds.name, of, l.sum, seconds.name, of, n)
	}
	return b.Bytes()
}

// head writes the lines before the values of x.
func (x *metric) head(b *bytes.Buffer) {
	fmt.Fprintf(b, "# HELP %s %s\n# TYPE %s %s\n", x.name, x.help, x.name, x.kind)
}

// labels returns labels as they stand after the name of a metric, such as {crawl="news"}.
// Each name in pairs is followed by its value.
func labels(pairs ...string) string {
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		value := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(pairs[i+1])
		fmt.Fprintf(&b, `,%s="%s"`, pairs[i], value)
	}
	return "{" + b.String()[1:] + "}"
}

// crawls returns the counters of the crawls of the archive. If the states of crawls cannot
// be read, there are no counters of crawls.
func (m *metrics) crawls(ctx context.Context) (fetched, queued metric) {
	fetched = metric{"infomall_crawl_fetches_total", "counter", "Requests of a crawl so far.", map[string]float64{}}
	queued = metric{"infomall_crawl_queue_urls", "gauge", "URLs that a crawl has still to fetch.", map[string]float64{}}
	if m.crawler == nil {
		return fetched, queued
	}
	list, err := m.crawler.Crawls(ctx)
	if err != nil {
		return fetched, queued
	}
	seen := map[string]bool{}
	for i := len(list) - 1; i >= 0; i-- { // of several crawls with one name, the latest
		if x := &list[i]; !seen[x.Name] {
			seen[x.Name] = true
			fetched.values[labels("crawl", x.Name, "state", x.State.String())] = float64(x.Fetched)
			queued.values[labels("crawl", x.Name)] = float64(x.Waiting)
		}
	}
	return fetched, queued
}
