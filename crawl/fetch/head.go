package fetch

import (
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
// It returns 0 if the server does not ask for a pause.
func RetryAfter(c *record.Capture, now time.Time) time.Duration {
	if c.Status != http.StatusTooManyRequests && c.Status != http.StatusServiceUnavailable {
		return 0
	}
	text := message.Header(c.Head, "Retry-After")
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		return time.Duration(min(n, retryAfterMax)) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(at.Sub(now), 0), retryAfterMax*time.Second)
	}
	return 0
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
