package mend

import (
	"testing"

	"infomall/store/document"
)

// TestCompleteLang shows that the language which a program writes into each of its files is not
// that of a text in another script.
func TestCompleteLang(t *testing.T) {
	for _, c := range [][3]string{
		{"en-US", "图书馆年度报告，读者每天借阅。", "zh"},
		{"", "图书馆年度报告，读者每天借阅。", "zh"},
		{"zh-TW", "圖書館年度報告，讀者每天借閱。", "zh-TW"},
		{"en-US", "The annual report of the library.", "en-US"},
	} {
		d := &document.Document{Lang: c[0], Sections: []document.Section{{Parts: []document.Part{{Text: c[1]}}}}}
		complete(d)
		if d.Lang != c[2] {
			t.Errorf("%q declared as %q is %q, want %q", c[1], c[0], d.Lang, c[2])
		}
	}
}
