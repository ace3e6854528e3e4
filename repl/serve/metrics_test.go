package serve

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
)

// TestMetrics shows that /metrics counts what was answered, and that promlint finds no
// fault with its names and helps.
func TestMetrics(t *testing.T) {
	s, _ := testServer(t, nil, cdxCaptures()...)
	for _, target := range []string{"/", "/query?q=SELECT+1", "/api/query?statement=SELECT+url+FROM+captures+LIMIT+3", "/api/query?statement=SELEC", "/none?"} {
		get(t, s.interfaceHandler(), target)
	}
	get(t, s.replayHandler(), "/2008mp_/http://a.example/")
	body := bodyOf(t, get(t, s.interfaceHandler(), "/metrics"))
	problems, err := promlint.New(strings.NewReader(body)).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	for _, want := range []string{
		`infomall_http_requests_total{listener="interface",status="200"} 3`, `infomall_http_requests_total{listener="replay",status="200"} 1`,
		`infomall_statements_total{end="done"} 3`, `infomall_statements_total{end="mistake"} 1`, "infomall_statements_running 0",
		`infomall_http_request_duration_seconds_count{listener="interface"} 5`, `infomall_http_request_duration_seconds_bucket{listener="interface",le="+Inf"} 5`,
		`infomall_http_request_duration_seconds_bucket{listener="replay",le="30"} 1`,
	} {
		if !strings.Contains(body, want+"\n") {
			t.Errorf("there is no %s in\n%s", want, body)
		}
	}
}

// TestMetricLabels shows the form of labels, with a value that must be escaped.
func TestMetricLabels(t *testing.T) {
	got := labels("crawl", "a \"b\" \\ c\nd", "state", "done")
	if want := `{crawl="a \"b\" \\ c\nd",state="done"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestLatency shows that a request counts for each bound that it keeps.
func TestLatency(t *testing.T) {
	m := newMetrics(nil)
	for _, took := range []time.Duration{time.Millisecond, 2 * time.Millisecond, time.Minute} {
		m.request("replay", 200, 10, took)
	}
	for _, want := range []string{
		`_bucket{listener="replay",le="0.001"} 1`, `_bucket{listener="replay",le="0.003"} 2`, `_bucket{listener="replay",le="30"} 2`,
		`_bucket{listener="replay",le="+Inf"} 3`, `_sum{listener="replay"} 60.003`, `_count{listener="replay"} 3`,
	} {
		if want = "infomall_http_request_duration_seconds" + want + "\n"; !strings.Contains(string(m.text()), want) {
			t.Errorf("there is no %s in\n%s", want, m.text())
		}
	}
}
