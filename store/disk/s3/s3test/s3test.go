// Package s3test is a small S3 store in memory, for tests. It knows conditions, ranges,
// lists and uploads in parts. It checks no signatures. A test makes it fail with Fault. It can
// also make another store fail, as a proxy before it.
package s3test

import (
	"bytes"
	"cmp"
	"crypto/md5"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"infomall/store/disk/s3"
)

// Bucket is the bucket that a new server has.
const Bucket = "bucket"

// Fault says in which way a request fails, if at all.
type Fault int

// The faults that a Server can have.
const (
	Works        Fault = iota
	DropBefore         // the connection breaks, and the request is not carried out
	DropAfter          // the request is carried out, and the connection breaks before the answer
	Tear               // the request is carried out, and the connection breaks within the body of the answer
	Error500           // the answer is 500 InternalError, and the request is not carried out
	Error500Late       // the answer is 500 InternalError, and the request was carried out
	SlowDown           // the answer is 503 SlowDown, and the request is not carried out
)

// Faults has all values of Fault except Works.
var Faults = []Fault{DropBefore, DropAfter, Tear, Error500, Error500Late, SlowDown}

// Server is an S3 store in memory. Its fields may be set before the first request, and its
// methods called at any time.
type Server struct {
	URL string
	// StaleLists is how many of the last changes a list of objects does not show.
	StaleLists int
	// IgnoreConditions makes PUTs ignore their conditions.
	IgnoreConditions bool
	// Behind is the URL of another store to which the server passes the requests. The server then
	// has no objects of its own: it only makes requests fail, and returns old answers to lists.
	// StaleLists is then how many lists old an answer is.
	Behind string
	// Now is the clock of the store.
	Now func() time.Time

	web     *httptest.Server
	faultMu sync.Mutex // is held while fault is called or set
	fault   func(r *http.Request, n int) Fault
	mu      sync.Mutex
	n       int                                     // number of requests so far
	buckets map[string]map[string]object            // by name of the bucket and key of the object
	history []map[string]object                     // for each of the last changes: the objects before it, by bucket and key
	uploads map[string]map[int][]byte               // unfinished uploads: by ID of the upload and number, the parts
	lists   map[string][]*httptest.ResponseRecorder // by URL of the request: the last answers of the store Behind to lists
}

type object struct {
	b        []byte
	etag     string
	modified time.Time
}

// New returns a server that runs. The caller calls Close.
func New() *Server {
	s := &Server{Now: time.Now, buckets: map[string]map[string]object{Bucket: {}}, uploads: map[string]map[int][]byte{}}
	s.web = httptest.NewServer(s)
	s.URL = s.web.URL
	return s
}

// SetFault sets the function that decides which fault each request has; nil means no faults. The
// server calls it for one request at a time; n is the number of the request, from 1. The function
// may wait in order to delay the request. When SetFault returns, no call of an earlier function is
// running.
func (s *Server) SetFault(fault func(r *http.Request, n int) Fault) {
	s.faultMu.Lock()
	defer s.faultMu.Unlock()
	s.fault = fault
}

// ask calls s.fault and returns the fault that request r has. n is the number of the request.
func (s *Server) ask(r *http.Request, n int) Fault {
	s.faultMu.Lock()
	defer s.faultMu.Unlock()
	if s.fault == nil {
		return Works
	}
	return s.fault(r, n)
}

// Start returns a server that runs until the test ends.
func Start(t testing.TB) *Server {
	s := New()
	t.Cleanup(s.Close)
	return s
}

// Close stops the server.
func (s *Server) Close() {
	s.web.CloseClientConnections()
	s.web.Close()
}

// Place returns the settings with which a client reaches the server. The client waits at most 1 ms
// before it repeats a request for the first time.
func (s *Server) Place() s3.Server {
	return s3.Server{Endpoint: s.URL, Backoff: time.Millisecond}
}

// Client returns a client for a prefix in the bucket Bucket.
func (s *Server) Client(t testing.TB, prefix string) *s3.Client {
	t.Helper()
	c, err := s.Place().Open(s3.Scheme + Bucket + "/" + prefix)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Objects returns the keys of the objects in the bucket Bucket, sorted.
func (s *Server) Objects() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return sortedKeys(s.buckets[Bucket])
}

