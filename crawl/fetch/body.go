package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"infomall/crawl/report"
	"infomall/store/record"
	"infomall/store/record/message"
)

// Bounds of a body.
const (
	MemoryMax      = 8 << 20 // bytes of a response kept in memory; a larger one is in a file
	bodyMaxDefault = 64 << 20
	lineMax        = 16 << 10 // bytes of a chunk's size line
	trailersMax    = 64 << 10
	rateWindow     = 15 * time.Second // time in which a minimum of bytes must come, see [body.hurry]
	rateMin        = 1 << 10          // bytes that must come in the first window; each next window needs rateMin more
	rateMinMax     = 16 << 10         // greatest number of bytes that a window needs
)

// body reads the body of one response as the server sends it. It keeps the
// framing of a chunked body.
type body struct {
	ctx  context.Context
	c    *Client
	cn   *conn
	end  time.Time // when the client gives up the response
	max  int64     // bytes of the body after which it is cut
	data []byte    // what was received so far of head and body, if file is nil
	file *os.File  // what was received so far of head and body, if it has more than MemoryMax bytes
	head int       // bytes of the head
	none bool      // the response has no body, whatever its head says
	n    int64     // bytes of the body so far

	// deadline is the end of the current window, in which hurry checks the speed of the server.
	// When the window began, n had the value since. Until deadline, n must grow by the value of
	// least.
	deadline time.Time
	since    int64
	least    int64

	// outcome says what went wrong if the body did not arrive whole.
	outcome report.Outcome
	reason  string
	ended   bool // whether the quota, or a cancelled ctx with an EndedError, ended the body
}

// errCut is returned by take if the body is longer than b.max.
var errCut = errors.New("body too long")

// read reads the body to its end. If the body ends too soon or is too long,
// read keeps the bytes that came, sets the outcome, and returns no error.
// keep reports whether the connection can be used for another request.
func (b *body) read() (keep bool, err error) {
	head := b.data[:b.head]
	status := message.Status(head)
	old := !bytes.HasPrefix(head, []byte("HTTP/1.1"))
	connection := strings.ToLower(message.Header(head, "Connection"))
	keep = !strings.Contains(connection, "close") && (!old || strings.Contains(connection, "keep-alive"))
	length, lengthErr := strconv.ParseInt(message.Header(head, "Content-Length"), 10, 64)
	switch {
	case b.none || status == 204 || status == 304:
	case message.Chunked(head):
		err = b.chunked()
	case lengthErr == nil && length >= 0:
		if length <= MemoryMax && length <= b.max {
			data := make([]byte, len(head), int64(len(head))+length)
			copy(data, head)
			b.data = data
		}
		err = b.take(length)
	default:
		keep = false
		err = b.take(-1)
	}
	var ended *EndedError
	switch {
	case errors.As(err, &ended) && b.n > 0:
		b.outcome, b.reason, b.ended = report.OutcomeTruncated, ended.Why, true
	case errors.Is(err, errCut):
		b.outcome, b.reason = report.OutcomeTruncated, fmt.Sprintf("longer than %d bytes", b.max)
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		b.outcome, b.reason = report.OutcomeIncomplete, "the body ends before its declared end"
	case err != nil && b.n > 0:
		f := faultOf(err)
		b.outcome, b.reason = report.OutcomeIncomplete, "the body broke off: "+f.Error()
		if f.outcome == report.OutcomeTimeout {
			b.outcome = f.outcome
		}
	case err != nil:
		return false, err
	default:
		return keep, nil
	}
	return false, nil
}

// take reads n more bytes of the body; −1 means all bytes until the server
// closes the connection.
func (b *body) take(n int64) error {
	for n != 0 {
		if err := b.hurry(); err != nil {
			return err
		}
		if b.cn.r.Buffered() == 0 {
			if _, err := b.cn.r.Peek(1); err != nil {
				if n < 0 && errors.Is(err, io.EOF) {
					return nil
				}
				return err
			}
		}
		want := b.cn.r.Buffered()
		if n > 0 {
			want = int(min(int64(want), n))
		}
		cut := b.n+int64(want) > b.max
		if cut {
			want = int(max(b.max-b.n, 0)) // the framing of chunks counts too, and may exceed b.max
		}
		piece, err := b.cn.r.Peek(want)
		if err != nil {
			return err
		}
		if err := b.add(piece); err != nil {
			return err
		}
		if _, err := b.cn.r.Discard(want); err != nil {
			return err
		}
		if err := b.pay(want); err != nil {
			return err
		}
		if cut {
			return errCut
		}
		if n > 0 {
			n -= int64(want)
		}
	}
	return nil
}

