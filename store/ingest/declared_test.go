package ingest

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"strings"
	"testing"

	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/record/task"
)

// TestDeclared shows which digests are recognised, and what is said of others.
func TestDeclared(t *testing.T) {
	const head, body, wire = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "Wikipedia", "4\r\nWiki\r\n5\r\npedia\r\n0\r\n\r\n"
	sum := sha1.Sum([]byte(body))
	wireSum, blockSum := sha1.Sum([]byte(wire)), sha1.Sum([]byte(head+wire))
	b32 := base32.StdEncoding.EncodeToString
	sum256 := sha256.Sum256([]byte(body))
	tests := []struct {
		name, digest string
		change       func(*record.Capture)
		want         task.DigestCounts
	}{
		{"body", "sha1:" + b32(sum[:]), nil, task.DigestCounts{Body: 1}},
		{"body, lower case", "SHA-1:" + strings.ToLower(b32(sum[:])), nil, task.DigestCounts{Body: 1}},
		{"body, hexadecimal", fmt.Sprintf("sha1:%x", sum), nil, task.DigestCounts{Body: 1}},
		{"body, sha256 padded", "sha256:" + b32(sum256[:]), nil, task.DigestCounts{Body: 1}},
		{"body, md5 of an ARC file", fmt.Sprintf("%x", md5.Sum([]byte(body))), nil, task.DigestCounts{Body: 1}},
		{"chunks", "sha1:" + b32(wireSum[:]), nil, task.DigestCounts{Wire: 1}},
		{"record", "sha1:" + b32(blockSum[:]), nil, task.DigestCounts{Record: 1}},
		{"another", "sha1:" + b32(make([]byte, 20)), nil, task.DigestCounts{Wrong: 1}},
		{"another, and cut", "sha1:" + b32(make([]byte, 20)), func(c *record.Capture) { c.Truncated = true }, task.DigestCounts{}},
		{"of a revisit", "sha1:" + b32(make([]byte, 20)), func(c *record.Capture) { c.Via, c.Body = record.ViaRevisit, nil }, task.DigestCounts{}},
		{"unknown", "crc32:00000000", nil, task.DigestCounts{Unknown: 1}},
		{"no digits", "sha1:what", nil, task.DigestCounts{Unknown: 1}},
		{"none", "", nil, task.DigestCounts{}},
	}
	for _, tt := range tests {
		for _, spool := range []bool{false, true} {
			c := &record.Capture{AskedURL: "http://x.cn/", DeclaredDigest: tt.digest, Offset: 7}
			message.Set(c, []byte(head+wire))
			if spool {
				s, err := message.NewSpool(bytes.NewReader(c.Body), t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				c.Spool, c.Body = s, nil
			}
			if tt.change != nil {
				tt.change(c)
			}
			var res task.ImportResult
			if err := declared(c, &res); err != nil {
				t.Fatal(err)
			}
			if res.Digests != tt.want {
				t.Errorf("%s, spool %v: %+v, want %+v", tt.name, spool, res.Digests, tt.want)
			}
			if tt.want.Wrong > 0 {
				want := "the digest of http://x.cn/ is declared as " + tt.digest + ", but is sha1:" + b32(sum[:])
				if len(res.Mismatches) != 1 || res.Mismatches[0] != (task.Damage{Offset: 7, Why: want}) {
					t.Errorf("%s: listed %+v, want %q", tt.name, res.Mismatches, want)
				}
			}
			c.Close()
		}
	}
}