// Change calls f with the content of an object in the bucket Bucket, and replaces the content with
// the result of f. If f returns nil, the object is removed. A test simulates a faulty store with
// it.
func (s *Server) Change(key string, f func(b []byte) []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := f(slices.Clone(s.buckets[Bucket][key].b)); b != nil {
		s.put(Bucket, key, b)
	} else {
		s.remove(Bucket, key)
	}
}

// Rot calls f, which changes bytes of an object in the bucket Bucket. The ETag and the time of the
// object stay as they were, as if the disk of the store were damaged.
func (s *Server) Rot(key string, f func(b []byte)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.buckets[Bucket][key]
	o.b = slices.Clone(o.b)
	f(o.b)
	s.buckets[Bucket][key] = o
}

// Requests returns how many requests were received.
func (s *Server) Requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	sent := body
	if strings.HasPrefix(r.Header.Get("X-Amz-Content-Sha256"), "STREAMING-") {
		body = unchunk(body)
	}
	s.mu.Lock()
	s.n++
	n := s.n
	s.mu.Unlock()
	fault := s.ask(r, n)
	switch fault {
	case DropBefore:
		panic(http.ErrAbortHandler)
	case Error500:
		s.fail(w, http.StatusInternalServerError, "InternalError")
		return
	case SlowDown:
		s.fail(w, http.StatusServiceUnavailable, "SlowDown")
		return
	}
	answer := httptest.NewRecorder()
	if s.Behind != "" {
		if answer = s.pass(r, sent); answer == nil {
			panic(http.ErrAbortHandler)
		}
	} else {
		s.mu.Lock()
		s.answer(answer, r, body)
		s.mu.Unlock()
	}
	switch fault {
	case DropAfter:
		panic(http.ErrAbortHandler)
	case Error500Late:
		s.fail(w, http.StatusInternalServerError, "InternalError")
		return
	}
	for k, v := range answer.Header() {
		w.Header()[k] = v
	}
	b := answer.Body.Bytes()
	if s.Behind == "" {
		w.Header().Set("Date", s.Now().UTC().Format(http.TimeFormat))
	}
	if w.Header().Get("Content-Length") == "" {
		w.Header().Set("Content-Length", strconv.Itoa(len(b)))
	}
	w.WriteHeader(answer.Code)
	if fault == Tear {
		w.Write(b[:len(b)/2])
		if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
			if t, ok := c.(*net.TCPConn); ok {
				t.SetLinger(0)
			}
			c.Close()
		}
		panic(http.ErrAbortHandler)
	}
	w.Write(b)
}

