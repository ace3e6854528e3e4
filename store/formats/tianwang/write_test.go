package tianwang

import (
	"testing"
	"time"

	"infomall/store/record"
)

// TestAppend holds the writer to the specification's example, and to what the
// reader makes of it.
func TestAppend(t *testing.T) {
	when := record.At(time.Date(2003, 4, 15, 8, 13, 6, 0, time.UTC))
	r := &Record{URL: "http://www.pku.edu.cn/", Origin: "http://www.somewhere.cn/", Time: when, IP: "162.105.129.12", Extra: []byte("id: 7\n"), Data: []byte(httpOK + "text")}
	const start = "version: 1.0\nurl: http://www.pku.edu.cn/\norigin: http://www.somewhere.cn/\ndate: Tue, 15 Apr 2003 08:13:06 GMT\nip: 162.105.129.12\nid: 7\n"
	got, err := Append([]byte("before"), r)
	if want := "before" + start + "length: 48\n\n" + httpOK + "text\n"; err != nil || string(got) != want {
		t.Errorf("Append = %q, %v, want %q", got, err, want)
	}
	r.Compress, r.Extra = true, []byte("date: 15 Apr 03 08:13 GMT\n")
	packed, err := Append(nil, r)
	if err != nil {
		t.Fatal(err)
	}
	items := read(t, packed, Options{})
	if len(items) != 1 || items[0].Capture == nil {
		t.Fatalf("read %s, want one capture", brief(items))
	}
	c := items[0].Capture
	if string(c.Head)+string(c.Body) != httpOK+"text" || c.Origin != r.Origin || string(c.Extra) != string(r.Extra) {
		t.Errorf("read back %q %q, origin %q, extra %q", c.Head, c.Body, c.Origin, c.Extra)
	}
}

func TestAppendRefuses(t *testing.T) {
	for _, r := range []*Record{
		{},
		{URL: "http://x.cn/\nlength: 0"},
		{URL: "http://x.cn/", IP: "a\rb"},
		{URL: "http://x.cn/", Extra: []byte("no colon")},
		{URL: "http://x.cn/", Extra: []byte("length: 7\n")},
	} {
		if got, err := Append([]byte("as it was"), r); err == nil || string(got) != "as it was" {
			t.Errorf("Append(%+v) = %q, %v, want an error", r, got, err)
		}
	}
}
