package search

import (
	"math/rand/v2"
	"testing"

	"infomall/store/words/match"
)

// TestAnswers draws answers for the captures of a run, few and many. Each form must have what was put
// in, and found must yield the captures that match or may match, in order.
func TestAnswers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	list := append(firstSaid[:len(firstSaid):len(firstSaid)], said{answer: match.Yes}, said{answer: match.No, has: 1})
	for range 500 {
		count := 1 + r.IntN(60)
		want := make([]uint32, count)
		some := 0
		share := r.Float64()
		for n := range want {
			if want[n] = nothing; r.Float64() < share*share {
				want[n] = uint32(r.IntN(len(list)))
				some++
			}
		}
		put := newAnswers(count, some)
		if put.at != nil || len(put.said) == 0 { // some more captures have the only word of the query
			put.first, put.yes = uint32(r.IntN(70)), uint32(len(firstSaid))
			put.end = put.first + uint32(count)
			put.bits = newBitmap(int(put.end) + 5)
			put.bits.setRange(put.end, put.end+5) // captures of the next run
			put.bits.setRange(0, put.first)
			for n := range want {
				if want[n] == nothing && r.Float64() < share {
					put.bits.add(put.first+uint32(n), 1)
				}
			}
		}
		for n, answer := range want {
			if answer != nothing || put.at == nil && len(put.said) > 0 {
				put.put(uint32(n), answer)
			}
		}
		for n := range want {
			if want[n] == nothing && put.bits != nil && put.bits.has(put.first+uint32(n)) {
				want[n] = put.yes
			}
		}
		var found []uint32
		for n, s := range put.found(list) {
			answer := list[s].answer
			if answer != list[want[n]].answer {
				t.Fatalf("found yields %v for capture %d, want %v", answer, n, list[want[n]].answer)
			}
			found = append(found, n)
		}
		for n, answer := range want {
			if got := put.of(uint32(n)); got != answer {
				t.Fatalf("of %d captures, of which %d have an answer: capture %d has %d, want %d", count, some, n, got, answer)
			}
			if a := list[answer].answer; a == match.Yes || a == match.Maybe {
				if len(found) == 0 || found[0] != uint32(n) {
					t.Fatalf("found does not yield capture %d", n)
				}
				found = found[1:]
			}
		}
		if len(found) > 0 {
			t.Fatalf("found yields %v too", found)
		}
		if put.bits != nil && put.of(uint32(count)) == put.yes {
			t.Fatalf("of %d captures, capture %d has the answer of one of the next run", count, count)
		}
	}
	if got := new(answers).of(3); got != maybe {
		t.Errorf("a run that was not asked has the answer %d, want maybe", got)
	}
}
