package main

import (
	"maps"
	"os"
	"strings"
	"testing"

	"infomall/store/words/cut/list"
)

// TestCosts shows which words are kept, and that words which become the same are added
// up.
func TestCosts(t *testing.T) {
	lines := "大学 40 n\n大學 24 n\n大楼 64 n\n罕见 3 a\nT恤 900 n\n雪㐹 4 n\n"
	got, err := costsOf(lines, simplifier("# a table\n學学㐹𫢒\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]uint8{"大学": list.CostOf(64, 132), "大楼": list.CostOf(64, 132)}
	if !maps.Equal(got, want) {
		t.Errorf("costs %v, want %v", got, want)
	}
	for _, line := range []string{"大学\n", "大学 many n\n", "大学 4 n more\n"} {
		if _, err := costsOf("楼 4 n\n"+line, simplifier("")); err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("line %q: error %v, want one that names line 2", line, err)
		}
	}
}

// TestWords packs the dictionary again and compares the bytes with those that the program
// carries.
func TestWords(t *testing.T) {
	words, simplified := os.Getenv("JIEBA_WORDS"), os.Getenv("JIEBA_SIMPLIFIED")
	if words == "" || simplified == "" {
		t.Skip("JIEBA_WORDS and JIEBA_SIMPLIFIED do not name jieba.dict.utf8 and the table of simplified letters")
	}
	out := t.TempDir() + "/words.bin"
	if err := run(words, simplified, out); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("../../words.bin")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("words.bin has %d bytes, but the dictionary gives %d other ones", len(want), len(got))
	}
}

func TestOtherSource(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/words", []byte("大学 40 n\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := run(dir+"/words", dir+"/words", dir+"/out"); err == nil || !strings.Contains(err.Error(), "3.5.8") {
		t.Errorf("another dictionary: error %v, want one that names the version", err)
	}
}
