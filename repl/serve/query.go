package serve

import (
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	"infomall/exec/rowio"
)

// queryBytesMax bounds the body of a request with a statement.
const queryBytesMax = 1 << 20

// answerFormat is a format in which an API sends rows.
type answerFormat struct {
	name      string
	mediaType string // of the answer, and in the header Accept
	suffix    string // for the name of a downloaded file
}

// answerFormats lists the formats of answers, the default first.
var answerFormats = []answerFormat{
	{"json", rowio.MediaType("json"), ".json"},
	{"jsonl", rowio.MediaType("jsonl"), ".jsonl"},
	{"csv", rowio.MediaType("csv"), ".csv"},
	{"tsv", rowio.MediaType("tsv"), ".tsv"},
	{"parquet", rowio.MediaType("parquet"), ".parquet"},
	{"arrow", rowio.MediaType("arrow"), ".arrows"},
	{"raw", "application/octet-stream", ""},
}

// formatOf returns the format that the request asks for: by name, or else by the
// header Accept, or else JSON.
func formatOf(name, accept string) (answerFormat, error) {
	if name != "" {
		var names []string
		for _, f := range answerFormats {
			if f.name == name {
				return f, nil
			}
			names = append(names, f.name)
		}
		return answerFormat{}, failf(http.StatusBadRequest, "no format %q; there are %s", name, strings.Join(names, ", "))
	}
	for part := range strings.SplitSeq(accept, ",") {
		media, _, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		for _, f := range answerFormats {
			if f.mediaType == media || f.name == "jsonl" && (media == "application/jsonl" || media == "application/x-jsonlines") {
				return f, nil
			}
		}
	}
	return answerFormats[0], nil
}

// question is a statement that a request asks the server to run, with its parameters.
type question struct {
	Statement string            `json:"statement"`
	Params    map[string]string `json:"params"`
	Format    string            `json:"format"`
}

// questionOf reads the statement of a request: the parameter statement or q, or the
// body of a POST, as text or as JSON. Parameters of the statement are those whose
// name begins with a dollar sign or with "param.".
func questionOf(w http.ResponseWriter, r *http.Request) (question, error) {
	var x question
	bad := func(format string, args ...any) (question, error) {
		return x, failf(http.StatusBadRequest, format, args...)
	}
	v := r.URL.Query()
	if r.Method == http.MethodPost {
		media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
		body, err := readBody(w, r, queryBytesMax)
		if err != nil {
			return x, err
		}
		switch media {
		case "application/json":
			if err := json.Unmarshal(body, &x); err != nil {
				return bad(`the body is no JSON: %v; write {"statement": "SELECT …"}`, err)
			}
		case "application/x-www-form-urlencoded":
			r.Body = io.NopCloser(strings.NewReader(string(body)))
			if err := r.ParseForm(); err != nil {
				return bad("the form cannot be read: %v", err)
			}
			v = r.Form
		default:
			x.Statement = string(body)
		}
	}
	for _, name := range []string{"statement", "q"} {
		if text := v.Get(name); text != "" && x.Statement == "" {
			x.Statement = text
		}
	}
	if x.Format == "" {
		x.Format = v.Get("format")
	}
	params := map[string]string{}
	for name, values := range v {
		if short, ok := strings.CutPrefix(name, "$"); ok {
			params[short] = values[0]
		} else if short, ok := strings.CutPrefix(name, "param."); ok {
			params[short] = values[0]
		}
	}
	for name, text := range x.Params {
		params[strings.TrimPrefix(name, "$")] = text
	}
	x.Params = params
	if strings.TrimSpace(x.Statement) == "" {
		return bad("there is no statement; write ?statement=SELECT…, or send it as the body of a POST")
	}
	return x, nil
}

// apiQuery answers a statement.
func (s *server) apiQuery(w http.ResponseWriter, r *http.Request) error {
	if err := onlyRead(w, r, http.MethodPost); err != nil {
		return err
	}
	x, err := questionOf(w, r)
	if err != nil {
		return err
	}
	return s.ask(w, r, x)
}

// ask runs a statement and sends its result.
func (s *server) ask(w http.ResponseWriter, r *http.Request, x question) (err error) {
	format, err := formatOf(x.Format, r.Header.Get("Accept"))
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Add("Vary", "Accept")
	if format.name == "parquet" && r.Method != http.MethodPost {
		return s.askParquet(w, r, x, format)
	}
	a, err := s.asker.Run(r.Context(), x.Statement, x.Params)
	if err != nil {
		return err
	}
	defer func() { a.Close(err) }()
	h := w.Header()
	if format.name == "raw" {
		if a.Bytes == nil {
			return failf(http.StatusBadRequest, "this statement gives rows; format=raw is for SHOW PAGE and DIFF")
		}
		h.Set("Content-Type", "text/plain; charset=utf-8")
		h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
		if r.Method == http.MethodHead {
			return nil
		}
		_, err = a.Bytes.WriteTo(w)
		return a.Cause(err)
	}
	h.Set("Content-Type", format.mediaType)
	if format.name == "csv" || format.name == "tsv" {
		h.Set("Content-Type", format.mediaType+"; charset=utf-8")
	}
	format.nameDownload(h, r)
	if r.Method == http.MethodHead {
		return nil
	}
	flush := func() { http.NewResponseController(w).Flush() } // an error shows at the next write
	if format.name == "parquet" {
		flush = nil
	}
	return a.Write(w, format.name, flush)
}

// nameDownload sets the header with the name of the file if r asks for a file to download.
func (f *answerFormat) nameDownload(h http.Header, r *http.Request) {
	if r.URL.Query().Get("download") != "" {
		h.Set("Content-Disposition", `attachment; filename="infomall`+f.suffix+`"`)
	}
}

// askParquet answers a GET with a Parquet file. Programs that read Parquet ask for the end of
// the file first and then for other parts, so the file is kept for a while.
func (s *server) askParquet(w http.ResponseWriter, r *http.Request, x question, format answerFormat) error {
	snap, release, err := s.o.Session().SnapshotOrEmpty(r.Context())
	if err != nil {
		return err
	}
	state := snap.State()
	release()
	key, err := json.Marshal(struct {
		State, Boot string
		Question    question
	}{state, s.metrics.boot, x})
	if err != nil {
		panic(err) // texts can always be encoded
	}
	f, err := s.files.Get(string(key), func(f *os.File) (err error) {
		a, err := s.asker.Run(r.Context(), x.Statement, x.Params)
		if err != nil {
			return err
		}
		defer func() { a.Close(err) }()
		return a.Write(f, "parquet", nil)
	})
	if err != nil {
		return err
	}
	defer f.Release()
	h := w.Header()
	h.Set("Content-Type", format.mediaType)
	format.nameDownload(h, r)
	h.Set("ETag", `"`+f.Tag+`"`)
	http.ServeContent(w, r, "", time.Time{}, io.NewSectionReader(f.File, 0, f.Size))
	return nil
}

// sendJSON answers with v as JSON.
func sendJSON(w http.ResponseWriter, v any) error {
	body, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Cache-Control", "no-cache")
	_, err = w.Write(append(body, '\n'))
	return err
}
