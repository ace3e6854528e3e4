package timeline

import (
	"sort"

	"infomall/store/record"
	"infomall/store/segment"
)

// Twins finds the captures in a list that are the same as another capture (see Capture.Same). Where
// many captures of the list have one time, it looks them up in a map. The list may only grow
// between two calls of Of. The zero Twins is ready for use.
type Twins struct {
	time record.Time     // of the captures in at
	done int             // the captures list[:done] of that time are in at
	at   map[twinKey]int // the last capture with each key; nil until it is needed
}

// twinKey is a property that makes two captures of one URL and one time the same.
type twinKey struct {
	by     uint8 // which of the other fields are set: byPlace, byContent or byName
	via    record.Via
	status int32
	id     segment.ID
	seq    int64
}

const (
	byPlace   = iota // revisits from the same place of a source: via and seq
	byContent        // via, status and id
	byName           // 304s: status and id
)

// twinsScanned is how many captures of one time Of compares one by one. With more, it uses a map.
const twinsScanned = 8

// Of returns the index of the last capture in list that is the same as e, or -1. list has captures
// of the URL of e, sorted by time, and none is later than e.
func (t *Twins) Of(list []Capture, e *Capture) int {
	n := len(list)
	if n <= twinsScanned || list[n-1-twinsScanned].Time != e.Time {
		for i := n - 1; i >= 0 && list[i].Time == e.Time; i-- {
			if list[i].Same(e) {
				return i
			}
		}
		return -1
	}
	if t.at == nil || t.time != e.Time {
		t.at, t.time = make(map[twinKey]int), e.Time
		t.done = sort.Search(n, func(i int) bool { return list[i].Time >= e.Time })
	}
	for ; t.done < n; t.done++ {
		keys, count := list[t.done].twinKeys()
		for _, k := range keys[:count] {
			t.at[k] = t.done
		}
	}
	last := -1
	keys, count := e.twinKeys()
	for _, k := range keys[:count] {
		if i, ok := t.at[k]; ok {
			last = max(last, i)
		}
	}
	return last
}

// twinKeys returns the keys of e; their number is count. Two captures of one URL and one time are
// the same if they have a key in common.
func (e *Capture) twinKeys() (keys [3]twinKey, count int) {
	keys[0] = twinKey{by: byContent, via: e.Via, status: e.Status, id: e.ID}
	count = 1
	if e.Via == record.ViaRevisit || e.Via == record.ViaNotModified {
		keys[count] = twinKey{by: byPlace, via: e.Via, seq: e.Seq}
		count++
	}
	if e.Via == record.ViaNotModified {
		keys[count] = twinKey{by: byName, status: e.Status, id: e.named()}
		count++
	}
	return keys, count
}
