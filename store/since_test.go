package store

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"infomall/store/record"
	"infomall/store/urlkey"
)

// TestSince looks for the last capture of a URL before a time as SHOW PAGE does, in segments whose
// times overlap. It finds the capture that a scan of all of them finds.
func TestSince(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	const urls, months = 6, 12
	var times [urls][]record.Time
	for range 15 {
		var visits []*visit
		first := r.IntN(months)
		for n := range urls {
			if r.IntN(3) == 0 {
				at := day0 + record.Time(31*(first+r.IntN(2))+r.IntN(31))*dayMillis
				times[n] = append(times[n], at)
				visits = append(visits, &visit{url: fmt.Sprintf("http://a.example/%d", n), time: at, status: 200, body: fmt.Sprint("words ", len(times[n]))})
			}
		}
		put(t, a, visits)
	}
	v, err := a.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	found, steps := 0, 0
	for n := range urls {
		key := urlkey.Key(fmt.Sprintf("http://a.example/%d", n))
		for range 30 {
			before := day0 + record.Time(r.IntN(31*(months+1)))*dayMillis
			want, got := record.NoTime, record.NoTime
			for _, at := range times[n] {
				if at < before && (want == record.NoTime || at > want) {
					want = at
				}
			}
			to := before
			for k := 1; got == record.NoTime && to > record.MinTime; k *= 2 {
				from := v.Since(key, to, k)
				if from >= to {
					t.Fatalf("Since before %d returned %d", to, from)
				}
				for b, err := range v.Scan(t.Context(), record.Scan{Ranges: []urlkey.Range{{From: key, To: key + "\x00"}}, From: from, To: to}) {
					if err != nil {
						t.Fatal(err)
					}
					if b.N > 0 {
						got = b.Time[b.N-1]
					}
				}
				to = from
				steps++
			}
			if got != want {
				t.Fatalf("the last capture of %s before %d is of %d, want %d", key, before, got, want)
			}
			if got != record.NoTime {
				found++
			}
		}
	}
	if found < urls*10 || steps <= found {
		t.Fatalf("%d captures were found in %d steps: too little is tried", found, steps)
	}
}
