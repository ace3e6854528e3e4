package exec_test

import (
	"testing"

	"infomall/exec/relation/relationtest"
	"infomall/exec/session"
	"infomall/store/record/task"
)

// TestFrugal shows that garbage is collected more often until DEDUP has stored its result, and
// during an import, but not for a query.
func TestFrugal(t *testing.T) {
	memory := relationtest.New(relationtest.Capture{URL: "http://a.cn/", Time: at("2008-06-01"), Status: 200, Mime: html, Body: "<p>some words"})
	begun, stored := 0, 0
	s := sessionWith(archive{memory}, func(o *session.Options) {
		o.Frugal = func() func() {
			begun++
			return func() {
				list, err := memory.Results(t.Context(), task.ResultDuplicates)
				if err != nil {
					t.Error(err)
				}
				stored = len(list)
			}
		}
	})
	for _, statement := range []string{"SELECT url FROM versions", "DEDUP"} {
		if _, _, err := ask(s, statement); err != nil {
			t.Fatal(err)
		}
	}
	if begun != 1 || stored != 1 {
		t.Errorf("begun %d times, for one DEDUP; at its end %d results were stored, want 1", begun, stored)
	}
	_, _, err := ask(s, "IMPORT 'a'")
	if begun != 2 {
		t.Errorf("begun %d times, for one DEDUP and one IMPORT, which ended with the error %v", begun, err)
	}
}
