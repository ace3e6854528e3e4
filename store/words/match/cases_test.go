package match

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

// languages has texts of ten languages, and which of them questions match: all that match,
// in their order, with [ and ] around each place that was found.
var languages = []struct {
	name  string
	texts []string
	asked []asked
}{
	{"simplified Chinese", []string{
		"北京大学二〇〇八届毕业典礼隆\n重举行",
		"在北 京\u3000大学里",
		"北京，大学",
		"他从南京大学毕业",
		"使用kafka集群，版本２.１",
		"葛\U000e0100亮、赵州桥",
		"他说：“头发干了”",
	}, []asked{
		{"北京大学", []string{"[北京大学]二〇〇八届毕业典礼隆\n重举行", "在[北 京\u3000大学]里"}},
		{"北京 大学", []string{"[北京][大学]二〇〇八届毕业典礼隆\n重举行", "在[北 京]\u3000[大学]里", "[北京]，[大学]"}},
		{`"北京 大学"`, []string{"[北京大学]二〇〇八届毕业典礼隆\n重举行", "在[北 京\u3000大学]里"}},
		{`"北京，大学"`, []string{"[北京大学]二〇〇八届毕业典礼隆\n重举行", "在[北 京\u3000大学]里", "[北京，大学]"}},
		{"京大", []string{"北[京大]学二〇〇八届毕业典礼隆\n重举行", "在北 [京\u3000大]学里", "他从南[京大]学毕业"}},
		{"隆重", []string{"北京大学二〇〇八届毕业典礼[隆\n重]举行"}},
		{"行", []string{"北京大学二〇〇八届毕业典礼隆\n重举[行]"}},
		{"举行", []string{"北京大学二〇〇八届毕业典礼隆\n重[举行]"}},
		{"学", []string{"北京大[学]二〇〇八届毕业典礼隆\n重举行", "在北 京\u3000大[学]里", "北京，大[学]", "他从南京大[学]毕业"}},
		{"二〇〇八", []string{"北京大学[二〇〇八]届毕业典礼隆\n重举行"}},
		{"Kafka集群", []string{"使用[kafka集群]，版本２.１"}},
		{"2.1", []string{"使用kafka集群，版本[２.１]"}},
		{"葛亮", []string{"[葛\U000e0100亮]、赵州桥"}},
		{"頭髮乾", []string{"他说：“[头发干]了”"}},
		{"桥*", []string{"葛\U000e0100亮、赵州[桥]"}},
		{"毕业 -北京", []string{"他从南京大学[毕业]"}},
		{"NEAR(他 毕业, 5)", []string{"[他]从南京大学[毕业]"}},
		{"NEAR(他 毕业, 4)", nil},
	}},
	{"traditional Chinese", []string{
		"臺灣大學學習傳統漢字",
		"頭髮、發展、幹部、乾燥、干涉",
		"台湾大学",
		"這裡的裏面",
	}, []asked{
		{"大学", []string{"臺灣[大學]學習傳統漢字", "台湾[大学]"}},
		{"台灣", []string{"[臺灣]大學學習傳統漢字", "[台湾]大学"}},
		{"学学", []string{"臺灣大[學學]習傳統漢字"}},
		{"字", []string{"臺灣大學學習傳統漢[字]"}},
		{"发", []string{"頭[髮]、[發]展、幹部、乾燥、干涉"}},
		{"干", []string{"頭髮、發展、[幹]部、[乾]燥、[干]涉"}},
		{"里", []string{"這[裡]的[裏]面"}},
		{`="發展"`, []string{"頭髮、[發展]、幹部、乾燥、干涉"}},
		{`="发展"`, nil},
	}},
	{"Japanese", []string{
		"日本語が好き",
		"日本語か\u3099 好\nき",
		"ｶﾞｲﾄﾞ・カード",
		"か だ",
		"時々、データ",
	}, []asked{
		{"が", []string{"日本語[が]好き", "日本語[か\u3099] 好\nき"}},
		{"か", []string{"[か] だ"}},
		{"か\u3099", []string{"日本語[が]好き", "日本語[か\u3099] 好\nき"}},
		{"語が好き", []string{"日本[語が好き]", "日本[語か\u3099 好\nき]"}},
		{"き", []string{"日本語が好[き]", "日本語か\u3099 好\n[き]"}},
		{"ガイド", []string{"[ｶﾞｲﾄﾞ]・カード"}},
		{"ガイドカード", nil},
		{"ド", []string{"ｶﾞｲ[ﾄﾞ]・カー[ド]"}},
		{"カード", []string{"ｶﾞｲﾄﾞ・[カード]"}},
		{"カド", nil},
		{"時々", []string{"[時々]、データ"}},
		{"データ", []string{"時々、[データ]"}},
		{"ヘ", nil},
	}},
	{"Korean", []string{
		"한국어를 공부한다",
		"한국 어",
		"\u1112\u1161\u11ab국 사람",
		"하나",
	}, []asked{
		{"한국어", []string{"[한국어]를 공부한다"}},
		{"한국", []string{"[한국]어를 공부한다", "[한국] 어", "[\u1112\u1161\u11ab국] 사람"}},
		{"국어", []string{"한[국어]를 공부한다"}},
		{"다", []string{"한국어를 공부한[다]"}},
		{`"한국 어"`, []string{"[한국어]를 공부한다", "[한국 어]"}},
		{"하", []string{"[하]나"}},
		{"\u1112\u1161", []string{"[하]나"}},
	}},
	{"Thai", []string{
		"ภาษาไทยง่าย",
		"ไทย ง่าย",
		"ประเทศไท\u200bย",
	}, []asked{
		{"ไทย", []string{"ภาษา[ไทย]ง่าย", "[ไทย] ง่าย", "ประเทศ[ไท\u200bย]"}},
		{"ไทยง่าย", []string{"ภาษา[ไทยง่าย]"}},
		{`"ไทย ง่าย"`, []string{"ภาษา[ไทยง่าย]", "[ไทย ง่าย]"}},
		{"งาย", nil},
		{"ย", []string{"ภาษาไท[ย]ง่า[ย]", "ไท[ย] ง่า[ย]", "ประเทศไท\u200b[ย]"}},
	}},
	{"Arabic", []string{
		"مُحَمَّد رسول",
		"محمد، سلام",
		"مح\u0640\u0640مد",
		"أحمد ١٢٣",
		"ﻣﺤﻤﺪ",
	}, []asked{
		{"محمد", []string{"[مُحَمَّد] رسول", "[محمد]، سلام", "[مح\u0640\u0640مد]", "[ﻣﺤﻤﺪ]"}},
		{"مُحَمَّد", []string{"[مُحَمَّد] رسول", "[محمد]، سلام", "[مح\u0640\u0640مد]", "[ﻣﺤﻤﺪ]"}},
		{"مح*", []string{"[مُحَمَّد] رسول", "[محمد]، سلام", "[مح\u0640\u0640مد]", "[ﻣﺤﻤﺪ]"}},
		{"احمد", nil},
		{"أحمد", []string{"[أحمد] ١٢٣"}},
		{"ا\u0654حمد", []string{"[أحمد] ١٢٣"}},
		{"١٢٣", []string{"أحمد [١٢٣]"}},
	}},
	{"Hebrew", []string{
		"שָׁלוֹם עֲלֵיכֶם",
		"שלום, חבר",
		"\ufb2aלום",
		`צה"ל`,
		"ירושלים־תל",
	}, []asked{
		{"שלום", []string{"[שָׁלוֹם] עֲלֵיכֶם", "[שלום], חבר", "[\ufb2aלום]"}},
		{"שָׁלוֹם", []string{"[שָׁלוֹם] עֲלֵיכֶם", "[שלום], חבר", "[\ufb2aלום]"}},
		{`"שלום עליכם"`, []string{"[שָׁלוֹם עֲלֵיכֶם]"}},
		{"צה״ל", []string{`[צה"ל]`}},
		{"תל", []string{"ירושלים־[תל]"}},
	}},
	{"Russian", []string{
		"Ёлка зелёная",
		"ЕЛКА ЗЕЛЕНАЯ",
		"мой край",
		"мои\u0306 краи",
		"объе\u0301кт",
		"м'ята, мʼята, м’ята",
	}, []asked{
		{"елка", []string{"[Ёлка] зелёная", "[ЕЛКА] ЗЕЛЕНАЯ"}},
		{"ёлка", []string{"[Ёлка] зелёная", "[ЕЛКА] ЗЕЛЕНАЯ"}},
		{"е\u0308лка", []string{"[Ёлка] зелёная", "[ЕЛКА] ЗЕЛЕНАЯ"}},
		{`="Ёлка"`, []string{"[Ёлка] зелёная"}},
		{"мой", []string{"[мой] край", "[мои\u0306] краи"}},
		{"мои", nil},
		{"краи", []string{"мои\u0306 [краи]"}},
		{"зелен*", []string{"Ёлка [зелёная]", "ЕЛКА [ЗЕЛЕНАЯ]"}},
		{"мята", []string{"[м'ята], [мʼята], [м’ята]"}},
		{"объе\u0301кт", []string{"[объе\u0301кт]"}},
	}},
	{"German", []string{
		"Herr Müller, Straße 5",
		"HERR MULLER, STRASSE 5",
		"Mu\u0308ller-Straße",
		"Mueller",
		"Dampf\u00adschiff\u00adfahrt",
		"STRAẞE",
	}, []asked{
		{"müller", []string{"Herr [Müller], Straße 5", "HERR [MULLER], STRASSE 5", "[Mu\u0308ller]-Straße"}},
		{"Muller", []string{"Herr [Müller], Straße 5", "HERR [MULLER], STRASSE 5", "[Mu\u0308ller]-Straße"}},
		{`"Müller"`, []string{"Herr [Müller], Straße 5", "HERR [MULLER], STRASSE 5", "[Mu\u0308ller]-Straße"}},
		{`="Müller"`, []string{"Herr [Müller], Straße 5", "[Mu\u0308ller]-Straße"}},
		{`="Muller"`, nil},
		{"strasse", []string{"Herr Müller, [Straße] 5", "HERR MULLER, [STRASSE] 5", "Mu\u0308ller-[Straße]", "[STRAẞE]"}},
		{"Müller-Straße", []string{"Herr [Müller, Straße] 5", "HERR [MULLER, STRASSE] 5", "[Mu\u0308ller-Straße]"}},
		{"dampfschifffahrt", []string{"[Dampf\u00adschiff\u00adfahrt]"}},
		{"dampf*", []string{"[Dampf\u00adschiff\u00adfahrt]"}},
		{"dampf", nil},
		{"Dampf\u00adschiff\u00adfahrt", []string{"[Dampf\u00adschiff\u00adfahrt]"}},
	}},
	{"Turkish", []string{
		"İstanbul'da ısı",
		"istanbul ve ISPARTA",
		"I\u0307stanbul ışık",
		"Çağrı şehir",
	}, []asked{
		{"istanbul", []string{"[istanbul] ve ISPARTA", "[I\u0307stanbul] ışık"}},
		{"istanbul*", []string{"[İstanbul'da] ısı", "[istanbul] ve ISPARTA", "[I\u0307stanbul] ışık"}},
		{"İSTANBUL", []string{"[istanbul] ve ISPARTA", "[I\u0307stanbul] ışık"}},
		{"isi", []string{"İstanbul'da [ısı]"}},
		{"ısparta", []string{"istanbul ve [ISPARTA]"}},
		{"isparta", []string{"istanbul ve [ISPARTA]"}},
		{"isik", []string{"I\u0307stanbul [ışık]"}},
		{"cagri sehir", []string{"[Çağrı] [şehir]"}},
	}},
	{"English", []string{
		"Version v2.1 of log.retention.hours can't wait",
		"cant: V2-1, log_retention hours",
		"“Can’t” v21",
		"co\u00adop\u200beration rock 'n' roll ’90s",
		"Apache Kafka’s naïve ﬁne ＫＡＦＫＡ",
		"See kafka.apache.org: POL-358, C++ a/b @x #tag 50%",
		"tiered\n  storage; the tiered\tstores",
		"x\xffy \xe4",
	}, []asked{
		{"v2.1", []string{"Version [v2.1] of log.retention.hours can't wait", "cant: [V2-1], log_retention hours"}},
		{"v21", []string{"“Can’t” [v21]"}},
		{"log.retention.hours", []string{"Version v2.1 of [log.retention.hours] can't wait", "cant: V2-1, [log_retention hours]"}},
		{"retention", []string{"Version v2.1 of log.[retention].hours can't wait", "cant: V2-1, log_[retention] hours"}},
		{"can't", []string{"Version v2.1 of log.retention.hours [can't] wait", "[cant]: V2-1, log_retention hours", "“[Can’t]” v21"}},
		{"can’t", []string{"Version v2.1 of log.retention.hours [can't] wait", "[cant]: V2-1, log_retention hours", "“[Can’t]” v21"}},
		{"CANT", []string{"Version v2.1 of log.retention.hours [can't] wait", "[cant]: V2-1, log_retention hours", "“[Can’t]” v21"}},
		{"can", nil},
		{"cooperation", []string{"[co\u00adop\u200beration] rock 'n' roll ’90s"}},
		{"rock'n'roll", nil},
		{`"rock n roll"`, []string{"co\u00adop\u200beration [rock 'n' roll] ’90s"}},
		{"90s", []string{"co\u00adop\u200beration rock 'n' roll ’[90s]"}},
		{"kafkas", []string{"Apache [Kafka’s] naïve ﬁne ＫＡＦＫＡ"}},
		{"kafka", []string{"Apache Kafka’s naïve ﬁne [ＫＡＦＫＡ]", "See [kafka].apache.org: POL-358, C++ a/b @x #tag 50%"}},
		{"naive fine", []string{"Apache Kafka’s [naïve] [ﬁne] ＫＡＦＫＡ"}},
		{"POL-358", []string{"See kafka.apache.org: [POL-358], C++ a/b @x #tag 50%"}},
		{"C++", []string{"See kafka.apache.org: POL-358, [C]++ a/b @x #tag 50%"}},
		{"a/b", []string{"See kafka.apache.org: POL-358, C++ [a/b] @x #tag 50%"}},
		{"#x @tag 50%", []string{"See kafka.apache.org: POL-358, C++ a/b @[x] #[tag] [50]%"}},
		{`"tiered storage"`, []string{"[tiered\n  storage]; the tiered\tstores"}},
		{`"tiered stor"*`, []string{"[tiered\n  storage]; the [tiered\tstores]"}},
		{`="tiered stores"`, []string{"tiered\n  storage; the [tiered\tstores]"}},
		{"y", []string{"x\xff[y] \xe4"}},
	}},
}

