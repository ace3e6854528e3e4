package warc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"infomall/store/formats/gzipped"
	"infomall/store/record"
	"infomall/store/record/message"
)

// rec is a record as it stands in a file; its Content-Length is right unless
// fields says another.
func rec(fields, block string) string {
	if !strings.Contains(fields, "Content-Length") {
		fields += fmt.Sprintf("Content-Length: %d\r\n", len(block))
	}
	return "WARC/1.0\r\n" + fields + "\r\n" + block + "\r\n\r\n"
}

func response(url, body string) string {
	return rec("WARC-Type: response\r\nWARC-Target-URI: "+url+"\r\nWARC-Date: 2008-06-30T22:00:00Z\r\nContent-Type: application/http; msgtype=response\r\n",
		"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"+body)
}

func zip(t testing.TB, data string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(data)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// brief writes what items are, without where.
func brief(items []record.Item) string {
	var b strings.Builder
	for _, it := range items {
		switch {
		case it.Capture != nil:
			fmt.Fprintf(&b, "%s %s %d %q\n", it.Capture.Via, it.Capture.AskedURL, it.Capture.Status, it.Capture.Body)
		case it.Skipped != "":
			fmt.Fprintf(&b, "skipped %s\n", it.Skipped)
		default:
			fmt.Fprintf(&b, "damaged %s\n", it.Damage)
		}
	}
	return b.String()
}

// packings are the ways to compress records, of which all must read the same.
func packings(t testing.TB, records []string) map[string]string {
	all := strings.Join(records, "")
	each, pairs, pieces := "", "", ""
	for i, r := range records {
		each += zip(t, r)
		if i%2 == 0 {
			pairs += zip(t, strings.Join(records[i:min(i+2, len(records))], ""))
		}
	}
	for i := 0; i < len(all); i += 100 {
		pieces += zip(t, all[i:min(i+100, len(all))])
	}
	return map[string]string{
		"plain":           all,
		"member a record": each,
		"member a pair":   pairs,
		"one member":      zip(t, all),
		"pieces":          pieces,
	}
}

// TestPackings reads one list of records packed in every way.
func TestPackings(t *testing.T) {
	records := []string{
		rec("WARC-Type: warcinfo\r\n", "software: x\r\n"),
		response("http://a.cn/", strings.Repeat("A", 300)),
		rec("WARC-Type: request\r\n", "GET / HTTP/1.0\r\n\r\n"),
		response("http://b.cn/", ""),
		response("http://c.cn/", "\r\n\r\nWARC/1.0\r\nWARC-Type: response\r\n\r\nquoted"),
		rec("WARC-Type: metadata\r\n", ""),
	}
	want := fmt.Sprintf("skipped warcinfo record\nresponse http://a.cn/ 200 %q\nskipped request record\nresponse http://b.cn/ 200 \"\"\n"+
		"response http://c.cn/ 200 %q\nskipped metadata record\n", strings.Repeat("A", 300), "\r\n\r\nWARC/1.0\r\nWARC-Type: response\r\n\r\nquoted")
	for name, file := range packings(t, records) {
		items := read(t, []byte(file), Options{})
		if got := brief(items); got != want {
			t.Errorf("%s: got\n%swant\n%s", name, got, want)
		}
		checkOrder(t, name, items, len(file))
	}
	// An offset is that of the record's member.
	each := packings(t, records)["member a record"]
	for i, it := range read(t, []byte(each), Options{}) {
		if want := len(zip(t, records[i])); !strings.HasPrefix(each[it.Offset:], zip(t, records[i])) {
			t.Errorf("record %d at %d: no member of %d bytes with it there", i, it.Offset, want)
		}
	}
}

// TestRecords shows what each kind of record, and each oddity, is read as.
func TestRecords(t *testing.T) {
	const when = "WARC-Date: 2008-06-30T22:00:00Z\r\n"
	const http = "Content-Type: application/http; msgtype=response\r\n"
	tests := []struct{ name, file, want string }{
		{"wget's angle brackets", rec("WARC-Type: resource\r\nWARC-Target-URI: <http://a.cn/>\r\nContent-Type: text/css\r\n"+when, "x"), "resource http://a.cn/ 0 \"x\"\n"},
		{"space in URI", rec("WARC-Type: resource\r\nWARC-Target-URI: http://a.cn/a b\r\n"+when, "x"), "resource http://a.cn/a b 0 \"x\"\n"},
		{"response of DNS", rec("WARC-Type: response\r\nWARC-Target-URI: dns:a.cn\r\nContent-Type: text/dns\r\n"+when, "a.cn A 1.2.3.4"), "resource dns:a.cn 0 \"a.cn A 1.2.3.4\"\n"},
		{"HTTP by content", rec("WARC-Type: response\r\nWARC-Target-URI: http://a.cn/\r\n"+when, "HTTP/1.0 404 No\r\n\r\nx"), "response http://a.cn/ 404 \"x\"\n"},
		{"no status line", rec("WARC-Type: response\r\nWARC-Target-URI: http://a.cn/\r\n"+http+when, "<html>"), "response http://a.cn/ 0 \"<html>\"\n"},
		{"304", rec("WARC-Type: response\r\nWARC-Target-URI: http://a.cn/\r\n"+http+when, "HTTP/1.0 304 Not Modified\r\n\r\n"), "not_modified http://a.cn/ 304 \"\"\n"},
		{"revisit", rec("WARC-Type: revisit\r\nWARC-Target-URI: http://a.cn/\r\nWARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest\r\n"+http+when, "HTTP/1.0 200 OK\r\n\r\n"), "revisit http://a.cn/ 200 \"\"\n"},
		{"revisit without a block", rec("WARC-Type: revisit\r\nWARC-Target-URI: http://a.cn/\r\nWARC-Profile: http://netpreserve.org/warc/1.0/revisit/server-not-modified\r\n"+when, ""), "not_modified http://a.cn/ 0 \"\"\n"},
		{"chunked", rec("WARC-Type: response\r\nWARC-Target-URI: http://a.cn/\r\n"+http+when, "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"), "response http://a.cn/ 200 \"x\"\n"},
		{"folded and doubled fields", rec("WARC-Type: response\r\nWARC-Type: request\r\nWARC-Target-URI: http://a.cn/\r\n"+http+"X-Long: a\r\n b\r\n"+when, "HTTP/1.0 200 OK\r\n\r\n"), "response http://a.cn/ 200 \"\"\n"},
		{"lower case", rec("warc-type: Response\r\nwarc-target-uri: http://a.cn/\r\n"+http+when, "HTTP/1.0 200 OK\r\n\r\n"), "response http://a.cn/ 200 \"\"\n"},
		{"lower case of the magic", "warc" + rec("WARC-Type: resource\r\nWARC-Target-URI: http://a.cn/\r\nWARC-Date: 2008-06-30t22:00:00z\r\n", "x")[4:], "resource http://a.cn/ 0 \"x\"\n"},
		{"byte order mark", "\ufeff" + rec("WARC-Type: resource\r\nWARC-Target-URI: http://a.cn/\r\n"+when, "x"), "resource http://a.cn/ 0 \"x\"\n"},
		{"profile of HTTPS in capitals", rec("WARC-Type: REVISIT\r\nWARC-Target-URI: http://a.cn/\r\nWARC-Profile: HTTPS://NETPRESERVE.ORG/WARC/1.1/REVISIT/SERVER-NOT-MODIFIED\r\n"+when, ""), "not_modified http://a.cn/ 0 \"\"\n"},
		{"HTTP/2", rec("WARC-Type: response\r\nWARC-Target-URI: http://a.cn/\r\n"+http+when, "HTTP/2 200\r\nContent-Type: text/html\r\n\r\nx"), "response http://a.cn/ 200 \"x\"\n"},
		{"FTP", rec("WARC-Type: response\r\nWARC-Target-URI: ftp://a.cn/x\r\nContent-Type: text/plain\r\n"+when, "x"), "resource ftp://a.cn/x 0 \"x\"\n"},
		{"no empty lines between records", strings.TrimRight(rec("WARC-Type: resource\r\nWARC-Target-URI: http://a.cn/\r\n"+when, "x"), "\r\n") + rec("WARC-Type: request\r\n", ""), "resource http://a.cn/ 0 \"x\"\nskipped request record\n"},
		{"bare LF", strings.ReplaceAll(rec("WARC-Type: resource\r\nWARC-Target-URI: http://a.cn/\r\n"+when, "x"), "\r\n", "\n"), "resource http://a.cn/ 0 \"x\"\n"},
		{"version 0.18", strings.Replace(rec("WARC-Type: conversion\r\n", "x"), "1.0", "0.18", 1), "skipped conversion record\n"},
		{"continuation", rec("WARC-Type: continuation\r\n", "x"), "skipped continuation record: segments are not joined\n"},
		{"unknown type", rec("WARC-Type: monkeys\r\n", "x"), "skipped record of unknown type \"monkeys\"\n"},
		{"no type", rec("WARC-Filename: x\r\n", "x"), "damaged record without WARC-Type\n"},
		{"no date", rec("WARC-Type: response\r\nWARC-Target-URI: http://a.cn/\r\n"+http, "x"), "damaged can't read WARC-Date \"\": want one like 2008-04-30T20:48:25Z\n"},
		{"no URI", rec("WARC-Type: response\r\n"+http+when, "x"), "damaged response record without WARC-Target-URI\n"},
	}
	for _, tt := range tests {
		if got := brief(read(t, []byte(tt.file), Options{})); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestCapture shows what becomes of each field.
func TestCapture(t *testing.T) {
	file := rec("WARC-Type: revisit\r\nWARC-Target-URI: http://a.cn/\r\nWARC-Date: 2008-06-30T22:00:00.123456Z\r\nWARC-IP-Address: 1.2.3.4\r\n"+
		"WARC-Record-ID: <urn:uuid:1>\r\nWARC-Payload-Digest: sha1:AA\r\nWARC-Block-Digest: sha1:BB\r\nWARC-Truncated: length\r\n"+
		"WARC-Refers-To-Target-URI: <http://b.cn/>\r\nWARC-Refers-To-Date: 20080101000000\r\nX-Odd: 7\r\n", "")
	items := read(t, []byte(file), Options{Source: "f.warc"})
	if len(items) != 1 || items[0].Capture == nil {
		t.Fatalf("got %s, want a capture", brief(items))
	}
	c := items[0].Capture
	got := fmt.Sprintf("%s|%s|%s|%s|%s|%v|%s|%s|%s|%q", c.Time.Std().Format(time.RFC3339Nano), c.IP, c.RecordID, c.DeclaredDigest, c.Source,
		c.Truncated, c.RefersURL, c.RefersTime.Std().Format(time.RFC3339), c.Via, c.Extra)
	want := `2008-06-30T22:00:00.123Z|1.2.3.4|urn:uuid:1|sha1:AA|f.warc|true|http://b.cn/|2008-01-01T00:00:00Z|revisit|` +
		`"WARC-Block-Digest: sha1:BB\nWARC-Truncated: length\nX-Odd: 7\nWARC-Date: 2008-06-30T22:00:00.123456Z\n"`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestParseDate(t *testing.T) {
	tests := []struct{ in, want string }{
		{"2008-04-30T20:48:25Z", "2008-04-30T20:48:25Z"},
		{"2014-03-04T05:14:21.000Z", "2014-03-04T05:14:21Z"},
		{"2014-03-04T05:14:21.123456789Z", "2014-03-04T05:14:21.123456789Z"},
		{"2014-03-04T05:14:21+08:00", "2014-03-03T21:14:21Z"},
		{"2014-03-04T05:14:21.5", "2014-03-04T05:14:21.5Z"},
		{"2014-03-04T05:14Z", "2014-03-04T05:14:00Z"},
		{"2014-03-04", "2014-03-04T00:00:00Z"},
		{"2014", "2014-01-01T00:00:00Z"},
		{"20140304051421", "2014-03-04T05:14:21Z"},
		{"20140304051421123", "2014-03-04T05:14:21.123Z"},
		{"201403040514", "2014-03-04T05:14:00Z"},
		{"20140304", "2014-03-04T00:00:00Z"},
		{"2014-03-04t05:14:21z", "2014-03-04T05:14:21Z"},
		{"2014-03-04 05:14:21.5Z", "2014-03-04T05:14:21.5Z"},
		{"2014-03-04 05:14:21 +0800", "2014-03-03T21:14:21Z"},
		{"2014-03-04T05:14:21+0800", "2014-03-03T21:14:21Z"},
		{"2014-03-04T05:14:21+08", "2014-03-03T21:14:21Z"},
		{"2014-03-04T05:14", "2014-03-04T05:14:00Z"},
		{"blue monday", ""},
		{"", ""},
	}
	for _, tt := range tests {
		got, err := parseDate(tt.in)
		if s := got.UTC().Format(time.RFC3339Nano); err != nil && tt.want != "" || err == nil && s != tt.want {
			t.Errorf("parseDate(%q) = %s, %v, want %q", tt.in, s, err, tt.want)
		}
	}
}

// TestDamage shows where a damaged span starts, how long it is, and that what
// comes after it is read.
func TestDamage(t *testing.T) {
	a, b := response("http://a.cn/", "text of A"), response("http://b.cn/", "text of B")
	length := func(s, n string) string {
		i := strings.Index(s, "Content-Length: ") + len("Content-Length: ")
		return s[:i] + n + s[i+strings.Index(s[i:], "\r\n"):]
	}
	const wrong = "record does not end where Content-Length says"
	ends := func(n string) string { return "file ends within the " + n + " bytes that Content-Length says" }
	tests := []struct {
		name, bad string
		why       string
	}{
		{"length too small", length(a, "30"), wrong},
		{"length too large", length(a, "70"), wrong},
		{"length past the end", length(a, "100000"), ends("100000")},
		{"length of 2^31", length(a, "2147483648"), ends("2147483648")},
		{"length of 2^63", length(a, "9223372036854775808"), `record with Content-Length "9223372036854775808", which is no length`},
		{"negative length", length(a, "-1"), `record with Content-Length "-1", which is no length`},
		{"no length", strings.Replace(a, "Content-Length", "Content-Longth", 1), "record without Content-Length"},
		{"torn", a[:len(a)-20], wrong},
		{"torn in its header", a[:60] + "\r\n\r\n", "record without Content-Length"},
		{"garbage", "The monkeys are coming!\r\nWARC/x\r\n\r\n", "no WARC record where one should begin"},
		{"long header line", "WARC/1.0\r\nX: " + strings.Repeat("x", 3<<20) + "\r\n\r\n", "header of a record has no end within 1048576 bytes"},
		{"a quoted record, the length wrong", length(response("http://c.cn/", "quote\n"+a[:len(a)-30]+"end of quote"), "70"), wrong},
	}
	for _, tt := range tests {
		want := fmt.Sprintf("%d+%d %s", len(b), len(tt.bad), tt.why)
		items := read(t, []byte(b+tt.bad+b+a), Options{})
		if len(items) != 4 {
			t.Errorf("%s: got\n%s, want 4 items", tt.name, brief(items))
			continue
		}
		if got := fmt.Sprintf("%d+%d %s", items[1].Offset, items[1].Length, items[1].Damage); got != want {
			t.Errorf("%s: damage %s, want %s", tt.name, got, want)
		}
		for _, i := range []int{0, 2, 3} {
			if items[i].Capture == nil {
				t.Errorf("%s: item %d is %+v, want a capture", tt.name, i, items[i])
			}
		}
		// The same in one gzip member, and in a member each.
		for _, file := range []string{zip(t, b+tt.bad+b+a), zip(t, b) + zip(t, tt.bad) + zip(t, b) + zip(t, a)} {
			if got := brief(read(t, []byte(file), Options{})); strings.Count(got, "response") != 3 || strings.Count(got, "damaged") != 1 {
				t.Errorf("%s, compressed: got\n%swant 3 captures and a damage", tt.name, got)
			}
		}
	}
}

// TestLengthByHTTP reads responses whose WARC length is wrong or missing: that of
// HTTP says where they end, if a record or the end of the file follows there.
func TestLengthByHTTP(t *testing.T) {
	const http = "HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n"
	body := strings.Repeat("0123456789", 4)
	one := func(url, length, block string) string {
		return "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: " + url + "\r\nWARC-Date: 2008-06-30T22:00:00Z\r\n" + length + "\r\n" + block + "\r\n\r\n"
	}
	b := response("http://b.cn/", "text of B")
	want := fmt.Sprintf("response http://a.cn/ 200 %q\nresponse http://b.cn/ 200 \"text of B\"\n", body)
	for _, length := range []string{"", "Content-Length: -1\r\n", "Content-Length: 30\r\n", "Content-Length: 120\r\n", "Content-Length: 999999\r\n", "Content-Length: many\r\n"} {
		for name, file := range packings(t, []string{one("http://a.cn/", length, http+body), b}) {
			if got := brief(read(t, []byte(file), Options{})); got != want {
				t.Errorf("%q, %s: got\n%swant\n%s", length, name, got, want)
			}
		}
	}
	// A torn head goes on with the next record's header, whose Content-Length is
	// not that of HTTP.
	torn := one("http://a.cn/", "Content-Length: 999999\r\n", http+body)
	torn = torn[:strings.Index(torn, "\r\nContent-Length: 40")+10]
	if got, want := brief(read(t, []byte(torn+b), Options{})), "damaged file ends within the 999999 bytes that Content-Length says\nresponse http://b.cn/ 200 \"text of B\"\n"; got != want {
		t.Errorf("torn head: got\n%swant\n%s", got, want)
	}
}

// TestWithinBlock damages a length so that it leads to the empty line of a later
// record's block: the records between are not lost.
func TestWithinBlock(t *testing.T) {
	a, b, c := response("http://a.cn/", "text of A"), response("http://b.cn/", "text\r\n\r\nof B"), response("http://c.cn/", "text of C")
	file := a + b + c
	length := len(a) + strings.Index(b, "\r\n\r\nof B") - strings.Index(a, "HTTP/")
	i := strings.Index(file, "Content-Length: ") + len("Content-Length: ")
	file = file[:i] + fmt.Sprint(length) + file[i+strings.Index(file[i:], "\r\n"):]
	want := "damaged record does not end where Content-Length says\nresponse http://b.cn/ 200 \"text\\r\\n\\r\\nof B\"\nresponse http://c.cn/ 200 \"text of C\"\n"
	if got := brief(read(t, []byte(file), Options{})); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestWithinLineEnds damages a length so that it leads into the line ends after the
// next record, which is not lost. A length that leads exactly before these line ends
// cannot be told from that of a record which contains another.
func TestWithinLineEnds(t *testing.T) {
	a, b, c := response("http://a.cn/", "text of A"), response("http://b.cn/", "text of B"), response("http://c.cn/", "text of C")
	right := fmt.Sprintf("Content-Length: %d", len(a)-len("\r\n\r\n")-strings.Index(a, "HTTP/"))
	if !strings.Contains(a, right) {
		t.Fatalf("the record %q does not say %q", a, right)
	}
	want := "damaged record does not end where Content-Length says\nresponse http://b.cn/ 200 \"text of B\"\nresponse http://c.cn/ 200 \"text of C\"\n"
	for into := 1; into <= len("\r\n\r\n"); into++ {
		length := len(a) + len(b) - len("\r\n\r\n") + into - strings.Index(a, "HTTP/")
		file := strings.Replace(a, right, fmt.Sprintf("Content-Length: %d", length), 1) + b + c
		if got := brief(read(t, []byte(file), Options{})); got != want {
			t.Errorf("%d bytes into the line ends: got\n%swant\n%s", into, got, want)
		}
	}
}

// TestLineEnds reads records with other than two line ends between them, as some
// writers have them.
func TestLineEnds(t *testing.T) {
	a, b := strings.TrimRight(response("http://a.cn/", "text of A"), "\r\n"), response("http://b.cn/", "text of B")
	want := "response http://a.cn/ 200 \"text of A\"\nresponse http://b.cn/ 200 \"text of B\"\n"
	for _, lines := range []string{"", "\n", "\r\n", "\n\n", "\r\n\r\n\r\n"} {
		for name, file := range packings(t, []string{a + lines, b}) {
			if got := brief(read(t, []byte(file), Options{})); got != want {
				t.Errorf("%q, %s: got\n%swant\n%s", lines, name, got, want)
			}
		}
	}
}

// sample is records that tell their number in URL and body.
func sample(n int) (records []string) {
	for i := range n {
		records = append(records, response(fmt.Sprintf("http://www.x.cn/%02d.htm", 11*i), strings.Repeat(fmt.Sprintf("<p>page %d</p>\n", i), 3+i)))
	}
	return records
}

// TestFlipEachByte damages every byte of a compressed file: the member it lies
// in is reported, and every other record comes back as it was.
func TestFlipEachByte(t *testing.T) {
	records := sample(5)
	var file []byte
	var starts []int
	for _, r := range records {
		starts = append(starts, len(file))
		file = append(file, zip(t, r)...)
	}
	clean := read(t, file, Options{})
	for i := range file {
		hit := 0
		for hit+1 < len(starts) && starts[hit+1] <= i {
			hit++
		}
		bad := bytes.Clone(file)
		bad[i] ^= 1 << (i % 8)
		items := read(t, bad, Options{})
		checkOrder(t, fmt.Sprintf("byte %d", i), items, len(bad))
		got := map[string]string{}
		for _, it := range items {
			if it.Capture != nil {
				got[it.Capture.AskedURL] = string(it.Capture.Body)
			}
		}
		for n, it := range clean {
			body, ok := got[it.Capture.AskedURL]
			if ok && body != string(it.Capture.Body) || !ok && n != hit {
				t.Errorf("byte %d (%d of member %d): record %d is lost or changed", i, i-starts[hit], hit, n)
			}
		}
	}
}

// TestCut cuts files at every byte, and at both ends: every whole record
// before and behind comes back.
func TestCut(t *testing.T) {
	records := sample(4)
	for _, compressed := range []bool{false, true} {
		var file []byte
		var starts []int
		for _, r := range records {
			starts = append(starts, len(file))
			if compressed {
				r = zip(t, r)
			}
			file = append(file, r...)
		}
		starts = append(starts, len(file))
		check := func(from, to int) {
			items := read(t, file[from:to], Options{})
			checkOrder(t, fmt.Sprintf("bytes %d to %d", from, to), items, to-from)
			got := map[string]bool{}
			for _, it := range items {
				if it.Capture != nil {
					got[it.Capture.AskedURL] = true
				}
			}
			for n := range records {
				whole := starts[n] >= from && starts[n+1] <= to
				// Cut in the empty lines at its end, a record is whole too. In
				// a member that is cut its checksum is lost, so it is not.
				some := whole || !compressed && starts[n] >= from && starts[n+1]-4 <= to
				if url := fmt.Sprintf("http://www.x.cn/%02d.htm", 11*n); whole && !got[url] || got[url] && !some {
					t.Errorf("compressed %v, bytes %d to %d: record %d read %v, whole %v", compressed, from, to, n, got[url], whole)
				}
			}
		}
		for i := range file {
			check(0, i)
			check(i, len(file))
		}
	}
}

// TestOneMemberCut cuts a file that is a single member: what was whole before
// the cut comes back.
func TestOneMemberCut(t *testing.T) {
	var records []string
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 30 {
		noise := make([]byte, 3000)
		for j := range noise {
			noise[j] = byte('a' + rng.IntN(26))
		}
		records = append(records, response(fmt.Sprintf("http://x.cn/%d", i), string(noise)))
	}
	file := []byte(zip(t, strings.Join(records, "")))
	items := read(t, file[:len(file)/2], Options{})
	captures := len(items) - 1
	if captures < 13 || captures > 15 || items[captures].Damage == "" {
		t.Errorf("half a file of 30 records gives %d items, the last %+v; want 13 to 15 captures and a damage", len(items), items[captures])
	}
}

// TestLargeRecords reads records larger than what is kept in memory, packed in
// every way: the same bodies, and no file left.
func TestLargeRecords(t *testing.T) {
	large := strings.Repeat("0123456789abcdef", 3*gzipped.KeepMax/2/16)
	records := []string{response("http://a.cn/", "small"), response("http://b.cn/", large), response("http://c.cn/", "small"), response("http://d.cn/", large+"!")}
	all := strings.Join(records, "")
	for _, file := range []string{all, zip(t, all), zip(t, records[0]) + zip(t, records[1]) + zip(t, records[2]) + zip(t, records[3])} {
		o := Options{Limits: message.BodyLimits{MemoryMax: 1 << 20, TempDir: t.TempDir()}}
		var sizes []int64
		for it, err := range Read(t.Context(), strings.NewReader(file), o) {
			if err != nil || it.Capture == nil {
				t.Fatalf("got %+v, %v, want a capture", it, err)
			}
			c := it.Capture
			if c.Spool == nil {
				sizes = append(sizes, int64(len(c.Body)))
				continue
			}
			sizes = append(sizes, c.Spool.Size)
			body, err := io.ReadAll(io.NewSectionReader(c.Spool.File, 0, c.Spool.Size))
			if err != nil || !strings.HasPrefix(string(body), large) {
				t.Errorf("body of %s: %d bytes, %v, are not what was written", c.AskedURL, len(body), err)
			}
			c.Close()
		}
		if got, want := fmt.Sprint(sizes), fmt.Sprint([]int{5, len(large), 5, len(large) + 1}); got != want {
			t.Errorf("sizes %s, want %s", got, want)
		}
		if left, _ := os.ReadDir(o.Limits.TempDir); len(left) != 0 {
			t.Errorf("temporary files left: %v", left)
		}
	}
}

// TestSlip reads records whose length is short by a line end, as some writers
// count: they are whole. Where no record follows a few bytes on they are not.
func TestSlip(t *testing.T) {
	a, b := response("http://a.cn/", "text of A"), response("http://b.cn/", "text of B")
	n := len("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\ntext of A")
	right := fmt.Sprintf("Content-Length: %d", n)
	if !strings.Contains(a, right) {
		t.Fatalf("the record %q does not say %q", a, right)
	}
	for short := range slipMax + 3 {
		file := strings.Replace(a, right, fmt.Sprintf("Content-Length: %d", n-short), 1) + b
		var bodies []string
		for it, err := range Read(t.Context(), strings.NewReader(file), Options{}) {
			if err != nil {
				t.Fatal(err)
			}
			if it.Capture != nil {
				bodies = append(bodies, string(it.Capture.Body))
			}
		}
		want := "text of A, text of B"
		if short > slipMax {
			want = "text of B"
		}
		if got := strings.Join(bodies, ", "); got != want {
			t.Errorf("length %d bytes short: bodies %q, want %q", short, got, want)
		}
	}
}

// TestMemoryIsBounded reads files that lie: a length of many gigabytes in a
// small member, and a header line without end, compressed.
func TestMemoryIsBounded(t *testing.T) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, "WARC/1.0\r\nX: ")
	line := bytes.Repeat([]byte("x"), 1<<20)
	for range 80 {
		w.Write(line)
	}
	w.Close()
	files := []string{
		zip(t, rec("WARC-Type: response\r\nContent-Length: 1099511627776\r\n", "x")) + zip(t, response("http://a.cn/", "")),
		b.String() + zip(t, response("http://a.cn/", "")),
	}
	for i, file := range files {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		items := read(t, []byte(file), Options{Limits: message.BodyLimits{TempDir: t.TempDir()}})
		runtime.ReadMemStats(&after)
		if len(items) != 2 || items[0].Damage == "" || items[1].Capture == nil {
			t.Errorf("file %d: got %s, want a damage and a capture", i, brief(items))
		}
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 64<<20 {
			t.Errorf("file %d: %d bytes allocated, want at most 64 MB", i, grown)
		}
	}
}

// failingReader fails at an offset, as a bad disk does.
type failingReader struct {
	r  io.ReaderAt
	at int64
}

var errDisk = errors.New("bad sector")

func (f failingReader) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > f.at {
		return 0, errDisk
	}
	return f.r.ReadAt(p, off)
}

// TestReadError shows that a failure of the disk is an error and no damage.
func TestReadError(t *testing.T) {
	for name, file := range packings(t, sample(3)) {
		var last error
		for _, err := range Read(t.Context(), failingReader{strings.NewReader(file), 50}, Options{}) {
			last = err
		}
		if !errors.Is(last, errDisk) {
			t.Errorf("%s: last error %v, want %v", name, last, errDisk)
		}
	}
}

func TestCancel(t *testing.T) {
	for name, file := range packings(t, sample(3)) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cause := errors.New("enough")
		cancel(cause)
		var last error
		for _, err := range Read(ctx, strings.NewReader(file), Options{}) {
			last = err
		}
		if !errors.Is(last, cause) {
			t.Errorf("%s: last error %v, want the cause of the cancelling", name, last)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, file := range packings(f, sample(2)) {
		f.Add([]byte(file))
	}
	f.Add([]byte(rec("WARC-Type: revisit\r\nContent-Length: 5\r\n", "HTTP/1.1 304\r\n\r\n")))
	f.Fuzz(func(t *testing.T, file []byte) {
		items := read(t, file, Options{Limits: message.BodyLimits{MemoryMax: 1 << 10, TempDir: t.TempDir()}})
		checkOrder(t, "fuzz", items, len(file))
		for _, it := range items {
			if it.Capture != nil {
				it.Capture.Close()
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	var records []string
	payload := 0
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 200 {
		var body strings.Builder
		for body.Len() < 80<<10 {
			fmt.Fprintf(&body, "<p class=\"c%d\">paragraph %d of page %d</p>\n", rng.IntN(9), rng.IntN(1000), i)
		}
		payload += body.Len()
		records = append(records, response(fmt.Sprintf("http://www.x.cn/%d", i), body.String()))
	}
	plain, each := strings.Join(records, ""), ""
	for _, r := range records {
		each += zip(b, r)
	}
	for _, packing := range []struct{ name, file string }{{"plain", plain}, {"member a record", each}, {"one member", zip(b, plain)}} {
		b.Run(packing.name, func(b *testing.B) {
			file := []byte(packing.file)
			b.SetBytes(int64(payload))
			for b.Loop() {
				if n := len(read(b, file, Options{})); n != len(records) {
					b.Fatalf("%d items, want %d", n, len(records))
				}
			}
		})
	}
}

// TestFoldedHeaderMemory parses a header whose only field is continued on very many lines. The
// memory that this takes must not grow with the square of their number.
func TestFoldedHeaderMemory(t *testing.T) {
	text := []byte("WARC/1.1\r\nX-Long: a" + strings.Repeat("\r\n b", 100_000) + "\r\nContent-Length: 0\r\n\r\n")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	h, err := parseHeader(text)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := h.get("X-Long"), "a"+strings.Repeat(" b", 100_000); got != want {
		t.Errorf("the value has %d bytes, want %d", len(got), len(want))
	}
	if used, most := after.TotalAlloc-before.TotalAlloc, uint64(20<<20); used > most {
		t.Errorf("parsing a header of %d bytes allocated %d bytes, want at most %d", len(text), used, most)
	}
}
