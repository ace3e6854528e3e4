package match

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"infomall/store/words/stem"
	"pgregory.net/rapid"
)

// TestMatches holds which texts the questions of the manual match.
func TestMatches(t *testing.T) {
	long := strings.Repeat("ab", 35) // a word of 70 bytes
	for _, c := range []struct {
		question string
		yes, no  []string
	}{
		{"kafka streams", []string{"Streams of KAFKA"}, []string{"kafka", "kafkas streams"}},
		{`"tiered storage"`, []string{"Tiered\nStorage!", "x tiered, storage"}, []string{"storage tiered", "tiered cold storage", "tiered"}},
		{"kafka OR pulsar", []string{"pulsar", "kafka"}, []string{"or"}},
		{"kafka -beta", []string{"kafka 1.0"}, []string{"kafka Beta", "1.0"}},
		{"kafka-beta", []string{"kafka beta"}, []string{"kafka 1 beta"}},
		{"(kafka OR pulsar) 2.0 -beta", []string{"Pulsar 2.0"}, []string{"kafka 2 1 0", "2.0", "pulsar 2.0 beta"}},
		{"（kafka OR pulsar） “2 0”", []string{"Pulsar 2.0"}, []string{"kafka 2 1 0", "2.0"}},
		{"stream*", []string{"streams", "Streaming x", "stream"}, []string{"upstream"}},
		{`"tiered stor"*`, []string{"tiered storage"}, []string{"tiered", "tiered x storage"}},
		{`="Müller"`, []string{"Herr Müller", "Mu\u0308ller"}, []string{"Muller", "MÜLLER", "müller"}},
		{"Muller", []string{"Müller", "MÜLLER"}, []string{"Mueller"}},
		{`"Müller"`, []string{"muller"}, nil},
		{`="a b"`, []string{"a\n b"}, []string{"a-b", "A b"}},
		{"NEAR(kafka broker, 1)", []string{"broker of kafka", "kafka broker"}, []string{"kafka is a broker", "kafka"}},
		{`NEAR("a b" c,0)`, []string{"a b c", "c a b"}, []string{"a b x c", "a c b"}},
		{"NEAR(a b)", []string{"a 1 2 3 4 5 6 7 8 9 10 b"}, []string{"a 1 2 3 4 5 6 7 8 9 10 11 b"}},
		{"NEAR(a b c, 2)", []string{"c 1 b a", "a a a x b c"}, []string{"c 1 2 b a"}},
		{"NEAR(a)", []string{"a"}, []string{"b"}},
		{"~run", []string{"Running late", "he runs"}, []string{"ran", "runway", "r"}},
		{"~running -~stopping", []string{"run"}, []string{"run, and stop", "runs stopped"}},
		{"a -~(running)", []string{"a running"}, []string{"a"}},
		{`a -~"running"`, []string{"a"}, []string{"a runs"}},
		{`~"running brokers"`, []string{"run broker", "runs Brokers"}, []string{"brokers run", "run the broker"}},
		{"~de:Häuser", []string{"Das Haus", "HÄUSERN"}, []string{"hausieren"}},
		{`~DE:"große Häuser"`, []string{"grossen Haus"}, []string{"große"}},
		{"~книгами", []string{"Книга", "о книге"}, []string{"книжный"}},
		{"~en:книгами", []string{"книгами"}, []string{"Книга"}},
		{"~running-connections", []string{"run connected"}, []string{"connected run"}},
		{"~running*", []string{"runnings"}, []string{"run"}},
		{`~"running connect"*`, []string{"runs connectionless"}, []string{"connect run"}},
		{"~can't ~v2.1", []string{"cant v2.1"}, []string{"v2 cant"}},
		{"~北京", []string{"在北京"}, []string{"北", "京北"}},
		{"NEAR(~running ~connections, 0)", []string{"connected runs"}, []string{"connected x run"}},
		{`~="running"`, []string{"running"}, []string{"run"}},
		{"~ running", []string{"running"}, []string{"run"}},
		{"x~running", []string{"x running"}, []string{"x run"}},
		{"~(running)", []string{"running"}, []string{"run"}},
		{"~http://running", []string{"http running", "http://runs"}, []string{"http", "run http"}},
		{"~c:running", []string{"c run"}, []string{"run"}},
		{"~de: laufen", []string{"de laufen"}, []string{"laufen"}},
		{"near(a)", []string{"near a"}, []string{"a"}},
		{"POL-358", []string{"pol 358", "POL-358"}, []string{"358 pol"}},
		{"can't", []string{"cant", "can’t"}, []string{"can t"}},
		{"a AND b", []string{"b a"}, []string{"a", "a and"}},
		{"a and b", []string{"b and a"}, []string{"a b"}},
		{"北京大学", []string{"在北京大学里", "北京\n大学", "北 京大学"}, []string{"北京", "大学北京", "北京，大学"}},
		{"北京 大学", []string{"大学，北京"}, []string{"北京"}},
		{"学", []string{"北京大学"}, []string{"北京"}},
		{"北京*", []string{"北京"}, []string{"北"}},
		{"傳統", []string{"传统", "傳統"}, nil},
		{`"北，京"`, []string{"北京", "北,京"}, []string{"北x京"}},
		{"v2.1", []string{"v2-1", "V2.1"}, []string{"v21", "2.1 v2"}},
		{"使用kafka", []string{"使用 Kafka", "使用kafka"}, []string{"使用x kafka"}},
		{"a - b", []string{"a b"}, []string{"a"}},
		{"a -- b -#c", []string{"a c b"}, []string{"a b"}},
		{"a --b", []string{"a b"}, []string{"a"}},
		{"a -", []string{"a"}, []string{"b"}},
		{"x-y -z", []string{"x y"}, []string{"x y z", "y x"}},
		{"C++ a/b @x #tag 50%", []string{"tag x 50 a b c"}, []string{"b a c x tag 50"}},
		{"{a} [b] <c> a|b a&b", []string{"a b c"}, []string{"a c b"}},
		{"«a b» ¿c? d…", []string{"d c b a"}, []string{"a b c"}},
		{"http://x.y/z?q=1", []string{"http x y z q 1"}, []string{"http x y q 1 z"}},
		{"a or b", []string{"b or a"}, []string{"a b"}},
		{"„a b“ ”c d”", []string{"c d a b"}, []string{"a c b d"}},
		{"（a OR b）c", []string{"b c"}, []string{"a b"}},
		{"北京（大学）", []string{"大学，北京"}, []string{"北京"}},
		{"(a)OR(b)", []string{"b"}, []string{"or"}},
		{"NEAR (a b)", []string{"near b a"}, []string{"a b"}},
		{"a -㈱", []string{"a"}, []string{"a 株"}},
		{"a / b ~ !", []string{"a b"}, []string{"a"}},
		{"a* b", []string{"b ax"}, []string{"a"}},
		{"a, b", []string{"a b"}, []string{"a"}},
		{`"a""b"`, []string{"b a"}, []string{"a"}},
		{"a a a", []string{"a"}, []string{"b"}},
		{`"a a b"`, []string{"a a a b"}, []string{"a b"}},
		{"ORANGE OR", nil, nil},
		{"x (-y z)", []string{"x z"}, []string{"x y z"}},
		{"-y x", []string{"x"}, []string{"x y"}},
		{`x -"y z" -(p q)`, []string{"x z y", "x p"}, []string{"x y z", "x q p"}},
		{long, []string{"a " + strings.ToUpper(long)}, []string{long[2:], long + "ab"}},
		{long + "*", []string{long + "ab", "é " + long}, []string{long[2:]}},
		{long[:62] + "*", []string{long, long[:62]}, []string{long[:61]}},
	} {
		q, err := Parse(c.question)
		if err != nil {
			if c.yes != nil {
				t.Errorf("%s: %v", c.question, err)
			}
			continue
		}
		for _, text := range c.yes {
			if !q.Matches(text) {
				t.Errorf("%s does not match %q", c.question, text)
			}
		}
		for _, text := range c.no {
			if q.Matches(text) {
				t.Errorf("%s matches %q", c.question, text)
			}
		}
	}
}

// TestParseErrors holds that a fault names its place.
func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ question, at, problem string }{
		{`a "b c`, `"b c`, "a quote is not closed"},
		{"a (b c", "(", "a bracket is not closed"},
		{"a ) b", ")", "a bracket is closed that was not opened"},
		{"OR a", "OR", "OR has nothing before it"},
		{"a OR", "OR", "OR has nothing after it"},
		{"a OR OR b", "OR", "OR has nothing before it"},
		{"(a OR) b", "OR", "OR has nothing after it"},
		{"a AND", "AND", "AND needs a word on both sides"},
		{"AND a", "AND", "AND needs a word on both sides"},
		{"a NOT b", "NOT", "words to exclude are marked by -, not by NOT"},
		{"", "", "there is no word to look for"},
		{" … !", " … !", "there is no word to look for"},
		{"()", "()", "there is no word to look for"},
		{"main()", "()", "there is no word to look for"},
		{"a （!）", "（!）", "there is no word to look for"},
		{"a (", "(", "a bracket is not closed"},
		{"“a b", "“a b", "a quote is not closed"},
		{"a （b", "（", "a bracket is not closed"},
		{"a ） b", "）", "a bracket is closed that was not opened"},
		{"NEAR(a （b）)", "（", "NEAR has words and phrases only, and no brackets in it"},
		{strings.Repeat("（", 200) + "a", "（", "brackets are nested more than 100 deep"},
		{"-", "-", "there is no word to look for"},
		{"OR", "OR", "OR has nothing before it"},
		{"a (-b)", "-b", "only words to exclude are asked for"},
		{"-a", "-a", "only words to exclude are asked for"},
		{"x OR -a", "-a", "only words to exclude are asked for"},
		{"NEAR(a b", "(", "a bracket is not closed"},
		{"NEAR(" + strings.Repeat("a* ", 51) + ")", "NEAR(" + strings.Repeat("a* ", 50) + "a*", "NEAR takes 50 words and phrases at most"},
		{"NEAR()", "NEAR()", "NEAR has no word in it"},
		{"NEAR(a b, -1)", " -1", "the number of NEAR is a whole one, from 0 on"},
		{"NEAR(a b, 2.5)", " 2.5", "the number of NEAR is a whole one, from 0 on"},
		{"NEAR(a (b))", "(", "NEAR has words and phrases only, and no brackets in it"},
		{"NEAR(a b, 99999999999999999999)", " 99999999999999999999", "NEAR reaches over 10000 words at most"},
		{"a ~xx:running", "~xx:", "the stems of the language xx are not known"},
		{`-~Tlh:"x y" a`, "~Tlh:", "the stems of the language Tlh are not known"},
		{strings.Repeat("(", 200) + "a", "(", "brackets are nested more than 100 deep"},
		{strings.Repeat("a ", 1001), "a", "more than 1000 words are asked for"},
		{strings.Repeat("a", 1<<20), "", "the words asked for take 1048576 bytes, and at most 65536 are allowed"},
	} {
		_, err := Parse(c.question)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%.40q: %v, want an *Error", c.question, err)
			continue
		}
		if at := c.question[e.At:min(len(c.question), e.At+e.Len)]; e.Problem != c.problem || c.at != "" && at != c.at {
			t.Errorf("%.40q: %s at %q, want %s at %q", c.question, e.Problem, at, c.problem, c.at)
		}
	}
}

// TestPlaces holds which letters of a text are shown as found.
func TestPlaces(t *testing.T) {
	for _, c := range []struct{ question, text, want string }{
		{"kafka", "Apache Kafka’s KAFKA!", "Apache Kafka’s [KAFKA]!"},
		{"can't muller", "I CAN'T, Mu\u0308ller", "I [CAN'T], [Mu\u0308ller]"},
		{`"a b" b`, "a b b", "[a b] [b]"},
		{"北京大学 大学生", "北京大学生", "[北京大学生]"},
		{"x -y", "y x", "y [x]"},
		{"NEAR(a b, 0)", "a x b a b", "a x [b] [a] [b]"},
		{"stream*", "Streaming up streams", "[Streaming] up [streams]"},
	} {
		q, err := Parse(c.question)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		at := 0
		for _, p := range q.Places(nil, c.text) {
			fmt.Fprintf(&out, "%s[%s]", c.text[at:p.From], c.text[p.From:p.To])
			at = p.To
		}
		if got := out.String() + c.text[at:]; got != c.want {
			t.Errorf("%s: %s, want %s", c.question, got, c.want)
		}
	}
}

// plainHas is the model of an atom: it looks at each place of the terms of a text.
func plainHas(a *Atom, terms []Term) bool {
	at := func(ph Phrase, i int) bool {
		for j, want := range ph.Terms {
			if i+j >= len(terms) {
				return false
			}
			has := terms[i+j]
			equal := has.Text == want.Text
			switch {
			case want.Prefix:
				equal = strings.HasPrefix(has.Text, want.Text)
			case want.Language != "":
				equal = stem.Of(want.Language, has.Text) == want.stem()
			}
			if !equal || j > 0 && want.Joined && !has.Joined {
				return false
			}
		}
		return true
	}
	var try func(k, first, last int) bool // the phrases from k on; the last first term and the first last term so far
	try = func(k, first, last int) bool {
		if k == len(a.Phrases) {
			return len(a.Phrases) == 1 || first-last-1 <= a.Within
		}
		for i := range terms {
			if at(a.Phrases[k], i) && try(k+1, max(first, i), min(last, i+len(a.Phrases[k].Terms)-1)) {
				return true
			}
		}
		return false
	}
	return try(0, -1, 1<<30)
}

// TestMatchesModel compares Matches, Has, Count and Eval with plainHas for random
// questions and texts of few different words.
func TestMatchesModel(t *testing.T) {
	word := rapid.SampledFrom([]string{"a", "b", "ab", "abc", "abs", "bing", "北", "京", "北京", "學", "c-d", "한국"})
	between := rapid.SampledFrom([]string{" ", ", ", "", "\n"})
	var item func(depth int) *rapid.Generator[string]
	item = func(depth int) *rapid.Generator[string] {
		return rapid.Custom(func(t *rapid.T) string {
			w := word.Draw(t, "word")
			switch n := rapid.IntRange(0, 11).Draw(t, "form"); {
			case n == 10:
				return "~" + w
			case n == 11:
				return `~de:"` + w + " " + word.Draw(t, "word") + `"`
			case n == 0:
				return w + "*"
			case n == 1:
				return `"` + w + between.Draw(t, "between") + word.Draw(t, "word") + `"`
			case n == 2:
				return fmt.Sprintf("NEAR(%s \"%s %s\", %d)", w, word.Draw(t, "word"), word.Draw(t, "word"), rapid.IntRange(0, 2).Draw(t, "within"))
			case n == 3 && depth > 0:
				return "(" + item(depth-1).Draw(t, "left") + " OR " + item(depth-1).Draw(t, "right") + ")"
			case n == 4 && depth > 0:
				return item(depth-1).Draw(t, "left") + " " + item(depth-1).Draw(t, "right")
			case n == 5 && depth > 0:
				return "(" + item(depth-1).Draw(t, "left") + " -" + word.Draw(t, "without") + ")"
			}
			return w
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		question := item(3).Draw(t, "question")
		var text strings.Builder
		for range rapid.IntRange(0, 8).Draw(t, "words") {
			text.WriteString(word.Draw(t, "text") + between.Draw(t, "between"))
		}
		q, err := Parse(question)
		if err != nil {
			t.Fatalf("%s: %v", question, err)
		}
		var terms []Term
		var r Terms
		for r.Read(text.String()); r.Next(); {
			terms = append(terms, Term{Text: string(r.Term()), Joined: r.Joined})
		}
		has := make([]Answer, len(q.Atoms()))
		counts := make([]int, len(has))
		if n := q.Count(text.String(), counts); n != len(terms) {
			t.Fatalf("%d terms, want %d", n, len(terms))
		}
		for i := range has {
			want := plainHas(&q.Atoms()[i], terms)
			if want {
				has[i] = Yes
			}
			if want != (counts[i] > 0) {
				t.Fatalf("%s: atom %d of %q: count %d, want %v", question, i, text.String(), counts[i], want)
			}
		}
		want := q.Eval(func(i int) Answer { return has[i] }) == Yes
		if got := q.Matches(text.String()); got != want {
			t.Fatalf("%s in %q: %v, want %v", question, text.String(), got, want)
		}
		if places := q.Places(nil, text.String()); want && q.Positive() && len(places) == 0 {
			t.Fatalf("%s in %q: no places", question, text.String())
		} else if !slices.IsSortedFunc(places, func(a, b Place) int { return a.From - b.From }) {
			t.Fatalf("places %v are not in order", places)
		}
	})
}

// FuzzParse holds that no question makes Parse or Matches panic, that places are in order
// and inside the text, and that the answer for a text is the answer for its parts. The bits
// of cuts say at which white space the text is cut.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"a OR b", `="x y"*`, "NEAR(a b, 2)", "-a b", "((", "北京*", "a,1)", "“a”", `~"xs y"`, "~de:a OR ~xx:b", "（a）OR“b c”", "-~a x -#b"} {
		f.Add(s, "a b 北 京 x y", uint64(5))
	}
	f.Fuzz(func(t *testing.T, question, text string, cuts uint64) {
		q, err := Parse(question)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.At < 0 || e.Len < 0 || e.At+e.Len > len(question) || e.Problem == "" || utf8.ValidString(question) && !utf8.ValidString(question[e.At:e.At+e.Len]) {
				t.Fatalf("%q: %#v", question, err)
			}
			return
		}
		matches, at := q.Matches(text), 0
		for _, p := range q.Places(nil, text) {
			if p.From < at || p.To <= p.From || p.To > len(text) {
				t.Fatalf("%q in %q: place %v", question, text, p)
			}
			at = p.To
		}
		if !q.InParts() {
			return
		}
		whole, rest, spaces := q.Whole(), text, 0
		for i, r := range text {
			if !unicode.IsSpace(r) {
				continue
			}
			if spaces++; cuts>>(spaces&63)&1 == 1 {
				whole.Add(q.Part(text[len(text)-len(rest) : i]))
				rest = text[i+utf8.RuneLen(r):]
			}
		}
		whole.Add(q.Part(rest))
		several := slices.ContainsFunc(q.Atoms(), func(a Atom) bool { return a.Within >= 0 || a.Phrases[0].Exact != "" })
		if got := whole.Answer(); got != Maybe && (got == Yes) != matches || got == Maybe && !several {
			t.Fatalf("%q in %q, cut by %b: %d, want %v", question, text, cuts, got, matches)
		}
	})
}

// TestBits holds which terms of a question a word equals, whether it is asked for as it is,
// by its beginning or by its stem.
func TestBits(t *testing.T) {
	q, err := Parse(`kafka run* ~running ~de:Häuser ~книга 北京`)
	if err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]uint64{
		"kafka": 0b1, "kafkas": 0, "run": 0b110, "runway": 0b10, "runs": 0b110, "haus": 0b1000, "hauser": 0b1000, "hauses": 0b1000,
		"книги": 0b10000, "книжный": 0, "北": 0b100000, "京": 0b1000000, "大": 0, "x": 0,
	} {
		for range 2 { // the second time, stems are remembered
			if got := q.Bits([]byte(word)); got != want {
				t.Errorf("%s: %b, want %b", word, got, want)
			}
		}
	}
}

// TestManyStems holds that a question with more terms than one word of bits finds each of
// them by its stem.
func TestManyStems(t *testing.T) {
	var question, text strings.Builder
	for i := range 150 {
		w := string(rune('a'+i%26)) + string(rune('a'+i/26)) + "akt"
		question.WriteString(" ~" + w + "ing")
		text.WriteString(w + "ed ")
	}
	q, err := Parse(question.String())
	if err != nil {
		t.Fatal(err)
	}
	if !q.Matches(text.String()) || q.Matches(text.String()[len("aaakted "):]) {
		t.Error("the stems of 150 words are not found")
	}
}

func BenchmarkMatches(b *testing.B) {
	text := strings.Repeat("The quick brown fox jumps over the lazy dog of the streams API. ", 1000)
	for _, question := range []string{"zookeeper", `"brown dog" OR kafka`, "stre* zookeeper", "~jumping ~streams", "~de:laufen OR ~fr:manger"} {
		b.Run(question, func(b *testing.B) {
			q, err := Parse(question)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				q.Matches(text)
			}
		})
	}
}

// TestPartsJoin holds when a phrase goes on from one part to the next.
func TestPartsJoin(t *testing.T) {
	for _, c := range []struct {
		question string
		parts    []string
		want     Answer
	}{
		{"北京", []string{"a 北", "京 b"}, Yes},
		{"北京", []string{"a 北", " \n", "京 b"}, Yes},
		{"北京", []string{"a 北，", "京 b"}, No},
		{"北京", []string{"a 北", "，京 b"}, No},
		{"北京", []string{"a 北", "|", "京 b"}, No},
		{`"北，京"`, []string{"a 北", "|", "京 b"}, Yes},
		{"北京大", []string{"北", "京", "大"}, Yes},
		{"북경", []string{"북", "경"}, No},
		{`"a b c"`, []string{"x a", "b", "c"}, Yes},
		{`"a b c"`, []string{"x a", "b x", "c"}, No},
		{`"a b c" OR x`, []string{"a", "b", "d c x"}, Yes},
		{`="a b"`, []string{"a", "b"}, Maybe},
		{`="a b"`, []string{"a b", "c"}, Yes},
		{"NEAR(a b, 1)", []string{"a", "b"}, Maybe},
		{"NEAR(a b, 1)", []string{"a b", "c"}, Yes},
		{"NEAR(a b, 1)", []string{"a c", "c"}, No},
		{"-a b", []string{"b", "a"}, No},
	} {
		q, err := Parse(c.question)
		if err != nil {
			t.Fatal(err)
		}
		whole := q.Whole()
		for _, s := range c.parts {
			whole.Add(q.Part(s))
		}
		if got := whole.Answer(); got != c.want {
			t.Errorf("%s in %q: %d, want %d", c.question, c.parts, got, c.want)
		}
	}
}

// TestParts compares the answer for a text with that for its parts, which stand between
// white space.
func TestParts(t *testing.T) {
	word := rapid.SampledFrom([]string{"a", "b", "c", "ab", "abs", "北", "京", "北京", "大", "c-d", "한국", "x"})
	between := rapid.SampledFrom([]string{" ", ", ", "", "|"})
	rapid.Check(t, func(t *rapid.T) {
		phrase := func() string {
			var s string
			for range rapid.IntRange(1, 4).Draw(t, "terms") {
				s += word.Draw(t, "word") + between.Draw(t, "between")
			}
			return s
		}
		question := word.Draw(t, "word")
		for range rapid.IntRange(1, 3).Draw(t, "items") {
			switch rapid.IntRange(0, 6).Draw(t, "item") {
			case 6:
				question += ` OR ~"` + phrase() + word.Draw(t, "word") + `"`
			case 0:
				question += ` -"` + phrase() + word.Draw(t, "word") + `"`
			case 1:
				question += ` OR ="` + phrase() + word.Draw(t, "word") + `"`
			case 2:
				question += ` NEAR(` + word.Draw(t, "word") + " " + word.Draw(t, "word") + `, 1)`
			case 3:
				question += ` "` + phrase() + word.Draw(t, "word") + `"*`
			default:
				question += ` OR "` + phrase() + word.Draw(t, "word") + `"`
			}
		}
		q, err := Parse(question)
		if err != nil {
			t.Fatalf("%s: %v", question, err)
		}
		var parts []string
		for range rapid.IntRange(0, 8).Draw(t, "parts") {
			var s string
			for range rapid.IntRange(0, 3).Draw(t, "words") {
				s += between.Draw(t, "before") + word.Draw(t, "word") + between.Draw(t, "after")
			}
			parts = append(parts, s)
		}
		text := strings.Join(parts, "\n")
		whole, terms := q.Whole(), 0
		counts := make([]int, len(q.Atoms()))
		for _, s := range parts {
			p := q.Part(s)
			whole.Add(p)
			for i, n := range p.Counts {
				counts[i] += int(n)
			}
			terms += int(p.Terms)
		}
		all := make([]int, len(counts))
		if n := q.Count(text, all); n != terms {
			t.Fatalf("%q has %d terms, its parts %d", text, n, terms)
		}
		if len(parts) == 1 && !slices.Equal(all, counts) {
			t.Fatalf("%s in %q: counts %v, want %v", question, text, counts, all)
		}
		want := No
		if q.Matches(text) {
			want = Yes
		}
		got := whole.Answer()
		if got == Maybe && (strings.Contains(question, "NEAR") || strings.Contains(question, "=")) {
			return
		}
		if got != want {
			t.Fatalf("%s in %q: %d, want %d", question, parts, got, want)
		}
	})
}

// TestOneWord shows which queries are one word. A text matches such a query if it has the word.
func TestOneWord(t *testing.T) {
	for question, want := range map[string]bool{
		"kafka": true, "kaf*": true, "~topics": true, "北": true, "Müller": true,
		"北京": false, "kafka topic": false, `"kafka topic"`: false, "kafka OR topic": false, "kafka -topic": false,
		`="Kafka"`: false, "NEAR(kafka topic)": false, "v2.1": false,
	} {
		q, err := Parse(question)
		if err != nil {
			t.Fatal(err)
		}
		p, ok := q.OneWord()
		if ok != want {
			t.Errorf("%s is one word: %t, want %t", question, ok, want)
		}
		if !ok {
			continue
		}
		whole := q.Whole()
		if whole.Add(p); whole.Answer() != Yes {
			t.Errorf("%s does not match a text with its word", question)
		}
		var sum Sum
		if sum.Add(p); sum.None() {
			t.Errorf("%s: a text with its word adds nothing", question)
		}
	}
}
