package serve

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"infomall/exec/relation/all"
	"infomall/repl/ask"
)

// apiSearch answers a request with the findings of a full-text search.
func (s *server) apiSearch(w http.ResponseWriter, r *http.Request) error {
	return s.askOf(w, r, func(v url.Values) (string, error) { return ask.Search(v, 20) })
}

// apiPage answers with a page in one of the forms of SHOW PAGE.
func (s *server) apiPage(w http.ResponseWriter, r *http.Request) error {
	return s.askOf(w, r, ask.Page)
}

// apiDiff answers with what changed in a page.
func (s *server) apiDiff(w http.ResponseWriter, r *http.Request) error {
	return s.askOf(w, r, ask.Diff)
}

// askOf sends the result of a statement. The function make makes the statement from the
// parameters of the request.
func (s *server) askOf(w http.ResponseWriter, r *http.Request, make func(url.Values) (string, error)) error {
	if err := onlyRead(w, r); err != nil {
		return err
	}
	v := r.URL.Query()
	st, err := make(v)
	if err != nil {
		return err
	}
	return s.ask(w, r, question{Statement: st, Format: v.Get("format")})
}

// apiRelations answers with all relations and their columns.
func (s *server) apiRelations(w http.ResponseWriter, r *http.Request) error {
	if err := onlyRead(w, r); err != nil {
		return err
	}
	type column struct {
		Name string `json:"name"`
		Type string `json:"type"`
		Doc  string `json:"doc"`
	}
	type table struct {
		Name    string   `json:"name"`
		Doc     string   `json:"doc"`
		Columns []column `json:"columns"`
	}
	var list []table
	for _, rel := range all.Relations() {
		t := table{Name: rel.Name, Doc: rel.Doc}
		for i := range rel.Columns {
			c := &rel.Columns[i]
			t.Columns = append(t.Columns, column{c.Name, c.Type.String(), c.Doc})
		}
		list = append(list, t)
	}
	return sendJSON(w, list)
}

// completionsMax is how many texts a completion offers.
const completionsMax = 100

// apiComplete answers with the texts that may come at the cursor in a statement. The parameters
// of the request have the parts of the statement before and after the cursor. typed, in the
// answer, is the end of the first part, which a chosen text replaces.
func (s *server) apiComplete(w http.ResponseWriter, r *http.Request) error {
	if err := onlyRead(w, r); err != nil {
		return err
	}
	v := r.URL.Query()
	before := v.Get("before")
	answer := struct {
		Typed      string   `json:"typed"`
		Candidates []string `json:"candidates"`
		More       bool     `json:"more"`
	}{Candidates: []string{}}
	if s.o.Complete != nil {
		from, list := s.o.Complete(s.o.Session(), before, v.Get("after"))
		answer.Typed = before[from:]
		answer.More = len(list) > completionsMax
		answer.Candidates = append(answer.Candidates, list[:min(len(list), completionsMax)]...)
	}
	return sendJSON(w, answer)
}

// crawlsStatement is the query for the crawls that pages and the API show.
const crawlsStatement = "SELECT name, state, started, finished, fetched, failed, waiting, pages_per_second, bytes_per_second, pages_per_second_hour, bytes, alerts, error FROM crawls ORDER BY started DESC LIMIT 100"

// crawlsEvery is the time between two looks at the states of crawls.
const crawlsEvery = 2 * time.Second

// apiCrawls answers with the state of all crawls, or, if the client accepts
// text/event-stream, with an event for each change of the state until the client
// goes away.
func (s *server) apiCrawls(w http.ResponseWriter, r *http.Request) error {
	if err := onlyRead(w, r); err != nil {
		return err
	}
	if !strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
		return s.ask(w, r, question{Statement: crawlsStatement, Format: r.URL.Query().Get("format")})
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	sent := http.NewResponseController(w)
	ticker := time.NewTicker(crawlsEvery)
	defer ticker.Stop()
	last := ""
	for {
		var text strings.Builder
		a, err := s.asker.Run(r.Context(), crawlsStatement, nil)
		if err == nil {
			err = a.Write(&text, "json", nil)
			a.Close(err)
		}
		if err != nil {
			return err
		}
		if text.String() != last {
			last = text.String()
			if err := sendEvent(w, "crawls", json.RawMessage(last)); err != nil {
				return err
			}
		} else if _, err := w.Write([]byte(": still here\n\n")); err != nil {
			return err
		}
		sent.Flush()
		select {
		case <-ticker.C:
		case <-r.Context().Done():
			return nil
		case <-s.done:
			return nil
		}
	}
}

// sendEvent sends a server-sent event with data as JSON in one line.
func sendEvent(w http.ResponseWriter, event string, data any) error {
	body, err := json.Marshal(data)
	if err == nil {
		_, err = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event, body)
	}
	return err
}

//go:embed openapi.json
var openAPIDocument []byte

// openAPI sends the OpenAPI document of the APIs.
func (s *server) openAPI(w http.ResponseWriter, r *http.Request) error {
	if err := onlyRead(w, r); err != nil {
		return err
	}
	if notModified(w, r, `"`+s.metrics.boot+`"`) {
		return nil
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, err := w.Write(openAPIDocument)
	return err
}
