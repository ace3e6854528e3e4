package fetch

import (
	"errors"
	"math"
	"mime"
	"net/http"
	"path"
	"strconv"
	"time"

	"infomall/store/record"
	"infomall/store/record/message"
)

// RetryAfter returns how long a busy server asks to be left alone. It goes
// by the status of the response c (429 or 503) and its header Retry-After.
// It returns 0 if the server does not ask for a pause. Besides the forms of the
// RFC, it reads what servers send in their place: fractions, and dates in UTC.
func RetryAfter(c *record.Capture, now time.Time) time.Duration {
	if c.Status != http.StatusTooManyRequests && c.Status != http.StatusServiceUnavailable {
		return 0
	}
	text := message.Header(c.Head, "Retry-After")
	if n, err := strconv.ParseFloat(text, 64); n > 0 && (err == nil || errors.Is(err, strconv.ErrRange)) {
		return time.Duration(min(math.Ceil(n), retryAfterMax)) * time.Second
	}
	at, err := http.ParseTime(text)
	for _, layout := range []string{time.RFC1123, time.RFC1123Z, time.RFC3339} {
		if err != nil {
			at, err = time.Parse(layout, text)
		}
	}
	if err != nil {
		return 0
	}
	return min(max(at.Sub(now), 0), retryAfterMax*time.Second)
}

// retryAfterMax bounds the pause that a server can ask for: a day, in seconds.
const retryAfterMax = 24 * 60 * 60

// FileType returns the media type of a file of this machine, such as
// "text/html", by the end of its name, or else by the first bytes of its
// content.
func FileType(name string, content []byte) string {
	kind := mime.TypeByExtension(path.Ext(name))
	if kind == "" {
		kind = http.DetectContentType(content)
	}
	return message.Mime(kind)
}
