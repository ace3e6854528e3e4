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

// RetryAfter returns how long a busy server asks to be left alone, by the status
// and the header Retry-After of its response; 0 if it does not ask.
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

// retryAfterMax bounds what a server can ask for, in seconds: a day.
const retryAfterMax = 24 * 60 * 60

// FileType returns the media type of a file that no server sent, by the end of its
// name, or else by its first bytes.
func FileType(name string, content []byte) string {
	kind := mime.TypeByExtension(path.Ext(name))
	if kind == "" {
		kind = http.DetectContentType(content)
	}
	return message.Mime(kind)
}
