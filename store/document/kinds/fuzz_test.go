package kinds

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infomall/store/document"
)

// FuzzRead reads any bytes. No reader may panic, and what it found must survive packing.
func FuzzRead(f *testing.F) {
	for _, seed := range [][2]string{
		{"application/xml", "<rss><channel><title>a</title><item><title>b</title><description><![CDATA[<p>c]]></description></item></channel></rss>"},
		{"application/json", `{"title":"a b","url":"http://a.example/"}`},
		{"text/csv", "a;'b'\n\"c\";d\n"},
		{"message/rfc822", "Subject: =?gbk?q?=d6=d0?=\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\na\n--x--"},
	} {
		f.Add(seed[0], []byte(seed[1]))
	}
	files, err := filepath.Glob(filepath.Join("..", "*", "testdata", "*"))
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		if body, err := os.ReadFile(name); err == nil { // folders are no seeds
			f.Add("", body)
		}
	}
	f.Fuzz(func(t *testing.T, mime string, body []byte) {
		d := Read(&document.Input{Body: body, Mime: mime})
		if d == nil {
			return
		}
		if strings.Contains(d.Reason, "the reader of "+d.Kind+" failed") {
			t.Error(d.Reason)
		}
		if _, err := document.Unpack(d.Append(nil)); err != nil {
			t.Error(err)
		}
	})
}
