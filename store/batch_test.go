package store

import (
	"fmt"
	"slices"
	"testing"

	"infomall/store/record"
	"infomall/store/urlkey"
)

// TestSingles scans an archive whose URLs have one capture, or several, in one
// segment or in more, once with a Skip that leaves out nothing, which takes the
// captures one by one, and once without, which takes columns of the index as they
// are: all columns are the same.
func TestSingles(t *testing.T) {
	var visits []*visit
	for i := range 5000 {
		v := &visit{
			url: fmt.Sprintf("http://h%d.example/%d", i%7, i), time: day0 + record.Time(i*37%40)*dayMillis + record.Time(i),
			status: 200 + i%3*100, body: fmt.Sprint("body ", i%11),
		}
		if i%50 == 0 || i > 3500 && i < 3600 {
			v.url = fmt.Sprintf("http://h%d.example/%d", i%7, i%40)
		}
		visits = append(visits, v)
	}
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	for part := range slices.Chunk(visits, 1700) {
		put(t, a, part)
	}
	v, err := a.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	scan := func(s record.Scan) (rows []string) {
		for b, err := range v.Scan(t.Context(), s) {
			if err != nil {
				t.Fatal(err)
			}
			for i := range b.N {
				rows = append(rows, fmt.Sprint(b.Key[i], b.URLs()[i], b.Time[i], b.Ref[i], b.Status[i], b.Kind[i], b.Mime[i], b.Bytes[i], b.Change[i],
					b.Previous[i], b.PreviousVersion[i], b.VersionTime[i], b.Pool[i], b.Via[i], b.Truncated[i], b.Added[i], b.Job[i]))
			}
		}
		return rows
	}
	for _, s := range []record.Scan{
		{From: record.MinTime, To: record.MaxTime},
		{From: day0 + 3*dayMillis, To: day0 + 33*dayMillis + 700},
		{From: record.MinTime, To: record.MaxTime, Ranges: []urlkey.Range{{From: "example,h1,", To: "example,h2,"}, {From: "example,h4,)/2", To: "example,h4,)/3"}}},
		{From: day0 + 30*dayMillis, To: day0 + 31*dayMillis, Ranges: []urlkey.Range{{From: "example,h3,"}}},
	} {
		s.Columns = record.ColDigest - 1 // all that the index has
		each := s
		each.Skip = func(_, _ string) bool { return false }
		got, want := scan(s), scan(each)
		if len(want) == 0 {
			t.Fatalf("%+v: no rows", s)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%+v: %d rows by columns, %d one by one, or they differ", s, len(got), len(want))
		}
	}
}
