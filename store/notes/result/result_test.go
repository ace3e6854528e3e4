package result

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/record/task"
	"infomall/store/urlkey"
)

type pair struct{ Key, Value string }

func write(t interface{ Fatal(...any) }, info task.Result, rows []pair) []byte {
	var out bytes.Buffer
	w, err := NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if err := w.Add(task.ResultRow{Key: []byte(r.Key), Value: []byte(r.Value)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(&info); err != nil {
		t.Fatal(err)
	}
	if info.Rows != int64(len(rows)) || info.Bytes != int64(out.Len()) {
		t.Fatal(fmt.Sprintf("%d rows in %d bytes, want %d in %d", info.Rows, info.Bytes, len(rows), out.Len()))
	}
	return out.Bytes()
}

func read(r *Reader, ranges []urlkey.Range) (rows []pair, err error) {
	for row, err := range r.Rows(ranges) {
		if err != nil {
			return rows, err
		}
		rows = append(rows, pair{string(row.Key), string(row.Value)})
	}
	return rows, nil
}

// TestRoundTrip reads the rows that were written, all of them and between
// random keys.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.SampledFrom([]int{0, 1, 3, 200, 9000}).Draw(t, "rows")
		step := rapid.IntRange(1, 5).Draw(t, "step")
		var rows []pair
		for i := range count {
			rows = append(rows, pair{fmt.Sprintf("cn,pku,)/%06d http", i*step), fmt.Sprint("value ", i*i)})
		}
		info := task.Result{
			Kind: task.ResultRanks, Name: "六月\t\"x\"", AsOf: -3, Statement: "PAGERANK\n",
			Properties: map[string]string{"a b": "c\td", "e": ""},
		}
		b := write(t, info, rows)
		r, err := NewReader(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		info.Rows, info.Bytes = int64(count), int64(len(b))
		if !reflect.DeepEqual(r.Result, info) {
			t.Fatalf("read %+v, want %+v", r.Result, info)
		}
		at := rapid.SliceOfN(rapid.IntRange(0, count*step+2), 0, 6).Draw(t, "bounds")
		slices.Sort(at)
		var ranges []urlkey.Range
		for i := 0; i+1 < len(at); i += 2 {
			ranges = append(ranges, urlkey.Range{From: fmt.Sprintf("cn,pku,)/%06d", at[i]), To: fmt.Sprintf("cn,pku,)/%06d", at[i+1])})
		}
		if len(at)%2 == 1 {
			ranges = append(ranges, urlkey.Range{From: fmt.Sprintf("cn,pku,)/%06d", at[len(at)-1])})
		}
		var want []pair
		for _, p := range rows {
			if ranges == nil || slices.ContainsFunc(ranges, func(r urlkey.Range) bool { return r.Contains(p.Key) }) {
				want = append(want, p)
			}
		}
		if got, err := read(r, ranges); err != nil || !slices.Equal(got, want) {
			t.Fatalf("ranges %q: %d rows, error %v; want %d", ranges, len(got), err, len(want))
		}
	})
}

// TestOrder shows that Add refuses rows whose keys do not ascend.
func TestOrder(t *testing.T) {
	w, err := NewWriter(&bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	for i, key := range []string{"a", "b", "b", "a"} {
		if err := w.Add(task.ResultRow{Key: []byte(key)}); (err != nil) != (i >= 2) {
			t.Errorf("row %d, %s: error %v", i, key, err)
		}
	}
}

// TestDamage changes each byte of a file, and cuts the file at each byte.
// Either it cannot be read, or its rows are the ones that were written.
func TestDamage(t *testing.T) {
	var rows []pair
	for i := range 50 {
		rows = append(rows, pair{fmt.Sprintf("key %03d", i), fmt.Sprint(i * i * i)})
	}
	b := write(t, task.Result{Kind: task.ResultRanks, Name: "x"}, rows)
	check := func(b []byte, what string) {
		r, err := NewReader(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		if got, err := read(r, nil); err == nil && !slices.Equal(got, rows) {
			t.Errorf("%s: read %d rows, and not those written", what, len(got))
		}
	}
	for i := range b {
		check(b[:i], fmt.Sprint("cut at ", i))
		c := slices.Clone(b)
		c[i] ^= 1 << (i % 8)
		check(c, fmt.Sprint("changed at ", i))
	}
}

// FuzzReader shows that no input makes the Reader panic.
func FuzzReader(f *testing.F) {
	f.Add(write(f, task.Result{Kind: "k", Name: "n"}, []pair{{"a", "b"}, {"ab", ""}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := NewReader(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		if _, err := read(r, []urlkey.Range{{From: "a", To: "b"}}); err != nil {
			return
		}
	})
}