// pass sends a request to the store s.Behind and returns the answer, or nil if the store does not
// answer. If the request is for a list and s.StaleLists is set, pass returns an earlier answer.
func (s *Server) pass(r *http.Request, body []byte) *httptest.ResponseRecorder {
	out, err := http.NewRequestWithContext(r.Context(), r.Method, s.Behind+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		return nil
	}
	out.Header = r.Header.Clone()
	out.Host = r.Host // it is signed
	resp, err := http.DefaultTransport.RoundTrip(out)
	if err != nil {
		return nil
	}
	defer resp.Body.Close()
	answer := httptest.NewRecorder()
	for k, v := range resp.Header {
		answer.Header()[k] = v
	}
	answer.Code = resp.StatusCode
	if _, err := io.Copy(answer.Body, resp.Body); err != nil {
		return nil
	}
	if s.StaleLists == 0 || r.Method != http.MethodGet || !r.URL.Query().Has("list-type") {
		return answer
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lists == nil {
		s.lists = make(map[string][]*httptest.ResponseRecorder)
	}
	query := r.URL.RequestURI()
	lists := append(s.lists[query], answer)
	s.lists[query] = lists[max(0, len(lists)-1-s.StaleLists):]
	return s.lists[query][0]
}

// unchunk decodes b, the body of a request, from the encoding aws-chunked.
func unchunk(b []byte) []byte {
	var out []byte
	for {
		line, rest, ok := bytes.Cut(b, []byte("\r\n"))
		size, _, _ := strings.Cut(string(line), ";")
		n, err := strconv.ParseUint(size, 16, 31)
		if !ok || err != nil || n == 0 || uint64(len(rest)) < n+2 {
			return out
		}
		out, b = append(out, rest[:n]...), rest[n+2:]
	}
}

type errorBody struct {
	XMLName xml.Name `xml:"Error"`
	Code    string
	Message string
}

func (s *Server) fail(w http.ResponseWriter, status int, code string) {
	b, _ := xml.Marshal(errorBody{Code: code, Message: "the test store answers " + code})
	w.Header().Set("Content-Type", "application/xml")
	w.Header().Set("Content-Length", strconv.Itoa(len(b)))
	w.WriteHeader(status)
	w.Write(b)
}

func (s *Server) answer(w *httptest.ResponseRecorder, r *http.Request, body []byte) {
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	q := r.URL.Query()
	objects, ok := s.buckets[bucket]
	switch {
	case !ok:
		s.fail(w, http.StatusNotFound, "NoSuchBucket")
	case key == "" && q.Has("location"):
		w.Write([]byte(`<LocationConstraint xmlns="http://s3.amazonaws.com/doc/2006-03-01/"></LocationConstraint>`))
	case key == "" && r.Method == http.MethodGet:
		s.list(w, bucket, q)
	case key == "":
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		s.get(w, r, objects, key)
	case r.Method == http.MethodDelete && q.Has("uploadId"):
		delete(s.uploads, q.Get("uploadId"))
		w.WriteHeader(http.StatusNoContent)
	case r.Method == http.MethodDelete:
		s.remove(bucket, key)
		w.WriteHeader(http.StatusNoContent)
	case r.Method == http.MethodPost && q.Has("uploads"):
		id := strconv.Itoa(s.n)
		s.uploads[id] = map[int][]byte{}
		fmt.Fprintf(w, "<InitiateMultipartUploadResult><Bucket>%s</Bucket><UploadId>%s</UploadId></InitiateMultipartUploadResult>", bucket, id)
	case r.Method == http.MethodPut && q.Has("uploadId"):
		parts, ok := s.uploads[q.Get("uploadId")]
		if !ok {
			s.fail(w, http.StatusNotFound, "NoSuchUpload")
			return
		}
		n, _ := strconv.Atoi(q.Get("partNumber"))
		parts[n] = body
		w.Header().Set("ETag", etagOf(body))
	case r.Method == http.MethodPost && q.Has("uploadId"):
		s.complete(w, r, bucket, key, q.Get("uploadId"))
	case r.Method == http.MethodPut:
		if s.holds(w, r, objects, key) {
			w.Header().Set("ETag", s.put(bucket, key, body))
		}
	default:
		s.fail(w, http.StatusNotImplemented, "NotImplemented")
	}
}

// holds reports whether the condition of a PUT is true. If it is not, holds writes the answer that
// refuses the PUT.
func (s *Server) holds(w http.ResponseWriter, r *http.Request, objects map[string]object, key string) bool {
	match, none := r.Header.Get("If-Match"), r.Header.Get("If-None-Match")
	o, there := objects[key]
	switch {
	case s.IgnoreConditions:
	case match != "" && !there:
		s.fail(w, http.StatusNotFound, "NoSuchKey")
		return false
	case match != "" && strings.Trim(match, `"`) != strings.Trim(o.etag, `"`), none == "*" && there:
		s.fail(w, http.StatusPreconditionFailed, "PreconditionFailed")
		return false
	}
	return true
}

func (s *Server) complete(w *httptest.ResponseRecorder, r *http.Request, bucket, key, id string) {
	parts, ok := s.uploads[id]
	if !ok {
		s.fail(w, http.StatusNotFound, "NoSuchUpload")
		return
	}
	if !s.holds(w, r, s.buckets[bucket], key) {
		return
	}
	delete(s.uploads, id)
	var b, sums []byte
	for n := 1; n <= len(parts); n++ {
		b = append(b, parts[n]...)
		sum := md5.Sum(parts[n])
		sums = append(sums, sum[:]...)
	}
	s.put(bucket, key, b)
	o := s.buckets[bucket][key]
	sum := md5.Sum(sums)
	o.etag = fmt.Sprintf(`"%x-%d"`, sum, len(parts))
	s.buckets[bucket][key] = o
	fmt.Fprintf(w, "<CompleteMultipartUploadResult><Bucket>%s</Bucket><Key>%s</Key><ETag>%s</ETag></CompleteMultipartUploadResult>", bucket, url.PathEscape(key), o.etag)
}

func etagOf(b []byte) string {
	sum := md5.Sum(b)
	return `"` + hex.EncodeToString(sum[:]) + `"`
}

// keep is called before a change of a bucket. It saves the objects of the bucket, so that lists can
// show them if StaleLists is set.
func (s *Server) keep(bucket string) {
	if s.StaleLists == 0 {
		return
	}
	old := make(map[string]object)
	for k, o := range s.buckets[bucket] {
		old[bucket+"/"+k] = o
	}
	s.history = append(s.history, old)
	s.history = s.history[max(0, len(s.history)-s.StaleLists):]
}

func (s *Server) put(bucket, key string, b []byte) (etag string) {
	s.keep(bucket)
	etag = etagOf(b)
	s.buckets[bucket][key] = object{b, etag, s.Now()}
	return etag
}

func (s *Server) remove(bucket, key string) {
	if _, ok := s.buckets[bucket][key]; ok {
		s.keep(bucket)
		delete(s.buckets[bucket], key)
	}
}

func (s *Server) get(w *httptest.ResponseRecorder, r *http.Request, objects map[string]object, key string) {
	o, ok := objects[key]
	if !ok {
		s.fail(w, http.StatusNotFound, "NoSuchKey")
		return
	}
	h := w.Header()
	h.Set("ETag", o.etag)
	h.Set("Last-Modified", o.modified.UTC().Format(http.TimeFormat))
	h.Set("Content-Type", "application/octet-stream")
	if none := r.Header.Get("If-None-Match"); none != "" && strings.Trim(none, `"`) == strings.Trim(o.etag, `"`) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	b := o.b
	if spec, ok := strings.CutPrefix(r.Header.Get("Range"), "bytes="); ok {
		from, to, _ := strings.Cut(spec, "-")
		lo, _ := strconv.Atoi(from)
		hi, err := strconv.Atoi(to)
		if err != nil || hi >= len(b) {
			hi = len(b) - 1
		}
		if lo >= len(b) {
			s.fail(w, http.StatusRequestedRangeNotSatisfiable, "InvalidRange")
			return
		}
		h.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", lo, hi, len(b)))
		b = b[lo : hi+1]
		h.Set("Content-Length", strconv.Itoa(len(b)))
		w.WriteHeader(http.StatusPartialContent)
	}
	h.Set("Content-Length", strconv.Itoa(len(b)))
	if r.Method == http.MethodGet {
		w.Write(b)
	}
}

type listBody struct {
	XMLName               xml.Name `xml:"ListBucketResult"`
	Name, Prefix          string
	KeyCount, MaxKeys     int
	IsTruncated           bool
	NextContinuationToken string `xml:",omitempty"`
	EncodingType          string `xml:",omitempty"`
	Contents              []listed
	CommonPrefixes        []common
}

type listed struct {
	Key          string
	LastModified time.Time
	ETag         string
	Size         int
}

type common struct{ Prefix string }

func (s *Server) list(w *httptest.ResponseRecorder, bucket string, q url.Values) {
	objects := s.buckets[bucket]
	if s.StaleLists > 0 && len(s.history) > 0 {
		objects = make(map[string]object)
		for k, o := range s.history[0] {
			if k, ok := strings.CutPrefix(k, bucket+"/"); ok {
				objects[k] = o
			}
		}
	}
	prefix, delimiter := q.Get("prefix"), q.Get("delimiter")
	after := cmp.Or(q.Get("continuation-token"), q.Get("start-after"))
	most, err := strconv.Atoi(q.Get("max-keys"))
	if err != nil || most <= 0 || most > 1000 {
		most = 1000
	}
	encode := func(k string) string { return k }
	if q.Get("encoding-type") == "url" {
		encode = func(k string) string { return strings.ReplaceAll(url.QueryEscape(k), "%2F", "/") }
	}
	out := listBody{Name: bucket, Prefix: encode(prefix), MaxKeys: most, EncodingType: q.Get("encoding-type")}
	last := ""
	for _, k := range sortedKeys(objects) {
		rest, ok := strings.CutPrefix(k, prefix)
		if !ok {
			continue
		}
		name := k
		if i := strings.Index(rest, delimiter); delimiter != "" && i >= 0 {
			name = prefix + rest[:i+1]
		}
		if name <= after || name == last {
			continue
		}
		if out.KeyCount == most {
			out.IsTruncated, out.NextContinuationToken = true, last
			break
		}
		last = name
		out.KeyCount++
		if name != k {
			out.CommonPrefixes = append(out.CommonPrefixes, common{encode(name)})
			continue
		}
		o := objects[k]
		out.Contents = append(out.Contents, listed{encode(k), o.modified.UTC(), o.etag, len(o.b)})
	}
	b, _ := xml.Marshal(out)
	w.Header().Set("Content-Type", "application/xml")
	w.Write(b)
}
