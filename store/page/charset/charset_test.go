package charset

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// shared returns the path of test data that lies outside the repository, and
// skips the test where there is none.
func shared(t testing.TB, name ...string) string {
	t.Helper()
	dir := os.Getenv("INFOMALL_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared")
	}
	path := filepath.Join(append([]string{dir, "data"}, name...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no test data: %v (INFOMALL_SHARED names its folder)", err)
	}
	return path
}

func encoded(t testing.TB, e encoding.Encoding, text string) string {
	t.Helper()
	s, err := e.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const (
	chinese  = "北京大学计算机科学技术研究所网络与分布式系统实验室，中国网页历史信息存储与展示系统。"
	big5Text = "臺灣大學資訊工程學系暨研究所，網路與分散式系統實驗室，中文網頁歷史資訊儲存與展示系統。"
	japText  = "北京大学のウェブアーカイブは、中国のウェブページの歴史を保存し、誰でも見ることができます。"
	korText  = "북경대학교 웹 아카이브는 중국 웹 페이지의 역사를 보존하고 누구나 볼 수 있도록 합니다"
)

func TestCharset(t *testing.T) {
	gbk := encoded(t, simplifiedchinese.GBK, chinese)
	meta := func(label string) string {
		return `<html><head><meta http-equiv="Content-Type" content="text/html; charset=` + label + `">`
	}
	for _, tt := range []struct {
		what, body, contentType string
		name, declared          string
	}{
		{"nothing", "", "", "utf-8", ""},
		{"ASCII", "<p>hello", "", "utf-8", ""},
		{"mark over header", "\ufeff<p>", "text/html; charset=gbk", "utf-8", "gbk"},
		{"UTF-16 mark", "\xff\xfea\x00", "", "utf-16le", ""},
		{"UTF-16 mark", "\xfe\xff\x00a", "", "utf-16be", ""},
		{"header", "<p>\xe9t\xe9", "text/html; charset=ISO-8859-1", "windows-1252", "iso-8859-1"},
		{"header over meta", meta("big5") + gbk, "text/html;charset=gb2312", "gb18030", "gb2312"},
		{"header quoted", gbk, `text/html; charset="GB2312"`, "gb18030", "gb2312"},
		{"header badly written", gbk, "text/html;; Charset = gbk,text/html", "gb18030", "gbk"},
		{"header unknown", gbk, "text/html; charset=foo", "gb18030", "foo"},
		{"header unknown, meta", meta("gbk") + gbk, "text/html; charset=foo", "gb18030", "foo"},
		{"header unknown, meta wrong", meta("big5") + gbk, "text/html; charset=foo", "gb18030", "foo"},
		{"meta", meta("gb2312") + gbk, "text/html", "gb18030", "gb2312"},
		{"meta, alias", meta("cp936") + gbk, "", "gb18030", "cp936"},
		{"meta of HTML 5", "<meta charset='GBK'>" + gbk, "", "gb18030", "gbk"},
		{"meta after a script", "<script>" + strings.Repeat("x", 2000) + "</script>" + meta("gbk") + gbk, "", "gb18030", "gbk"},
		{"meta in a comment", "<!--" + meta("big5") + "-->" + gbk, "", "gb18030", ""},
		{"meta not of the type", `<meta name=x content="charset=big5">` + gbk, "", "gb18030", ""},
		{"meta says UTF-16", "<meta charset=utf-16>" + chinese, "", "utf-8", "utf-16"},
		{"meta says HZ", meta("hz-gb-2312") + "~{1154~}", "", "hz-gb-2312", "hz-gb-2312"},
		{"XML", "<?xml version='1.0' encoding='GB2312'?><rss>" + gbk, "", "gb18030", "gb2312"},
		{"XML without", "<?xml version='1.0'?>" + meta("gbk") + gbk, "", "gb18030", "gbk"},
		{"Chinese that is UTF-8", meta("gb2312") + chinese, "", "utf-8", "gb2312"},
		{"header Chinese that is UTF-8", chinese, "text/html; charset=gb2312", "utf-8", "gb2312"},
		{"Chinese that could be UTF-8", meta("gb2312") + "\xc4\xa3\xca\xbd", "", "gb18030", "gb2312"},
		{"UTF-8 that is Chinese", meta("gb2312") + gbk, "text/html; charset=utf-8", "gb18030", "utf-8"},
		{"UTF-8 that is Chinese, no other word", gbk, "text/html; charset=utf-8", "gb18030", "utf-8"},
		{"UTF-8 with a flaw", chinese + "\xff", "text/html; charset=utf-8", "utf-8", "utf-8"},
		{"UTF-8", chinese, "", "utf-8", ""},
		{"UTF-8 cut", chinese[:len(chinese)-1], "", "utf-8", ""},
		{"GBK", gbk, "", "gb18030", ""},
		{"GBK cut", gbk[:len(gbk)-1], "", "gb18030", ""},
		{"GBK title", encoded(t, simplifiedchinese.GBK, "北京大学"), "", "gb18030", ""},
		{"GBK with Latin between", encoded(t, simplifiedchinese.GBK, "第1页 共20页 <br>上一页 next 下一页"), "", "gb18030", ""},
		{"Big5", encoded(t, traditionalchinese.Big5, big5Text), "", "big5", ""},
		{"Shift JIS", encoded(t, japanese.ShiftJIS, japText), "", "shift_jis", ""},
		{"EUC-JP", encoded(t, japanese.EUCJP, japText), "", "euc-jp", ""},
		{"ISO-2022-JP", encoded(t, japanese.ISO2022JP, japText), "", "iso-2022-jp", ""},
		{"EUC-KR", encoded(t, korean.EUCKR, korText), "", "euc-kr", ""},
		{"HZ", encoded(t, simplifiedchinese.HZGB2312, chinese+"\n"), "", "hz-gb-2312", ""},
		{"no HZ", "<a th:replace='~{a :: b~}'>", "", "utf-8", ""},
		{"English in Chinese quotes", encoded(t, simplifiedchinese.GBK, "“What’s wrong?”"), "", "gb18030", ""},
		{"French", "L'\xe9t\xe9 \xe0 la for\xeat, o\xf9 l'on r\xeave d'\xeatre", "", "windows-1252", ""},
	} {
		found := Find([]byte(tt.body), tt.contentType, "")
		name, declared := found.Charset, found.Declared
		if name != tt.name || declared != tt.declared {
			t.Errorf("%s: Charset = %q, declared %q; want %q, %q", tt.what, name, declared, tt.name, tt.declared)
		}
	}
}

func TestToUTF8(t *testing.T) {
	for _, tt := range []struct{ charset, body, want string }{
		{"utf-8", chinese, chinese},
		{"utf-8", "\ufeff" + chinese, chinese},
		{"utf-8", "a\xffb\xe5\x8c", "a\uFFFDb\uFFFD"},
		{"gb18030", encoded(t, simplifiedchinese.GB18030, chinese+"😀"), chinese + "😀"},
		{"gb18030", "\xb1\xb1\xff\xb1", "北\uFFFD\uFFFD"},
		{"big5", encoded(t, traditionalchinese.Big5, big5Text), big5Text},
		{"shift_jis", encoded(t, japanese.ShiftJIS, japText), japText},
		{"euc-jp", encoded(t, japanese.EUCJP, japText), japText},
		{"iso-2022-jp", encoded(t, japanese.ISO2022JP, japText), japText},
		{"euc-kr", encoded(t, korean.EUCKR, korText), korText},
		{"hz-gb-2312", encoded(t, simplifiedchinese.HZGB2312, chinese), chinese},
		{"utf-16le", "\xff\xfea\x00\x17\x53", "a北"},
		{"utf-16be", "\xfe\xff\x00a\x53\x17", "a北"},
		{"utf-16be", "\x00a\x53", "a\uFFFD"},
		{"windows-1252", "\xe9\x80", "é€"},
		{"no such", "\xe9", "é"},
		{"utf-8", "", ""},
		{"gb18030", "", ""},
	} {
		if got := string(ToUTF8([]byte(tt.body), tt.charset)); got != tt.want {
			t.Errorf("ToUTF8(%q, %s) = %q, want %q", tt.body, tt.charset, got, tt.want)
		}
	}
	body := []byte(chinese)
	if got := ToUTF8(body, "utf-8"); &got[0] != &body[0] {
		t.Error("ToUTF8 copied a body that was UTF-8 already")
	}
}

// TestCharsetW3C runs the W3C's pages on which declaration wins.
func TestCharsetW3C(t *testing.T) {
	dir := shared(t, "suites", "w3c-charset")
	for _, tt := range []struct{ file, contentType, want string }{
		{"HTTP-charset.html", "text/html; charset=iso-8859-15", "iso-8859-15"},
		{"UTF-16LE-BOM.html", "", "utf-16le"},
		{"UTF-16BE-BOM.html", "", "utf-16be"},
		{"meta-content-attribute.html", "text/html", "iso-8859-15"},
		{"meta-charset-attribute.html", "text/html", "iso-8859-15"},
		{"HTTP-vs-UTF-8-BOM.html", "text/html; charset=iso-8859-15", "utf-8"},
		{"HTTP-vs-meta-content.html", "text/html; charset=iso-8859-15", "iso-8859-15"},
		{"HTTP-vs-meta-charset.html", "text/html; charset=iso-8859-15", "iso-8859-15"},
		{"UTF-8-BOM-vs-meta-content.html", "text/html", "utf-8"},
		{"UTF-8-BOM-vs-meta-charset.html", "text/html", "utf-8"},
	} {
		body, err := os.ReadFile(filepath.Join(dir, tt.file))
		if err != nil {
			t.Fatal(err)
		}
		if got := Find(body, tt.contentType, "").Charset; got != tt.want {
			t.Errorf("%s: Charset = %q, want %q", tt.file, got, tt.want)
		}
	}
}

// FuzzCharset shows that no body and no header bring the parser to panic, and
// that what comes out is always UTF-8.
func FuzzCharset(f *testing.F) {
	f.Add([]byte("<meta charset=gbk>\xb1\xb1"), "text/html; charset=")
	f.Add([]byte("<?xml encoding='"), "charset='")
	f.Add([]byte("\xff\xfe\x00"), "")
	f.Add([]byte("~{~}~"), "charset=hz")
	f.Add([]byte("\x1b$B\x1b"), "text/html; charset=iso-2022-kr")
	f.Add([]byte("\x81\x30\x81\x30\x8e\x8f\xa1"), "charset=euc-jp")
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		name := Find(body, contentType, "").Charset
		if text := ToUTF8(body, name); !utf8.Valid(text) {
			t.Fatalf("ToUTF8(%q, %s) = %q is no UTF-8", body, name, text)
		}
		ToUTF8(body, contentType)
		if label := metaDeclaration(body); label != "" && !mayHaveMeta(body) {
			t.Fatalf("%q declares %q, and mayHaveMeta says that no meta element may begin there", body, label)
		}
	})
}

func BenchmarkCharset(b *testing.B) {
	head := "<html><head><title>北京大学</title></head><body>"
	utf := []byte(head + strings.Repeat("<p class='a'>"+chinese+"</p>\n", 200))
	gbk := []byte(encoded(b, simplifiedchinese.GBK, string(utf)))
	for _, bb := range []struct {
		name, contentType string
		body              []byte
	}{
		{"declared", "text/html; charset=gbk", gbk},
		{"utf-8", "", utf},
		{"guessed", "", gbk},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(bb.body)))
			for b.Loop() {
				Find(bb.body, bb.contentType, "")
			}
		})
	}
}

func BenchmarkToUTF8(b *testing.B) {
	utf := []byte(strings.Repeat("<p class='a'>"+chinese+"</p>\n", 200))
	for _, bb := range []struct {
		charset string
		body    []byte
	}{
		{"utf-8", utf},
		{"gb18030", []byte(encoded(b, simplifiedchinese.GBK, string(utf)))},
	} {
		b.Run(bb.charset, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(bb.body)))
			for b.Loop() {
				if got := ToUTF8(bb.body, bb.charset); !bytes.Equal(got[:3], utf[:3]) {
					b.Fatal(got[:3])
				}
			}
		})
	}
}
