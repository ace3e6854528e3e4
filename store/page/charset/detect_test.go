package charset

import (
	"bytes"
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"
	"path"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
)

// charsetCase is a real page or feed and the charset that it is in.
type charsetCase struct {
	name, charset string
	body          []byte
}

// realCases are the pages and feeds that lie in a folder for each charset.
func realCases(t *testing.T) (cases []charsetCase) {
	for name, body := range tarFiles(t, shared(t, "charset", "chardet-odd.tar.zst")) {
		cases = append(cases, charsetCase{name, folderCharset(path.Base(path.Dir(name)), body), body})
	}
	return cases
}

// folderCharset gives the charset that a folder's name means: "windows-1250-slovak".
func folderCharset(folder string, body []byte) string {
	name := strings.ToLower(folder)
	if i := strings.LastIndexByte(name, '-'); i > 0 && len(name)-i > 4 && name[i+1] >= 'a' {
		name = name[:i]
	}
	switch name {
	case "cp949":
		return "euc-kr"
	case "cp932":
		return "shift_jis"
	case "tis-620":
		return "windows-874"
	case "gb2312":
		return charsetGB18030
	case "utf-8-sig", "ascii":
		return UTF8
	case "maccyrillic":
		return "x-mac-cyrillic"
	case "macroman":
		return "macintosh"
	case "iso-8859-1":
		return charsetLatin1
	case "iso-8859-9":
		return "windows-1254"
	case "utf-16", "utf-32": // the mark tells the order
		return byteOrderMark(body)
	}
	return name
}

// readsLike reports whether body reads alike in two charsets.
func readsLike(body []byte, a, b string) bool {
	return bytes.Equal(ToUTF8(body, a), ToUTF8(body, b))
}

var declarations = regexp.MustCompile(`(?i)(encoding|charset)\s*=\s*["']?[-_a-z0-9]+["']?`)

// TestRealCharsets reads real pages and feeds as they are, without their
// declarations, and with a wrong one.
func TestRealCharsets(t *testing.T) {
	wrong := map[string]int{}
	cases := realCases(t)
	for _, c := range cases {
		bare := c.body
		if !strings.HasPrefix(c.charset, "utf-16") && !strings.HasPrefix(c.charset, "utf-32") {
			bare = declarations.ReplaceAll(bare, nil)
		}
		for _, as := range []struct {
			what, contentType string
			body              []byte
		}{
			{"as it is", "", c.body},
			{"undeclared", "", bare},
			{"declared windows-1252", "text/html; charset=iso-8859-1", c.body},
			{"declared windows-1251", "text/html; charset=windows-1251", c.body},
			{"declared utf-8", "text/html; charset=utf-8", c.body},
			{"declared gb2312", "text/html; charset=gb2312", c.body},
		} {
			if got := Find(as.body, as.contentType, "").Charset; !readsLike(c.body, got, c.charset) {
				wrong[as.what]++
				t.Logf("%s, %s: read as %s", c.name, as.what, got)
			}
		}
	}
	t.Logf("of %d wrong: %v", len(cases), wrong)
	for what, n := range wrong {
		most := 3 // in a hundred
		if strings.HasPrefix(what, "declared") {
			most = 6
		}
		if n*100 > most*len(cases) {
			t.Errorf("%s: %d of %d are read in a wrong charset, want %d %%", what, n, len(cases), most)
		}
	}
}

// alphabets are the charsets that texts of one alphabet come in.
var alphabets = [][]string{
	{"windows-1251", "koi8-r", "iso-8859-5", "ibm866", "x-mac-cyrillic", "ibm855"},
	{"windows-1252", "macintosh", "ibm850", "iso-8859-15"},
	{"windows-1250", "iso-8859-2", "ibm852"},
	{"windows-1254"},
	{"windows-1253", "iso-8859-7"},
	{"windows-1255", "iso-8859-8"},
	{"windows-1256", "iso-8859-6"},
	{"windows-874"},
	{charsetGB18030, "big5"},
	{"shift_jis", "euc-jp"},
	{"euc-kr"},
}

