package serve

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"infomall/exec/session"
)

// metrics counts what the server does, in the form of Prometheus.
type metrics struct {
	boot       string // names this run of the server; part of each ETag, because another version answers otherwise
	registry   *prometheus.Registry
	requests   *prometheus.CounterVec
	bytes      *prometheus.CounterVec
	seconds    *prometheus.HistogramVec
	statements *prometheus.CounterVec
	rows       prometheus.Counter
	hits       prometheus.Counter
	misses     prometheus.Counter
	running    prometheus.Gauge
}

// newMetrics returns metrics that are all zero. The counters of crawls are read from
// the archive when somebody asks for them.
func newMetrics(archive session.Archive) *metrics {
	var id [6]byte
	rand.Read(id[:]) // never fails
	m := &metrics{
		boot:     hex.EncodeToString(id[:]),
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "infomall_http_requests_total", Help: "Requests answered, by listener and status."}, []string{"listener", "status"}),
		bytes:    prometheus.NewCounterVec(prometheus.CounterOpts{Name: "infomall_http_response_bytes_total", Help: "Bytes of bodies sent, by listener."}, []string{"listener"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "infomall_http_request_duration_seconds", Help: "Time to answer a request, by listener.",
			Buckets: []float64{.001, .003, .005, .01, .015, .03, .1, .3, 1, 3, 10, 30}}, []string{"listener"}),
		statements: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "infomall_statements_total", Help: "Statements run, by how they ended: done, cut, mistake or error."}, []string{"end"}),
		rows:       prometheus.NewCounter(prometheus.CounterOpts{Name: "infomall_statement_rows_total", Help: "Rows of the answers of statements."}),
		hits:       prometheus.NewCounter(prometheus.CounterOpts{Name: "infomall_cache_hits_total", Help: "Decoded runs of captures that statements found in the cache."}),
		misses:     prometheus.NewCounter(prometheus.CounterOpts{Name: "infomall_cache_misses_total", Help: "Runs of captures that statements had to decode."}),
		running:    prometheus.NewGauge(prometheus.GaugeOpts{Name: "infomall_statements_running", Help: "Statements that run now."}),
	}
	m.registry.MustRegister(m.requests, m.bytes, m.seconds, m.statements, m.rows, m.hits, m.misses, m.running)
	if crawler, ok := archive.(session.Crawler); ok {
		m.registry.MustRegister(&crawlCounters{crawler})
	}
	return m
}

// request counts one answered request.
func (m *metrics) request(listener string, status int, bytes int64, took time.Duration) {
	m.requests.WithLabelValues(listener, strconv.Itoa(status)).Inc()
	m.bytes.WithLabelValues(listener).Add(float64(bytes))
	m.seconds.WithLabelValues(listener).Observe(took.Seconds())
}

// statement counts one statement. end says how it ended: done, cut, mistake or error.
func (m *metrics) statement(end string, rows, hits, misses int64) {
	m.running.Dec()
	m.statements.WithLabelValues(end).Inc()
	m.rows.Add(float64(rows))
	m.hits.Add(float64(hits))
	m.misses.Add(float64(misses))
}

// sendMetrics answers /metrics.
func (s *server) sendMetrics(w http.ResponseWriter, r *http.Request) error {
	if err := onlyRead(w, r); err != nil {
		return err
	}
	promhttp.HandlerFor(s.metrics.registry, promhttp.HandlerOpts{}).ServeHTTP(w, r)
	return nil
}

// crawlCounters are the counters of the crawls of the archive.
type crawlCounters struct{ crawler session.Crawler }

var (
	crawlFetched = prometheus.NewDesc("infomall_crawl_fetches_total", "Pages that a crawl has fetched so far.", []string{"crawl", "state"}, nil)
	crawlQueued  = prometheus.NewDesc("infomall_crawl_queue_urls", "URLs that a crawl has still to fetch.", []string{"crawl"}, nil)
)

// Describe implements prometheus.Collector.
func (c *crawlCounters) Describe(ch chan<- *prometheus.Desc) { ch <- crawlFetched; ch <- crawlQueued }

// Collect implements prometheus.Collector. If the states of crawls cannot be read,
// there are no counters of crawls.
func (c *crawlCounters) Collect(ch chan<- prometheus.Metric) {
	list, err := c.crawler.Crawls(context.Background())
	if err != nil {
		return
	}
	seen := map[string]bool{}
	for i := len(list) - 1; i >= 0; i-- { // of several crawls with one name, the latest
		if x := &list[i]; !seen[x.Name] {
			seen[x.Name] = true
			ch <- prometheus.MustNewConstMetric(crawlFetched, prometheus.CounterValue, float64(x.Fetched), x.Name, x.State.String())
			ch <- prometheus.MustNewConstMetric(crawlQueued, prometheus.GaugeValue, float64(x.Waiting), x.Name)
		}
	}
}
