package match

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// someSynonyms is a list of synonyms of several scripts.
const someSynonyms = `# computers
kafka, Apache Kafka, 卡夫卡
broker server 服务器

北京大学，北大、Peking University
大学, university
machine learning, ML
learning, 学习
new york, NYC
new, fresh
`

func readSynonyms(t interface{ Fatal(...any) }, text string) *Synonyms {
	s, err := ReadSynonyms(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// writtenOut has questions, and the same questions with the synonyms written out.
var writtenOut = [][2]string{
	{"kafka", `kafka OR "apache kafka" OR 卡夫卡`},
	{"KAFKA", `kafka OR "apache kafka" OR 卡夫卡`},
	{"apache kafka", `(apache kafka) OR kafka OR 卡夫卡`},
	{"apache AND kafka", `apache (kafka OR "apache kafka" OR 卡夫卡)`},
	{`"apache kafka"`, `"apache kafka" OR kafka OR 卡夫卡`},
	{"kafka*", "kafka*"},
	{`="kafka"`, `="kafka"`},
	{"~kafka", "~kafka"},
	{"~kafka broker", "~kafka (broker OR server OR 服务器)"},
	{"-kafka broker", `-(kafka OR "apache kafka" OR 卡夫卡) (broker OR server OR 服务器)`},
	{"broker -apache kafka", `(broker OR server OR 服务器) -apache (kafka OR "apache kafka" OR 卡夫卡)`},
	{"kafka OR pulsar", `kafka OR "apache kafka" OR 卡夫卡 OR pulsar`},
	{"kafka broker", `(kafka OR "apache kafka" OR 卡夫卡) (broker OR server OR 服务器)`},
	{`"kafka broker"`, `"kafka broker" OR "kafka server" OR "kafka 服务器" OR "apache kafka broker" OR "apache kafka server" OR "apache kafka 服务器" OR "卡夫卡 broker" OR "卡夫卡 server" OR "卡夫卡 服务器"`},
	{"北京大学", `北京大学 OR 北大 OR "peking university"`},
	{"北大校长", `北大校长 OR 北京大学校长 OR "peking university 校长"`},
	{"machine learning", `(machine learning) OR ml`},
	{"learning", "learning OR 学习"},
	{"deep learning", "deep (learning OR 学习)"},
	{"new york university", "((new york) OR nyc) (university OR 大学)"},
	{"new kafka*", "(new OR fresh) kafka*"},
	{"new york*", "(new OR fresh) york*"},
	{"NEAR(kafka broker, 2)", `NEAR(kafka broker, 2) OR NEAR(kafka server, 2) OR NEAR(kafka 服务器, 2) OR NEAR("apache kafka" broker, 2) OR NEAR("apache kafka" server, 2) OR NEAR("apache kafka" 服务器, 2) OR NEAR(卡夫卡 broker, 2) OR NEAR(卡夫卡 server, 2) OR NEAR(卡夫卡 服务器, 2)`},
	{"NEAR(kafka, 2)", `kafka OR "apache kafka" OR 卡夫卡`},
	{"pulsar", "pulsar"},
}

// TestSynonyms holds that a question with synonyms matches the texts that the same question
// written out with OR matches, also when it is answered from parts.
func TestSynonyms(t *testing.T) {
	s := readSynonyms(t, someSynonyms)
	type pair struct{ short, long *Query }
	var pairs []pair
	for _, w := range writtenOut {
		short, err := s.Parse(w[0])
		if err != nil {
			t.Fatalf("%s: %v", w[0], err)
		}
		long, err := Parse(w[1])
		if err != nil {
			t.Fatalf("%s: %v", w[1], err)
		}
		pairs = append(pairs, pair{short, long})
	}
	words := strings.Fields("kafka Kafka apache 卡夫卡 broker brokers server 服务器 北京 大学 北大 校长 Peking university machine learning ML 学习 new york NYC fresh pulsar deep")
	matched := make([]int, len(pairs))
	check := func(t interface{ Fatalf(string, ...any) }, text string) {
		for i, p := range pairs {
			got, want := p.short.Matches(text), p.long.Matches(text)
			if got != want {
				t.Fatalf("%s in %q: %v; written out as %s: %v", p.short, text, got, p.long, want)
			}
			whole := p.short.Whole()
			whole.Add(p.short.Part(text))
			if (whole.Answer() == Yes) != want {
				t.Fatalf("%s in %q: from parts %d, want %v", p.short, text, whole.Answer(), want)
			}
			if want {
				matched[i]++
			}
		}
	}
	for _, text := range []string{
		"broker", "apache server", "Apache Kafka broker; 卡夫卡服务器; 北大校长; deep machine learning; new york university; fresh Kafkas; new yorker; pulsar",
	} {
		check(t, text) // at least one of them matches each question
	}
	for range 10 { // times the 100 checks of rapid
		rapid.Check(t, func(t *rapid.T) {
			check(t, strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 8).Draw(t, "words"), rapid.SampledFrom([]string{" ", "", ", "}).Draw(t, "between")))
		})
	}
	for i, n := range matched {
		if n == 0 {
			t.Errorf("no text matched %s", pairs[i].short)
		}
	}
}

