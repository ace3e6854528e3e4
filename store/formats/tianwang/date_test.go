package tianwang

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestWrittenDate reads drawn dates as they are written, and with a byte changed:
// what is taken is what the layout would take and write so again.
func TestWrittenDate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := time.Unix(rapid.Int64Range(-62135596800, 253402300799).Draw(t, "seconds"), 0).UTC()
		date := []byte(at.Format(dateLayout))
		if got, ok := writtenDate(string(date)); !ok || !got.Equal(at) {
			t.Fatalf("%s is read as %v, %v", date, got, ok)
		}
		i := rapid.IntRange(0, len(date)-1).Draw(t, "place")
		date[i] = rapid.SampledFrom([]byte("0123456789 ,:SunMonTueJanFebGMTz\xff")).Draw(t, "byte")
		want, err := time.Parse(dateLayout, string(date))
		same := err == nil && want.Format(dateLayout) == string(date)
		if got, ok := writtenDate(string(date)); ok != same || ok && !got.Equal(want) {
			t.Fatalf("%s is read as %v, %v, want %v, %v", date, got, ok, want, same)
		}
	})
}

func TestParseDate(t *testing.T) {
	shanghai, err := time.LoadLocation("Asia/Shanghai")
	if err != nil {
		t.Skip("no time zone data here: ", err)
	}
	tests := []struct {
		in, want string // want in UTC
		local    *time.Location
	}{
		{"Tue, 15 Apr 2003 08:13:06 GMT", "2003-04-15T08:13:06Z", shanghai},
		{"15 Apr 2003 08:13:06 GMT", "2003-04-15T08:13:06Z", shanghai},
		{"Tue, 15 Apr 03 08:13:06 GMT", "2003-04-15T08:13:06Z", shanghai},
		{"15 Apr 99 08:13 GMT", "1999-04-15T08:13:00Z", shanghai},
		{"Tuesday, 15-Apr-03 08:13:06 GMT", "2003-04-15T08:13:06Z", shanghai},
		{"Tue Apr 15 08:13:06 2003", "2003-04-15T00:13:06Z", shanghai},
		{"Tue Apr 15 08:13:06 CST 2003", "2003-04-15T00:13:06Z", shanghai},
		{"Tue Apr  5 08:13:06 EST 2003", "2003-04-05T13:13:06Z", shanghai},
		{"Tue, 15 Apr 2003 08:13:06 +0800", "2003-04-15T00:13:06Z", time.UTC},
		{"Tue, 15 Apr 2003 08:13:06 -03:30", "2003-04-15T11:43:06Z", time.UTC},
		{"Tue, 15 Apr 2003 08:13:06 GMT+8", "2003-04-15T00:13:06Z", time.UTC},
		{"Tue, 15 Apr 2003 08:13:06 +0800 (CST)", "2003-04-15T00:13:06Z", time.UTC},
		{"Tue, 15 Apr 2003 08:13:06 PDT", "2003-04-15T15:13:06Z", time.UTC},
		{"Tue, 15 Apr 2003 08:13:06 CST", "2003-04-15T14:13:06Z", time.UTC},
		{"Tue, 15 Apr 2003 08:13:06 CST", "2003-04-15T00:13:06Z", shanghai},
		{"Tue, 15 Apr 2003 08:13:06", "2003-04-15T08:13:06Z", time.UTC},
		{"Tue, 15 Apr 2003 08:13:06", "2003-04-15T00:13:06Z", shanghai},
		{"Tue, 15 Apr 2003 08:13:06 XYZ", "2003-04-15T00:13:06Z", shanghai},
		{"2003-04-15 08:13:06", "2003-04-15T08:13:06Z", time.UTC},
		{"2003-04-15 08:13:06+08:00", "2003-04-15T00:13:06Z", time.UTC},
		{"30 Jun 2008 22:00:00 GMT", "2008-06-30T22:00:00Z", shanghai},
		{"30 February 2008 22:00:00 GMT", "", time.UTC},
		{"Tue, 15 Apr 2003", "", time.UTC},
		{"Tue, 15 Foo 2003 08:13:06 GMT", "", time.UTC},
		{"15 Apr 20031 08:13:06 GMT", "", time.UTC},
		{"15 Apr 2003 28:13:06 GMT", "", time.UTC},
		{"blue monday", "", time.UTC},
		{"", "", time.UTC},
	}
	for _, tt := range tests {
		got, err := parseDate(tt.in, tt.local)
		if s := got.Format(time.RFC3339); err != nil && tt.want != "" || err == nil && s != tt.want {
			t.Errorf("parseDate(%q, %v) = %s, %v, want %q", tt.in, tt.local, s, err, tt.want)
		}
	}
}

func FuzzParseDate(f *testing.F) {
	f.Add("Tue, 15 Apr 2003 08:13:06 GMT+8")
	f.Add("2003-04-15 08:13:06+08:00")
	f.Add("Sunday, 06-Nov-94 08:49:37 EST (x)")
	f.Fuzz(func(t *testing.T, s string) {
		if got, err := parseDate(s, time.UTC); err == nil && (got.Year() < 0 || got.Year() > 10000) {
			t.Fatalf("parseDate(%q) = %v", s, got)
		}
	})
}
