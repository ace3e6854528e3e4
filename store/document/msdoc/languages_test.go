package msdoc

import (
	"encoding/hex"
	"testing"

	"infomall/store/document/office"
)

// normal is the beginning of the table of styles that LibreOffice writes for a German text.
const normal = "12001a000a0001005b000f0000000000000000005e000010f1ff02005e000000" + "06004e006f0072006d0061006c000000" +
	"0b0000003124002a240141240000" + "3300422a004f4a0300514a0300434a18006d48070473480704" + "4b480200504a04006e480708744807085e4a0500614a18005f48010400"

// TestLanguages reads the languages of the style Normal. A table that is cut off at any byte
// gives none or some of them.
func TestLanguages(t *testing.T) {
	table, err := hex.DecodeString(normal)
	if err != nil {
		t.Fatal(err)
	}
	of := func(table []byte) office.Languages {
		w := &word{main: make([]byte, 0xb0), table: table}
		w.main[0xa6], w.main[0xa7] = byte(len(table)), byte(len(table)>>8)
		return w.languages()
	}
	want := office.Languages{Western: "de-DE", Asian: "de-CH", Complex: "ar-SA"}
	if got := of(table); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for n := range table {
		if got := of(table[:n]); got != want && got != (office.Languages{}) {
			t.Errorf("cut at %d: got %+v", n, got)
		}
	}
	if got := (&word{main: make([]byte, 0xb0), table: table, old: true}).languages(); got != (office.Languages{}) {
		t.Errorf("of Word 6: got %+v", got)
	}
}
