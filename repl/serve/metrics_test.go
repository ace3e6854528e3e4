package serve

import (
	"strings"
	"testing"

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
	} {
		if !strings.Contains(body, want+"\n") {
			t.Errorf("there is no %s in\n%s", want, body)
		}
	}
}