// TestSynonymsAdded holds which words are said to be added.
func TestSynonymsAdded(t *testing.T) {
	s := readSynonyms(t, someSynonyms)
	for question, want := range map[string]string{
		"kafka":                `["apache kafka" 卡夫卡]`,
		"pulsar":               "[]",
		"apache kafka":         "[kafka 卡夫卡]",
		"kafka OR Kafka -北大校长": `["apache kafka" 卡夫卡 北京大学校长 "peking university 校长"]`,
	} {
		q, err := s.Parse(question)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(q.Added()); got != want {
			t.Errorf("%s: added %s, want %s", question, got, want)
		}
		if q.String() != question {
			t.Errorf("%s became %s", question, q)
		}
	}
	var none *Synonyms
	if q, err := none.Parse("kafka"); err != nil || q.Added() != nil || none.Len() != 0 {
		t.Errorf("without a list: added %v, error %v", q.Added(), err)
	}
}

// TestSynonymsBase holds which words of a text become base words.
func TestSynonymsBase(t *testing.T) {
	s := readSynonyms(t, someSynonyms)
	for text, want := range map[string]string{
		"":       "",
		"pulsar": "pulsar",
		"A server of Apache  Kafka, the KAFKA servers": "A broker of kafka, the KAFKA servers",
		"我在北大，他在北京大学。":                                 "我在北京大学，他在北京大学。",
		"ML at Peking University; learning 学习":         "machine learning at 北京大学; learning learning",
		"machine 学习 NYC":                               "machine learning new york",
		"Apache":                                       "Apache",
	} {
		if got := s.Base(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	var none *Synonyms
	if got := none.Base("ML"); got != "ML" {
		t.Errorf("without a list, ML became %s", got)
	}
}

// TestSynonymsFaults holds the errors of lists, and of questions that have too many forms.
func TestSynonymsFaults(t *testing.T) {
	var many []string
	for i := range 60 {
		many = append(many, fmt.Sprint("w", i))
	}
	for text, want := range map[string]string{
		"# words\nkafka\n":              `line 2: "kafka" has one word only: write a base word and its synonyms, separated by commas or blanks`,
		"a, b\n\n c , --- ":             `line 3: "---" has no letter or digit`,
		"a b\nM\xfcller Mueller":        "line 2: the text is not UTF-8: save the file as UTF-8",
		strings.Join(many, ","):         "line 1: a line has at most 50 words, and this one has 60",
		"a," + strings.Repeat("b ", 20): `line 1: "b b b b b b b b b b b b b b b b b b b b" has more than 16 words`,
		"kafka, Kafka":                  `line 1: "kafka, Kafka" has one word only: write a base word and its synonyms, separated by commas or blanks`,
	} {
		if _, err := ReadSynonyms(strings.NewReader(text)); err == nil || err.Error() != want {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
	s := readSynonyms(t, "\ufeff"+strings.Join(many[:50], " ")+"\n")
	if s.Len() != 1 {
		t.Errorf("%d lines", s.Len())
	}
	for question, want := range map[string]string{
		`"w1 w2"`:        `the phrase has more than 64 forms with synonyms: write a shorter phrase, or ="…" without synonyms`,
		"NEAR(w1 w2, 3)": `NEAR has more than 64 forms with synonyms: name fewer words, or write ="word" without synonyms`,
		strings.TrimSpace("x " + strings.Repeat("w1 ", 20)): `more than 1000 words are asked for with their synonyms: ask for fewer words, or write ="word" without synonyms`,
	} {
		if _, err := s.Parse(question); err == nil || err.Error() != want {
			t.Errorf("%q: error %v, want %s", question, err, want)
		}
	}
}
