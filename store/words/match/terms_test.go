package match

import (
	"slices"
	"strings"
	"testing"
)

// list returns the terms of a text, separated by blanks. "+" stands before a term that
// is joined to the one before.
func list(text string) string {
	var out []string
	var t Terms
	for t.Read(text); t.Next(); {
		s := string(t.Term())
		if t.Joined {
			s = "+" + s
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

func TestTerms(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"  ,;", ""},
		{"Apache Kafka", "apache kafka"},
		{"v2.1 and kafka.apache.org", "v2 1 and kafka apache org"},
		{"log.retention.hours", "log retention hours"},
		{"snake_case, kebab-case", "snake case kebab case"},
		{"can't CAN’T rock 'n' roll '90s l'été", "cant cant rock n roll 90s lete"},
		{"5'10 o'", "5 10 o"},
		{"Müller MÜLLER Mu\u0308ller Straße", "muller muller muller strasse"},
		{"İstanbul ISPARTA ısı Iğdır", "istanbul isparta isi igdir"},
		{"Ёлка ёлка й и\u0306", "елка елка й й"},
		{"Ἀθῆναι ΑΘΗΝΑ Όσος", "αθηναι αθηνα οσοσ"},
		{"co\u00adop\u200beration", "cooperation"},
		{"שָׁלוֹם", "שלום"},
		{"مُحَمَّد", "محمد"},
		{"ﬁne Ⅷ ½ x²", "fine viii 1 2 x2"},
		{"Ｋａｆｋａ　１２３", "kafka 123"},
		{"北京大学", "北 +京 +大 +学"},
		{"北 京\n大学", "北 +京 +大 +学"},
		{"北京，大学", "北 +京 大 +学"},
		{"傳統漢字乾燥", "传 +统 +汉 +字 +干 +燥"},
		{"使用kafka集群", "使 +用 kafka 集 +群"},
		{"が か\u3099 ガ ｶﾞ", "が +が +ガ +ガ"},
		{"カード 々", "カ +ー +ド +々"},
		{"한국어 한국", "한 +국 +어 한 +국"},
		{"\u1112\u1161\u11ab", "한"},
		{"ภาษาไทย", "ภ +า +ษ +า +ไ +ท +ย"},
		{"葛\U000e0100飾", "葛 +饰"},
		{"a\xffb", "a b"},
		{"हिन्दी", "हिन्दी"},
		{"東京 Tokyo 東京", "东 +京 tokyo 东 +京"},
		{"中 a", "中 a"},
		{"中 ，国", "中 国"},
	} {
		if got := list(c.text); got != c.want {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
	}
}

// TestTermPlaces holds that the place of each term is the piece of the text that it is
// made from.
func TestTermPlaces(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"A can't, Mu\u0308ller!", []string{"A", "can't", "Mu\u0308ller"}},
		{"'tis Straße’", []string{"tis", "Straße"}},
		{"a北 京か\u3099", []string{"a", "北", "京", "か\u3099"}},
		{"x½y", []string{"x½", "½y"}},
		{"co\u00adop\u00ad er", []string{"co\u00adop", "er"}},
		{"葛\U000e0100飾", []string{"葛", "飾"}},
	} {
		var got []string
		var x Terms
		for x.Read(c.text); x.Next(); {
			got = append(got, c.text[x.From:x.To])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+q: %+q, want %+q", c.text, got, c.want)
		}
	}
}

// FuzzTerms holds that places are in order and within the text, and that terms do not
// depend on how a text is normalized.
func FuzzTerms(f *testing.F) {
	f.Add("Mu\u0308ller can't 北 京 ｶﾞ")
	f.Add("\u1112\u1161\u11ab '\u0301a")
	f.Fuzz(func(t *testing.T, text string) {
		var x Terms
		end := 0
		for x.Read(text); x.Next(); {
			if x.From < 0 || x.To <= x.From || x.To > len(text) || x.To < end || len(x.Term()) == 0 {
				t.Fatalf("%q: term %q at %d to %d, after %d", text, x.Term(), x.From, x.To, end)
			}
			end = x.To
		}
	})
}

func BenchmarkTerms(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"english", strings.Repeat("The brokers keep log.retention.hours of records, and can't lose a partition. ", 1000)},
		{"german", strings.Repeat("Über die Größe der Straßen in München wird seit Jahren ausführlich gestritten. ", 1000)},
		{"chinese", strings.Repeat("北京大学二〇〇八届毕业典礼，于七月二日上午在体育馆隆重举行。", 1000)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			var t Terms
			for range b.N {
				for t.Read(c.text); t.Next(); {
				}
			}
		})
	}
}
