package cdx

import (
	"testing"
	"time"

	"infomall/store/record"
)

// TestAppend compares lines with the lines that pywb writes for such records.
func TestAppend(t *testing.T) {
	at := record.At(time.Date(2014, 1, 27, 17, 12, 38, 0, time.UTC))
	tests := []struct {
		name string
		e    Entry
		want string
	}{
		{"response", Entry{URL: "http://example.com/", AskedURL: "http://example.com", Time: at, Mime: "text/html", Status: 200, Digest: "sha1:B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A", Length: 1046, Offset: 334, File: "dupes.warc.gz"},
			`com,example)/ 20140127171238 {"url": "http://example.com", "mime": "text/html", "status": "200", "digest": "B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A", "length": "1046", "offset": "334", "filename": "dupes.warc.gz"}`},
		{"revisit", Entry{URL: "http://www.iana.org/", Time: at, Mime: "text/html", Status: 200, Revisit: true, Digest: "sha1:OSSAPWJ23L56IYVRW3GFEAR4MCJMGPTB", Length: 536, Offset: 2678, File: "dupes.warc.gz"},
			`org,iana)/ 20140127171238 {"url": "http://www.iana.org/", "mime": "warc/revisit", "digest": "OSSAPWJ23L56IYVRW3GFEAR4MCJMGPTB", "length": "536", "offset": "2678", "filename": "dupes.warc.gz"}`},
		{"redirect without a type", Entry{URL: "http://iana.org/bads", Time: at, Status: 302, Digest: "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", Offset: 0, File: "x.warc"},
			`org,iana)/bads 20140127171238 {"url": "http://iana.org/bads", "mime": "unk", "status": "302", "digest": "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", "offset": "0", "filename": "x.warc"}`},
		{"resource, no digest", Entry{URL: "http://a.cn/<b>", Time: at, Mime: "application/json", File: `a"b.warc`},
			`cn,a)/<b> 20140127171238 {"url": "http://a.cn/<b>", "mime": "application/json", "offset": "0", "filename": "a\"b.warc"}`},
		{"form", Entry{URL: "https://httpbin.org/post?__wb_method=POST&test=some+data&another=more^data", Time: at, Mime: "application/json", Status: 200, File: "x"},
			`org,httpbin)/post?__wb_method=post&another=more^data&test=some+data 20140127171238 {"url": "https://httpbin.org/post", "mime": "application/json", "status": "200", "offset": "0", "filename": "x", "requestBody": "test=some+data&another=more^data", "method": "POST"}`},
		{"URL that is no UTF-8", Entry{URL: "http://a.cn/%D6", AskedURL: "http://a.cn/\xd6", Time: at, Mime: "text/html", Status: 200, File: "x"},
			`cn,a)/%d6 20140127171238 {"url": "http://a.cn/%D6", "mime": "text/html", "status": "200", "offset": "0", "filename": "x"}`},
	}
	for _, tt := range tests {
		if got := string(tt.e.Append(nil)); got != tt.want+"\n" {
			t.Errorf("%s: got\n%swant\n%s", tt.name, got, tt.want)
		}
	}
}