// TestShortCharsets cuts the texts of real pages and feeds short and writes them in
// every charset of their alphabet. All texts were looked at while the costs were
// chosen, so the figures say nothing of other texts. Each half must do.
func TestShortCharsets(t *testing.T) {
	type score struct{ wrong, all int }
	scores := map[int]*[2]score{}
	sizes := []int{100, 200, 500, 2000}
	for _, size := range sizes {
		scores[size] = new([2]score)
	}
	for _, c := range realCases(t) {
		half := fnv.New32()
		half.Write([]byte(c.name))
		text := string(regexp.MustCompile(`<[^>]*>|\s+`).ReplaceAll(ToUTF8(c.body, c.charset), []byte(" ")))
		from := strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
		if from < 0 {
			continue
		}
		text = text[max(0, from-20):]
		for _, list := range alphabets {
			if !strings.Contains(" "+strings.Join(list, " ")+" ", " "+c.charset+" ") {
				continue
			}
			for _, charset := range list {
				whole := inCharset(text[:min(len(text), 8000)], charset)
				for _, size := range sizes {
					body := whole[:min(len(whole), size)]
					if c.charset != charset && bytes.Count(body, []byte("?")) > size/50 {
						continue // the charset does not have the text
					}
					s := &scores[size][half.Sum32()>>3&1]
					s.all++
					if got := Find(body, "", "").Charset; !readsLike(body, got, charset) {
						s.wrong++
					}
				}
			}
		}
	}
	for _, size := range sizes {
		t.Logf("%d bytes: of the one half %d of %d wrong, of the other %d of %d", size,
			scores[size][0].wrong, scores[size][0].all, scores[size][1].wrong, scores[size][1].all)
		for _, s := range scores[size] {
			if size >= 500 && s.wrong*50 > s.all {
				t.Errorf("%d bytes: %d of %d are read in a wrong charset, want 2 %%", size, s.wrong, s.all)
			}
		}
	}
}

// inCharset writes text in a charset, with ? for the characters that it does not have.
func inCharset(text, charset string) []byte {
	var out []byte
	if table := singleByte(charset); table != nil {
		for _, r := range text {
			b, ok := table.EncodeRune(r)
			if !ok {
				b = '?'
			}
			out = append(out, b)
		}
		return out
	}
	e, err := htmlindex.Get(charset)
	if err != nil {
		panic(err)
	}
	enc := e.NewEncoder()
	for _, r := range text {
		b, err := enc.Bytes([]byte(string(r)))
		if err != nil {
			b = []byte("?")
		}
		out = append(out, b...)
	}
	return out
}

// Texts of which each is given in several charsets, without a declaration.
var ownTexts = []struct {
	text     string
	charsets []string
}{
	{"Сегодня в городе открылась новая школа, в которой будут учиться триста детей из соседних деревень.",
		[]string{"windows-1251", "koi8-r", "iso-8859-5", "ibm866", "x-mac-cyrillic", "ibm855"}},
	{"Сьогодні в місті відкрилася нова школа, у якій навчатимуться діти з їхніх сіл.", []string{"windows-1251", "koi8-u"}},
	{"Σήμερα άνοιξε στην πόλη ένα νέο σχολείο, στο οποίο θα φοιτήσουν τριακόσια παιδιά.", []string{"windows-1253", "iso-8859-7"}},
	{"היום נפתח בעיר בית ספר חדש, שבו ילמדו שלוש מאות ילדים מהכפרים השכנים.", []string{"windows-1255", "iso-8859-8"}},
	{"افتتحت اليوم في المدينة مدرسة جديدة سيدرس فيها ثلاثمئة طفل من القرى المجاورة.", []string{"windows-1256", "iso-8859-6"}},
	{"Bugün şehirde yeni bir okul açıldı; komşu köylerden üç yüz çocuk burada öğrenim görecek.", []string{"windows-1254"}},
	{"Dnes byla ve městě otevřena nová škola, ve které se bude učit tři sta dětí z okolních vesnic.", []string{"windows-1250", "iso-8859-2", "ibm852"}},
	{"Dziś w mieście otwarto nową szkołę, w której będzie się uczyć trzysta dzieci z sąsiednich wsi.", []string{"windows-1250", "iso-8859-2", "ibm852"}},
	{"Ma új iskola nyílt a városban, ahol háromszáz gyermek tanul majd a környező falvakból; örülünk az ünnepségnek.", []string{"windows-1250", "iso-8859-2"}},
	{"Šiandien mieste atidaryta nauja mokykla, kurioje mokysis trys šimtai vaikų iš gretimų kaimų.", []string{"windows-1257", "iso-8859-13"}},
	{"Aujourd'hui, une école a été ouverte à la ville : trois cents élèves y étudieront dès la rentrée.", []string{"windows-1252", "macintosh", "ibm850"}},
	{"Heute wurde in der Stadt eine neue Schule eröffnet; dreihundert Schüler aus den Dörfern dürfen sie besuchen. Größe zählt.", []string{"windows-1252", "macintosh"}},
	{"วันนี้มีการเปิดโรงเรียนแห่งใหม่ในเมือง ซึ่งมีเด็กสามร้อยคนจากหมู่บ้านใกล้เคียงมาเรียน", []string{"windows-874"}},
	{"今天城里开办了一所新学校，附近村庄的三百名儿童将在那里上学。", []string{charsetGB18030}},
	{"今天城裡開辦了一所新學校，附近村莊的三百名兒童將在那裡上學。", []string{"big5"}},
	{"今日、町に新しい学校が開校し、近くの村の三百人の子どもたちが通うことになった。", []string{"shift_jis", "euc-jp"}},
	{"오늘 도시에 새 학교가 문을 열어 이웃 마을의 어린이 삼백 명이 다니게 된다.", []string{"euc-kr"}},
}

