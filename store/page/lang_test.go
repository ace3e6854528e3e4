package page

import "testing"

func TestLangOf(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "plain English words": "", "北京大学是一所大学": "zh", "これは日本語の文章です": "ja", "한국어 문장입니다": "ko", "Привет мир": "ru",
		"the word 中国 among many English words that say nothing of it": "",
	} {
		if got := LangOf(in); got != want {
			t.Errorf("LangOf(%q) = %q, want %q", in, got, want)
		}
	}
}
