package dates

import (
	"testing"
	"time"

	"infomall/store/record"
)

// TestParse shows the forms of dates that mails and feeds have.
func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"Thu, 12 Jun 2008 10:00:00 +0800":       "2008-06-12T02:00:00Z",
		"Thu, 12 Jun 2008 10:00:00 +0800 (CST)": "2008-06-12T02:00:00Z",
		"12 Jun 08 10:00 EST":                   "2008-06-12T15:00:00Z",
		"Thursday, 12-Jun-08 10:00:00 GMT":      "2008-06-12T10:00:00Z",
		"Thu Jun 12 10:00:00 2008":              "2008-06-12T10:00:00Z",
		"Thu, 12 June 2008 10:00:00 UT":         "2008-06-12T10:00:00Z",
		"2008-06-12T10:00:00.123+02:00":         "2008-06-12T08:00:00Z",
		"2008-06-12T10:00Z":                     "2008-06-12T10:00:00Z",
		"2008-06-12 10:00:00":                   "2008-06-12T10:00:00Z",
		"2008-06-12":                            "2008-06-12T00:00:00Z",
		"2008-06":                               "2008-06-01T00:00:00Z",
		"2008年6月12日":                            "2008-06-12T00:00:00Z",
		"June 12, 2008":                         "2008-06-12T00:00:00Z",
		"20080612T100000Z":                      "2008-06-12T10:00:00Z",
		"":                                      "",
		"yesterday":                             "",
		"2008-13-40":                            "",
		"-":                                     "",
		"12345":                                 "",
	} {
		got := ""
		if at := Parse(text); at != record.NoTime {
			got = at.Std().Format(time.RFC3339)
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
