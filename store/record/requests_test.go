package record

import "testing"

// TestRequestsHead keeps the head of a request in each of the three ways. The lines that
// log somebody in stay only with RequestsAll, however they are spelled.
func TestRequestsHead(t *testing.T) {
	const head = "GET /a HTTP/1.1\r\nHost: a.example\r\nCOOKIE : id=1;\r\n\tmore=2\r\nAccept: */*\r\n" +
		"Authorization: Basic c2VjcmV0\r\nproxy-authorization: Basic c2VjcmV0\r\nX-Cookie: no secret\r\n\r\n"
	const open = "GET /a HTTP/1.1\r\nHost: a.example\r\nAccept: */*\r\nX-Cookie: no secret\r\n\r\n"
	for _, c := range []struct {
		keep Requests
		want string
	}{{RequestsOff, ""}, {RequestsOn, open}, {RequestsAll, head}} {
		if got := string(c.keep.Head([]byte(head))); got != c.want {
			t.Errorf("Requests(%d) keeps %q, want %q", c.keep, got, c.want)
		}
	}
	if got := RequestsOff.Head([]byte(head)); got != nil {
		t.Errorf("RequestsOff keeps %q, want nil", got)
	}
}