// hurry sets the deadline of the next read, so that the client gives up a slow server. In each
// window of rateWindow a minimum of bytes must come, and the minimum grows with each window. A
// server that is slow only for a while still sends its page in time. A server that sends a few
// bytes now and then is given up soon, because all other pages of its host wait.
func (b *body) hurry() error {
	now := b.c.now()
	if b.deadline.IsZero() || b.n-b.since >= b.least {
		b.deadline, b.since = now.Add(rateWindow), b.n
		b.least = min(b.least+rateMin, rateMinMax)
		if b.deadline.After(b.end) {
			b.deadline = b.end
		}
		return b.cn.setDeadline(b.ctx, b.deadline)
	}
	return nil
}

// pay subtracts n received bytes from the quota, and waits as long as the
// rate demands. This wait does not count as slowness of the server.
func (b *body) pay(n int) error {
	if err := b.c.quota.spend(n); err != nil {
		return err
	}
	waited, err := b.c.rate.spend(b.ctx, n)
	if waited > 0 {
		b.end = b.end.Add(waited)
		b.deadline = time.Time{}
	}
	return err
}

// add appends piece to the received bytes. Once these are too many for
// memory, add moves all of them to a temporary file.
func (b *body) add(piece []byte) error {
	b.n += int64(len(piece))
	if b.file == nil && len(b.data)+len(piece) > MemoryMax+b.head {
		f, err := os.CreateTemp("", "infomall-body")
		if err != nil {
			return &fault{report.OutcomeInternal, err}
		}
		if err := os.Remove(f.Name()); err != nil {
			f.Close()
			return &fault{report.OutcomeInternal, err}
		}
		b.file = f
		if _, err := f.Write(b.data); err != nil {
			return &fault{report.OutcomeInternal, err}
		}
	}
	if b.file != nil {
		if _, err := b.file.Write(piece); err != nil {
			return &fault{report.OutcomeInternal, err}
		}
		return nil
	}
	b.data = append(b.data, piece...)
	return nil
}

// line reads and keeps one line of the framing of a chunked body, such as
// the size of a chunk. The line is valid until the next read. Like browsers, line
// accepts a line that ends in LF alone; it keeps this line with CR LF, because the
// archive has no form for other line ends.
func (b *body) line() ([]byte, error) {
	if err := b.hurry(); err != nil {
		return nil, err
	}
	line, err := b.cn.r.ReadSlice('\n')
	if len(line) > lineMax {
		err = fmt.Errorf("a line of the chunked framing is longer than %d KB", lineMax>>10)
	}
	kept := line
	if text, ok := bytes.CutSuffix(line, []byte("\n")); ok && !bytes.HasSuffix(text, []byte("\r")) {
		kept = append(bytes.Clone(text), "\r\n"...)
	}
	if e := b.add(kept); err == nil {
		err = e
	}
	return line, err
}

// chunkEnd reads and keeps the line end after the data of a chunk.
func (b *body) chunkEnd() error {
	if err := b.hurry(); err != nil {
		return err
	}
	next, err := b.cn.r.Peek(1)
	if err != nil {
		return err
	}
	if next[0] == '\n' {
		_, err = b.line()
		return err
	}
	return b.take(2)
}

// chunked reads a chunked body to its end. It keeps the lines with the sizes of chunks too.
func (b *body) chunked() error {
	for {
		line, err := b.line()
		if err != nil {
			return err
		}
		text, _, _ := bytes.Cut(line, []byte(";"))
		size, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 16, 64)
		if err != nil || size < 0 {
			return fmt.Errorf("%.40q is no size of a chunk", line)
		}
		if size == 0 {
			break
		}
		if err := b.take(size); err != nil {
			return err
		}
		if err := b.chunkEnd(); err != nil {
			return err
		}
	}
	for start := b.n; b.n-start < trailersMax; {
		line, err := b.line()
		if err != nil || len(bytes.TrimRight(line, "\r\n")) == 0 {
			return err
		}
	}
	return errors.New("the trailers never end")
}

// capture returns the received bytes as a capture. A body that is in b.file is copied to
// a file that belongs to the capture.
func (b *body) capture() (*record.Capture, error) {
	c := &record.Capture{RefersTime: record.NoTime, Truncated: b.outcome == report.OutcomeTruncated || b.outcome == report.OutcomeIncomplete || b.outcome == report.OutcomeTimeout}
	if b.file == nil {
		message.Set(c, b.data)
		return c, nil
	}
	w := message.NewWindow(context.Background(), b.file)
	return c, message.Read(c, w, 0, int64(b.head)+b.n, message.BodyLimits{MemoryMax: MemoryMax})
}

// close closes the temporary file of a large body.
func (b *body) close() {
	if b.file != nil {
		b.file.Close()
	}
}
