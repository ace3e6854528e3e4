package result

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"testing"

	"infomall/store/record"
	"infomall/store/record/task"
)

// someClustered has a cluster with a text of a hidden host, one without, and noise.
var someClustered = []Clustered{
	{URL: "http://a.example/", Time: 5, Cluster: 1, Size: 3, Role: "core", Representative: true, Words: "flood, secret"},
	{URL: "http://a.example/", Time: record.NoTime, Cluster: 2, Size: 2, Role: "border", Distance: .25, Words: "games"},
	{URL: "http://b.example/x", Time: -7, Cluster: 1, Size: 3, Role: "core", Distance: 3, Words: "flood, secret"},
	{URL: "http://c.example/", Time: 5, Role: "noise"},
	{URL: "http://hidden.example/", Time: 5, Cluster: 1, Size: 3, Role: "core", Distance: 1, Words: "flood, secret"},
	{URL: "http://hidden.example/", Time: 9, Cluster: 2, Size: 2, Role: "core", Representative: true, Words: "games"},
	{URL: "http://hidden.example/n", Time: 5, Role: "noise"},
}

// TestClusteredRow holds that rows are read back, and that damaged ones are errors.
func TestClusteredRow(t *testing.T) {
	for i, c := range someClustered {
		row := c.Row(uint32(i) << 20)
		got, number, err := parseClustered(row)
		if err != nil || got != c || number != uint32(i)<<20 {
			t.Errorf("%+v came back as %+v, number %d, error %v", c, got, number, err)
		}
		for n := range len(row.Key) {
			if n == len(row.Key)-8 {
				continue // this may be the key of a text without a time
			}
			if c, _, err := parseClustered(task.ResultRow{Key: row.Key[:n], Value: row.Value}); err == nil {
				t.Errorf("a key of %d bytes of %d is read as %+v", n, len(row.Key), c)
			}
		}
		for n := range 11 {
			if _, _, err := parseClustered(task.ResultRow{Key: row.Key, Value: row.Value[:n]}); err == nil {
				t.Errorf("a value of %d bytes is read", n)
			}
		}
	}
}

// TestHideClustered hides a host at one time. The words and sizes of other texts of its
// clusters must show nothing of it, also if the hidden rows are not asked for.
func TestHideClustered(t *testing.T) {
	rows := func(list []Clustered) iter.Seq2[task.ResultRow, error] {
		return func(yield func(task.ResultRow, error) bool) {
			for i := range list {
				if !yield(list[i].Row(uint32(i)), nil) {
					return
				}
			}
		}
	}
	hides := func(url string, at record.Time) bool { return bytes.Contains([]byte(url), []byte("hidden")) && at == 5 }
	want := slices.Clone(someClustered)
	for _, i := range []int{0, 2} {
		want[i].Size, want[i].Words = 2, ""
	}
	for _, c := range []struct {
		asked, want []Clustered
	}{
		{someClustered, []Clustered{want[0], want[1], want[2], want[3], want[5]}},
		{someClustered[:2], want[:2]},
	} {
		var got []Clustered
		for row, err := range HideClustered(rows(someClustered), rows(c.asked), hides) {
			if err != nil {
				t.Fatal(err)
			}
			x, _, err := parseClustered(row)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, x)
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("shown are\n%v, want\n%v", got, c.want)
		}
	}
}