// asked is a question and the texts that it matches, with their places.
type asked struct {
	question string
	want     []string
}

// bracketed returns the text with [ and ] around places.
func bracketed(text string, places []Place) string {
	var out strings.Builder
	at := 0
	for _, p := range places {
		fmt.Fprintf(&out, "%s[%s]", text[at:p.From], text[p.From:p.To])
		at = p.To
	}
	return out.String() + text[at:]
}

// TestCases holds which texts of ten languages questions match, and where. The answer
// from parts must be the same.
func TestCases(t *testing.T) {
	for _, c := range languages {
		for _, a := range c.asked {
			q, err := Parse(a.question)
			if err != nil {
				t.Errorf("%s: %s: %v", c.name, a.question, err)
				continue
			}
			var got []string
			for _, text := range c.texts {
				places := q.Places(nil, text)
				matches := q.Matches(text)
				if matches {
					got = append(got, bracketed(text, places))
				}
				whole := q.Whole()
				whole.Add(q.Part(text))
				if (whole.Answer() == Yes) != matches {
					t.Errorf("%s: %s in %+q: %v, but from parts %d", c.name, a.question, text, matches, whole.Answer())
				}
			}
			if !slices.Equal(got, a.want) {
				t.Errorf("%s: %s:\n got %+q\nwant %+q", c.name, a.question, got, a.want)
			}
		}
	}
}

