package urlkey

import (
	"fmt"
	"strings"
	"testing"
)

// TestWithMethod compares the URLs of requests with those that other tools for WARC
// files give them. The last cases are those in which other tools make two bodies one.
func TestWithMethod(t *testing.T) {
	const form, json, plain = "application/x-www-form-urlencoded", "application/json", "text/plain"
	parts := "--x\r\nContent-Disposition: form-data; name=\"test\"\r\n\r\nsome data\r\n" +
		"--x\r\nContent-Disposition: form-data; name=\"another\"\r\n\r\nmore^data\r\n--x--\r\n"
	for _, tt := range []struct{ url, method, media, body, want string }{
		{"http://x.cn/a", "", "", "", "http://x.cn/a"},
		{"http://x.cn/a#b", "get", form, "q=1", "http://x.cn/a#b"},
		{"http://x.cn/a#b", "HEAD", "", "", "http://x.cn/a?__wb_method=HEAD"},
		{"http://x.cn/a?b=c", "post", form, "", "http://x.cn/a?b=c&__wb_method=POST"},
		{"http://x.cn/a", "POST", form + "; charset=utf-8", "foo=bar&dir=%2Fbaz", "http://x.cn/a?__wb_method=POST&foo=bar&dir=/baz"},
		{"http://x.cn/a", "PUT", form, "a=1+2&b=%E5%8C%97", "http://x.cn/a?__wb_method=PUT&a=1%202&b=%E5%8C%97"},
		{"http://x.cn/a", "POST", form, "a=1%2B2%3d3&b", "http://x.cn/a?__wb_method=POST&a=1+2=3&b"},
		{"http://x.cn/a", "POST", form, "\xb1", "http://x.cn/a?__wb_method=POST&__wb_post_data=sQ=="},
		{"http://x.cn/a", "POST", "multipart/form-data; boundary=x", parts, "http://x.cn/a?__wb_method=POST&test=some+data&another=more^data"},
		{"http://x.cn/a", "POST", "multipart/form-data", `{"text": "default"}`, "http://x.cn/a?__wb_method=POST&__wb_post_data=eyJ0ZXh0IjogImRlZmF1bHQifQ=="},
		{"http://x.cn/a", "POST", "application/octet-stream", "\x01\x02\x03\x04\x05\x06", "http://x.cn/a?__wb_method=POST&__wb_post_data=AQIDBAUG"},
		{"http://x.cn/a", "POST", "", "", "http://x.cn/a?__wb_method=POST&__wb_post_data="},
		{"http://x.cn/a", "POST", plain, "somechunk-encodeddata", "http://x.cn/a?__wb_method=POST&__wb_post_data=c29tZWNodW5rLWVuY29kZWRkYXRh"},
		{"http://x.cn/a", "POST", plain, `{"a":"b c"}`, "http://x.cn/a?__wb_method=POST&a=b+c"},
		{"http://x.cn/a", "POST", json, `{"a":"json-data"}`, "http://x.cn/a?__wb_method=POST&a=json-data"},
		{"http://x.cn/a", "POST", json, `{"abc":"def","a":4,"foo":{"bar":"123","a":"5"}}`, "http://x.cn/a?__wb_method=POST&abc=def&a=4&bar=123&a.2_=5"},
		{"http://x.cn/a", "POST", json, `{"f":35.70,"g":4e1,"h":1e20,"i":0.00001,"v":[true,null,[3]],"o":[{}, "x"]}`,
			"http://x.cn/a?__wb_method=POST&f=35.7&g=40.0&h=1e+20&i=1e-05&v=True&v.2_=None&v.3_=3&o=x"},
		{"http://x.cn/a", "POST", json, "{\"a\":1}\n{\"a\":2}\n", "http://x.cn/a?__wb_method=POST&a=1&a.2_=2"},
		{"http://x.cn/a", "POST", json, `{"a":1`, "http://x.cn/a?__wb_method=POST"},
		{"http://x.cn/a", "POST", json, `{"a":` + strings.Repeat("[", 5000), "http://x.cn/a?__wb_method=POST"},
		{"http://x.cn/a", "POST", form, "q=%B1%B1&r=%26%25%23&s%3D=%zz&t=<'\"\\>", `http://x.cn/a?__wb_method=POST&q=%B1%B1&r=%26%25%23&s%3D=%25zz&t=%3C%27%22\%3E`},
	} {
		got := WithMethod(tt.url, tt.method, tt.media, []byte(tt.body))
		if got != tt.want {
			t.Errorf("WithMethod(%q, %q, %q, %q)\n got %s\nwant %s", tt.url, tt.method, tt.media, tt.body, got, tt.want)
			continue
		}
		if got == tt.url {
			continue
		}
		page, method, query, ok := Method(got)
		if again := WithMethod(page, method, form, FormBody(query)); !ok || again != got {
			t.Errorf("Method(%q) = %q, %q, %q, %v, which makes %q", got, page, method, query, ok, again)
		}
		key, err := Canonical(got)
		if again := WithMethod(page, method, form, FormBody(query)); err != nil || key != got || again != got {
			t.Errorf("the canonical form of %q is %q, %v, which makes %q", got, key, err, again)
		}
	}
	for _, u := range []string{"http://x.cn/", "http://x.cn/?a__wb_method=POST", "http://x.cn/?__wb_method=", "__wb_method=POST"} {
		if page, _, _, ok := Method(u); ok {
			t.Errorf("Method(%q) = %q, want none", u, page)
		}
	}
}

