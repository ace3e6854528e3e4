package mcp

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"infomall/exec"
	"infomall/exec/relation"
	"infomall/exec/relation/relationtest"
	"infomall/exec/session"
	"infomall/store/record"
)

// memory is an archive in memory.
type memory struct{ *relationtest.Archive }

func (m memory) Snapshot(context.Context) (relation.Snapshot, error) { return m.Archive, nil }

// TestTools calls each tool by the SDK's own client.
func TestTools(t *testing.T) {
	at := func(month time.Month) record.Time { return record.At(time.Date(2008, month, 1, 0, 0, 0, 0, time.UTC)) }
	list := []relationtest.Capture{
		{URL: "http://a.example/", Time: at(6), Status: 200, Mime: "text/html", Body: "<title>June</title><p>the old library"},
		{URL: "http://a.example/", Time: at(7), Status: 200, Mime: "text/html", Body: "<title>July</title><p>the new library"},
		{URL: "http://a.example/long", Time: at(6), Status: 200, Mime: "text/html", Body: "<p>" + strings.Repeat("word ", 6000)},
	}
	for i := range rowsMax + 10 {
		list = append(list, relationtest.Capture{URL: fmt.Sprintf("http://b.example/%d", i), Time: at(6), Status: 200, Mime: "text/html", Body: "b"})
	}
	m := memory{relationtest.New(list...)}
	ends, clientEnd := sdk.NewInMemoryTransports()
	srv := newServer(Options{Timeout: time.Minute, Session: func() *session.Session {
		return exec.New(session.Options{Archive: m, Settings: session.DefaultSettings(), ReadOnly: true, NoFiles: true})
	}})
	ss, err := srv.Connect(t.Context(), ends, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ss.Close()
	client, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), clientEnd, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	tools, err := client.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools.Tools {
		if !tool.Annotations.ReadOnlyHint || *tool.Annotations.OpenWorldHint {
			t.Errorf("the tool %s is not said to read only", tool.Name)
		}
	}
	if len(tools.Tools) != 5 {
		t.Errorf("there are %d tools, want 5", len(tools.Tools))
	}
	for _, c := range []struct {
		tool  string
		args  map[string]any
		wrong bool
		want  string
	}{
		{"describe", map[string]any{}, false, `"relation":"versions"`},
		{"describe", map[string]any{"of": "captures"}, false, `"column":"url"`},
		{"describe", map[string]any{"of": "search"}, false, "SEARCH words [IN scope"},
		{"describe", map[string]any{"of": "colours"}, true, "no relation"},
		{"query", map[string]any{"statement": "SELECT url, status FROM captures IN 'a.example' LIMIT 1"}, false, `"rows":[{"status":200,"url":"http://a.example/"}]`},
		{"query", map[string]any{"statement": "SELECT $x + 1 AS n", "params": map[string]any{"x": "1"}}, false, `"n":2`},
		{"query", map[string]any{"statement": "SELECT 9007199254740993 AS n"}, false, `"n":"9007199254740993"`},
		{"query", map[string]any{"statement": "SELECT url FROM captures"}, false, `"more":true`},
		{"query", map[string]any{"statement": "SELECT text FROM 'http://a.example/long'"}, false, `"cut":["text"]`},
		{"query", map[string]any{"statement": "SELECT colour FROM captures"}, true, "^~~~"},
		{"query", map[string]any{"statement": "DROP POOL '200806'"}, true, "DROP POOL"},
		{"query", map[string]any{"statement": "SELECT * FROM FILE '/etc/passwd'"}, true, "no files are read here"},
		{"search", map[string]any{"words": "library", "scope": "a.example"}, false, `"url":"http://a.example/"`},
		{"search", map[string]any{"words": ""}, true, "q is missing"},
		{"page", map[string]any{"url": "a.example", "at": "2008-06"}, false, "the old library"},
		{"page", map[string]any{"url": "a.example"}, false, `"time":"2008-07-01T00:00:00Z"`},
		{"page", map[string]any{"url": "http://a.example/long"}, false, `"more":true`},
		{"page", map[string]any{"url": "http://a.example/long", "from": 29_990}, false, `"quoted_text":"word word`},
		{"page", map[string]any{"url": "never.example"}, true, "no version"},
		{"diff", map[string]any{"url": "a.example"}, false, "{+new+}"},
	} {
		r, err := client.CallTool(t.Context(), &sdk.CallToolParams{Name: c.tool, Arguments: c.args})
		if err != nil {
			t.Errorf("%s %v: %v", c.tool, c.args, err)
			continue
		}
		text := r.Content[0].(*sdk.TextContent).Text
		if r.IsError != c.wrong || !strings.Contains(text, c.want) {
			t.Errorf("%s %v: error %v, has no %q: %.500s", c.tool, c.args, r.IsError, c.want, text)
		}
	}
}