// textOf draws a text of many scripts, and of what stands between words.
func textOf(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.OneOf(
		rapid.SampledFrom(pieces.words), rapid.SampledFrom(pieces.between),
		rapid.SampledFrom([]string{"\xff", "\u0344", "\u1ffb", "ŉ", "ﬃ", "\u0958", "가", "\U0001d15e"}), rapid.StringN(0, 3, -1),
	), 0, 12).Draw(t, "text"), "")
}

// TestTermsKnowTheirPlace holds for texts of many scripts that the places of terms are in
// order and between whole letters, and that the piece of the text at the place of a term,
// folded again, has this term.
func TestTermsKnowTheirPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := textOf(t)
		var x, y Terms
		from, to := 0, 0
		for x.Read(text); x.Next(); {
			// A letter such as ½, which is 1⁄2, is the end of a term and the start of the next.
			shared := x.From < to && utf8.RuneCountInString(norm.NFKC.String(text[x.From:to])) > 1
			if x.From < from || x.From < to && !shared || x.To <= x.From || x.To < to || x.To > len(text) {
				t.Fatalf("%+q: %q is at %d to %d, after %d to %d", text, x.Term(), x.From, x.To, from, to)
			}
			from, to = x.From, x.To
			if utf8.ValidString(text) && !utf8.ValidString(text[:x.From]+"|"+text[x.From:x.To]+"|") {
				t.Fatalf("%+q: %q is at %+q", text, x.Term(), text[x.From:x.To])
			}
			has := false
			for y.Read(text[x.From:x.To]); y.Next(); {
				has = has || string(y.Term()) == string(x.Term())
			}
			if !has {
				t.Fatalf("%+q: %q is at %+q, which is %q", text, x.Term(), text[x.From:x.To], list(text[x.From:x.To]))
			}
		}
	})
}