// TestDetect reads texts of one sentence that nobody declared, and texts that were
// declared to be in another charset than they are.
func TestDetect(t *testing.T) {
	for _, o := range ownTexts {
		for _, charset := range o.charsets {
			body := inCharset("<html><title>x</title><p>"+o.text+"</p></html>", charset)
			for _, declared := range []string{"", "iso-8859-1", "windows-1251", "utf-8", "gb2312", "shift_jis"} {
				f := Find(body, "text/html; charset="+declared, "")
				if !readsLike(body, f.Charset, charset) && (declared == "" || charset != "x-mac-cyrillic" && charset != "macintosh") { // they have most letters where others have theirs
					t.Errorf("%.30s in %s, declared %q: read as %s", o.text, charset, declared, f.Charset)
				}
				if f.Declared != declared {
					t.Errorf("declared %q, want %q", f.Declared, declared)
				}
			}
		}
	}
}

// TestSources says how each charset was found.
func TestSources(t *testing.T) {
	russian := inCharset("<p>Сегодня в городе открылась новая школа", "windows-1251")
	for _, tt := range []struct {
		body, contentType, usual string
		charset, source          string
	}{
		{"\ufeff<p>", "", "", "utf-8", SourceBOM},
		{"\xff\xfe\x00\x00<\x00\x00\x00", "", "", "utf-32le", SourceBOM},
		{"<\x00p\x00>\x00", "", "", "utf-16le", SourceDetected},
		{"\x00<\x00p\x00>", "text/html; charset=utf-16be", "", "utf-16be", SourceHeader},
		{"<p>", "", "", "utf-8", SourceDefault},
		{"<p>", "text/html; charset=gb2312", "", "gb18030", SourceHeader},
		{"<meta charset=big5>", "", "", "big5", SourceMeta},
		{"<?xml version='1.0' encoding='koi8-r'?>", "", "", "koi8-r", SourceXML},
		{string(russian), "", "", "windows-1251", SourceDetected},
		{string(russian), "text/html; charset=windows-1251", "", "windows-1251", SourceHeader},
		{"<meta charset=windows-1251>" + string(russian), "text/html; charset=utf-8", "", "windows-1251", SourceMeta},
		{string(russian), "text/html; charset=big5", "", "windows-1251", SourceDetected},
		{"caf\xe9", "", "", "windows-1252", SourceDetected},
		{"\xd1\xcd\xc3", "", "windows-1251", "windows-1251", SourceHost},
		{"\xd1\xcd\xc3", "", "no such", "windows-1251", SourceDetected},
		{string(russian), "", "iso-8859-7", "windows-1251", SourceDetected},
	} {
		f := Find([]byte(tt.body), tt.contentType, tt.usual)
		if f.Charset != tt.charset || f.Source != tt.source {
			t.Errorf("%.40q, %q, usually %q: %s from %s, want %s from %s", tt.body, tt.contentType, tt.usual, f.Charset, f.Source, tt.charset, tt.source)
		}
	}
}