// TestLongBody sends bodies that are longer than a URL may be. Their URLs are valid, and
// the cut falls between two characters.
func TestLongBody(t *testing.T) {
	for _, tt := range []struct{ media, body string }{
		{"application/x-www-form-urlencoded", "q=" + strings.Repeat("%E5%8C%97", 9000)},
		{"application/x-www-form-urlencoded", "q=" + strings.Repeat("&", 90000)},
		{"application/json", `{"a":"` + strings.Repeat("b ", 50000) + `"}`},
		{"image/png", strings.Repeat("\xff", 90000)},
	} {
		u := WithMethod("http://x.cn/a", "POST", tt.media, []byte(tt.body))
		if key, err := Canonical(u); err != nil || key != u || len(u) < 4000 || len(u) > 9000 {
			t.Errorf("a body of %s has a URL of %d bytes; canonical: %d, %v", tt.media, len(u), len(key), err)
		}
	}
}

// TestWithBody shows that long bodies that differ at their end have URLs of their own, also
// when they are written and read again as forms.
func TestWithBody(t *testing.T) {
	const form, at = "application/x-www-form-urlencoded", "http://x.cn/find"
	if got := WithBody(at, "POST", form, []byte("q=tea")); got != WithMethod(at, "POST", form, []byte("q=tea")) {
		t.Errorf("a short body gives %s", got)
	}
	for name, begin := range map[string]string{"ascii": strings.Repeat("x", 9000), "chinese": strings.Repeat("%E5%8C%97", 5000), "blanks": strings.Repeat("a+", 5000)} {
		one, two := WithBody(at, "POST", form, []byte("state="+begin+"&q=1")), WithBody(at, "POST", form, []byte("state="+begin+"&q=2"))
		if one == two || one != WithBody(at, "POST", form, []byte("state="+begin+"&q=1")) {
			t.Errorf("%s: the URLs of two bodies are %.60s… and %.60s…", name, one, two)
		}
		_, _, query, ok := Method(one)
		if again := WithMethod(at, "POST", form, FormBody(query)); !ok || again != one {
			t.Errorf("%s: written as a form, %s is %s", name, one, again)
		}
		if canonical, err := Canonical(one); err != nil || canonical != one {
			t.Errorf("%s: canonical it is %s, %v", name, canonical, err)
		}
	}
	multi := func(boundary, end string) string {
		body := fmt.Sprintf("--%s\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\n%s\r\n--%s--\r\n", boundary, strings.Repeat("y", 9000)+end, boundary)
		return WithBody(at, "POST", "multipart/form-data; boundary="+boundary, []byte(body))
	}
	if multi("a1", "") != multi("b2", "") || multi("a1", "") == multi("a1", "z") {
		t.Error("the boundary counts, or the end does not")
	}
	if data := WithBody(at, "PUT", "image/png", make([]byte, 1<<20)); data == WithBody(at, "PUT", "image/png", make([]byte, 1<<20+1)) {
		t.Error("two pictures have one URL")
	}
}