// TestPlacesOfQuestion holds that the places of a question are in order, do not overlap
// and stand between whole letters, and that each matches an atom of the question.
func TestPlacesOfQuestion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.ToValidUTF8(textOf(t), "")
		var x Terms
		var terms []string
		for x.Read(text); x.Next(); {
			terms = append(terms, string(x.Term()))
		}
		if len(terms) == 0 {
			return
		}
		at := rapid.IntRange(0, len(terms)-1).Draw(t, "at")
		question := `"` + strings.Join(terms[at:min(len(terms), at+rapid.IntRange(1, 3).Draw(t, "n"))], " ") + `" OR ` + rapid.SampledFrom(terms).Draw(t, "or")
		q, err := Parse(question)
		if err != nil {
			t.Fatalf("%s: %v", question, err)
		}
		places := q.Places(nil, text)
		if len(places) == 0 || !q.Matches(text) {
			t.Fatalf("%s is not found in %+q", question, text)
		}
		to := 0
		for _, p := range places {
			if p.From < to || p.To <= p.From || p.To > len(text) || !utf8.ValidString(text[:p.From]) || !utf8.ValidString(text[p.From:p.To]) {
				t.Fatalf("%s in %+q: places %v", question, text, places)
			}
			to = p.To
			if !q.Matches(text[p.From:p.To]) {
				t.Fatalf("%s in %+q: not in %+q", question, text, text[p.From:p.To])
			}
		}
	})
}