// TestUnmarkedUTF16 finds UTF-16 without a mark in texts that have zero bytes in their line
// breaks only, and in no other body that has a zero byte.
func TestUnmarkedUTF16(t *testing.T) {
	wide := func(s string, order binary.AppendByteOrder) string {
		var b []byte
		for _, u := range utf16.Encode([]rune(s)) {
			b = order.AppendUint16(b, u)
		}
		return string(b)
	}
	const chinese = "图书馆年度报告\n图书馆藏书二十万册，读者每天借阅。阅览室从早上九点开放到晚上八点，周末照常开放。\n"
	const japanese = "図書館は朝九時から夜八時まで開いています。\nどなたでもご利用いただけます。\n"
	gbk, big5 := string(inCharset(chinese, "gb18030")), string(inCharset("圖書館年度報告，讀者每天借閱。閱覽室從早上九點開放到晚上八點。", "big5"))
	for _, text := range []string{chinese, japanese, strings.Repeat(chinese, 50)} {
		for name, order := range map[string]binary.AppendByteOrder{"utf-16le": binary.LittleEndian, "utf-16be": binary.BigEndian} {
			if f := Find([]byte(wide(text, order)), "text/plain", ""); f.Charset != name || f.Source != SourceDetected {
				t.Errorf("%.30s in %s: %s from %s", text, name, f.Charset, f.Source)
			}
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	others := map[string]func() string{
		"GBK":      func() string { return "<p>" + gbk + "</p>" },
		"bare GBK": func() string { return gbk },
		"Big5":     func() string { return big5 },
		"UTF-8":    func() string { return chinese },
		"ASCII":    func() string { return strings.Repeat("cGxlYXNlcmVhZHRoaXNhc2Jhc2U2NHRleHQ", 4) },
		"random": func() string {
			b := make([]byte, 200)
			for i := range b {
				b[i] = byte(1 + random.IntN(255))
			}
			return string(b)
		},
	}
	for name, other := range others {
		for n := range 1000 {
			b := []byte(other())
			b[random.IntN(len(b)/2)*2+n%2] = 0
			if f := Find(b, "text/plain", ""); strings.HasPrefix(f.Charset, "utf-16") {
				t.Fatalf("%s with a zero byte: %s\n%q", name, f.Charset, b)
			}
		}
	}
}

// TestEscapedCharsets reads the charsets of seven bits.
func TestEscapedCharsets(t *testing.T) {
	for _, tt := range []struct{ body, charset, text string }{
		{"\x1b$)C<p>\x0e1b9.\x0f a</p>\n", charset2022KR, "<p>기문 a</p>\n"},
		{"\x1b$)A<p>\x0e11>)\x0f a</p>\n", charset2022CN, "<p>北京 a</p>\n"},
		{"<p>~{11>)~} a</p>\n", charsetHZ, "<p>北京 a</p>\n"},
		{"<p>\x1b$BKL5~\x1b(B a</p>\n", charset2022JP, "<p>北京 a</p>\n"},
	} {
		got := Find([]byte(tt.body), "", "").Charset
		if text := string(ToUTF8([]byte(tt.body), got)); got != tt.charset || text != tt.text {
			t.Errorf("%q is %q in %s, want %q in %s", tt.body, text, got, tt.text, tt.charset)
		}
	}
}

// TestDetectIsBounded shows that a body of any size and content is told in a time
// that depends on its length alone, and the same way each time.
func TestDetectIsBounded(t *testing.T) {
	body := bytes.Repeat([]byte("\xa4\xb3\xe5\x80 \xff"), 1<<18)
	first := Find(body, "", "")
	for range 3 {
		if f := Find(body, "", ""); f != first {
			t.Fatalf("%v, then %v", first, f)
		}
	}
	if got := appendTelling(nil, body, sampleBytes); len(got) > sampleBytes+8 {
		t.Errorf("%d bytes are looked at, want at most %d", len(got), sampleBytes)
	}
}
