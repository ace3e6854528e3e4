package serve

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// accessLog writes one line for each request in the Common Log Format, with the
// duration in milliseconds at its end.
type accessLog struct {
	mu sync.Mutex
	w  io.Writer // nil writes nothing
}

func newAccessLog(w io.Writer) *accessLog { return &accessLog{w: w} }

// add writes the line of a request that began at begun, took the time took, and was answered
// with status and the given number of bytes of body. It ignores an error in writing, because the
// answer was sent.
func (l *accessLog) add(r *http.Request, status int, bytes int64, begun time.Time, took time.Duration) {
	if l.w == nil {
		return
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = "-"
	}
	size := "-"
	if bytes > 0 {
		size = strconv.FormatInt(bytes, 10)
	}
	line := fmt.Sprintf("%s - - [%s] %s %d %s %d\n", host, begun.Format("02/Jan/2006:15:04:05 -0700"),
		strconv.QuoteToASCII(r.Method+" "+r.RequestURI+" "+r.Proto), status, size, took.Milliseconds())
	l.mu.Lock()
	defer l.mu.Unlock()
	io.WriteString(l.w, line)
}

// recorder is a ResponseWriter that notes status and size of the answer.
type recorder struct {
	http.ResponseWriter
	deadline *http.ResponseController
	status   int // 0 before the header was sent
	bytes    int64
}

// WriteHeader notes the status and sends the header.
func (w *recorder) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write notes the size of b and sends it in pieces of pieceMax. If the client does not accept a piece
// within clientTimeout, its connection is closed, so that a client that has stopped reading does not
// keep resources for ever.
func (w *recorder) Write(b []byte) (n int, err error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	for {
		w.deadline.SetWriteDeadline(time.Now().Add(clientTimeout)) // a test's connection has none
		sent, err := w.ResponseWriter.Write(b[n:min(n+pieceMax, len(b))])
		n += sent
		w.bytes += int64(sent)
		if err != nil || n == len(b) {
			return n, err
		}
	}
}

// Unwrap returns the ResponseWriter below, for http.ResponseController.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }
