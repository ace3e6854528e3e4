package match

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// python runs testdata/model.py over texts and returns the lines that it prints. It
// skips the test if there is no python3.
func python(t *testing.T, texts []string, args ...string) [][]byte {
	t.Helper()
	program, err := exec.LookPath("python3")
	if err != nil {
		t.Skipf("no python3 to run the model with: %v", err)
	}
	var lines bytes.Buffer
	out := json.NewEncoder(&lines)
	for _, s := range texts {
		if err := out.Encode(map[string]string{"text": s}); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(t.TempDir(), "texts")
	if err := os.WriteFile(file, lines.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, append([]string{"testdata/model.py", file, "simplified.txt"}, args...)...)
	cmd.Env = append(os.Environ(), "PYTHONIOENCODING=utf-8", "PYTHONDONTWRITEBYTECODE=1")
	var faults bytes.Buffer
	cmd.Stderr = &faults
	printed, err := cmd.Output()
	if err != nil {
		t.Fatalf("model.py: %v\n%s", err, faults.Bytes())
	}
	var answers [][]byte
	for r := bufio.NewScanner(bytes.NewReader(printed)); r.Scan(); {
		answers = append(answers, bytes.Clone(r.Bytes()))
	}
	return answers
}

// pieces are what madeTexts puts together: words of many scripts, and what stands
// between words, as in texts and as nobody writes it.
var pieces = struct{ words, between []string }{
	strings.Fields(`kafka Kafka KAFKA streams v2.1 log.retention.hours can't CAN’T rock'n'roll it's 90s Müller Mu` + "\u0308" + `ller
		Straße STRASSE Größe İstanbul Iğdır ısı Çağrı şehir ｆｕｌｌ Ｗｉｄｔｈ ﬁne ǅ Ⅷ ½ x² №5 ß café naïve Ångström
		ёлка Ёлка елка й и` + "\u0306" + ` йод Москва объект мʼята ŉ Ὀδυσσεύς ΣΊΣΥΦΟΣ σίσυφος ς
		שָׁלוֹם שלום יִשְׂרָאֵל צה"ל مُحَمَّد محمد محــمد السّلام آية ١٢٣ ﷺ ﻻ
		北京大学 北京 大学 學習 乾燥 幹部 干 发 髮 發 着 著 葛` + "\U000e0100" + `飾 々 〇 二〇〇八 ㈱ ㍻ 豈
		が か` + "\u3099" + ` ガ ｶﾞ カード きょう ひらがな コンピュータ
		한국어 한국 ` + "\u1112\u1161\u11ab" + ` 각 ㄱ ภาษาไทย ไทย ที่ ນ້ຳ ភាសាខ្មែរ မြန်မာ हिन्दी संस्कृत தமிழ் ა Ნ Հայ
		co` + "\u00ad" + `operation a` + "\u200b" + `b 中` + "\u00ad" + `文 x` + "\u0301" + ` 1` + "\u0301" + ` 中` + "\u0301" + ` 'n ' ’’ a'1 1'a @x #tag C++ a/b 50% POL-358 snake_case`),
	[]string{" ", " ", " ", "", "", "\n", "  \n\t", "\u00a0", "\u3000", ",", "，", "。", "-", ".", "'", "\u200b", "\u0301", "\u0308", "・", "|"},
}

// madeTexts returns n texts that are put together from pieces.
func madeTexts(r *rand.Rand, n int) []string {
	texts := make([]string, n)
	for i := range texts {
		var b strings.Builder
		for range r.IntN(30) {
			b.WriteString(pieces.words[r.IntN(len(pieces.words))])
			b.WriteString(pieces.between[r.IntN(len(pieces.between))])
		}
		texts[i] = b.String()
	}
	return texts
}

// TestTermsEqualModel compares the terms of texts with those of a model in another
// language.
func TestTermsEqualModel(t *testing.T) {
	texts := madeTexts(rand.New(rand.NewPCG(1, 2)), 1500)
	answers := python(t, texts, "words")
	if len(answers) != len(texts) {
		t.Fatalf("the model has %d texts, want %d", len(answers), len(texts))
	}
	for i, text := range texts {
		var want []string
		if err := json.Unmarshal(answers[i], &want); err != nil {
			t.Fatal(err)
		}
		if got := list(text); got != strings.Join(want, " ") {
			t.Errorf("%+q:\n got %s\nwant %s", text, got, strings.Join(want, " "))
		}
	}
}

// TestQuestionsEqualModel compares which texts match questions, read whole and in
// parts, with the answers of a model in another language.
func TestQuestionsEqualModel(t *testing.T) {
	texts := madeTexts(rand.New(rand.NewPCG(3, 4)), 200)
	found := 0
	for _, line := range python(t, texts, "questions", "500", "1") {
		var question string
		var want, got, joined []int
		if err := json.Unmarshal(line, &[]any{&question, &want}); err != nil {
			t.Fatal(err)
		}
		q, err := Parse(question)
		if err != nil {
			t.Errorf("%s: %v", question, err)
			continue
		}
		for i, text := range texts {
			if q.Matches(text) {
				got = append(got, i)
			}
			whole := q.Whole()
			for part := range strings.SplitSeq(text, "\n") {
				whole.Add(q.Part(part))
			}
			if a := whole.Answer(); a == Yes || a == Maybe && q.Matches(text) {
				joined = append(joined, i)
			}
		}
		found += len(want)
		if !slices.Equal(got, want) || !slices.Equal(joined, want) {
			t.Errorf("%s: texts %v, in parts %v, want %v", question, got, joined, want)
		}
	}
	if found < 300 {
		t.Errorf("the questions match %d texts, want 300 or more", found)
	}
}
