package kept

import (
	"cmp"
	"context"
	"encoding/binary"
	"iter"
	"slices"
	"strings"

	"infomall/exec/spill"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

// Report is a set of texts that are nearly the same, as far as its texts are shown. Texts
// has at least one; the first is the representative.
type Report struct {
	Event *Event
	ID    uint64
	Texts []Text
}

// Copies returns how many texts the report has beside its representative.
func (r *Report) Copies() int { return len(r.Texts) - 1 }

// Source returns who wrote the report: the source that its representative names, or else
// the host of that page.
func (r *Report) Source() string {
	t := &r.Texts[0]
	return cmp.Or(t.Source, urlkey.Host(t.URL))
}

// Hosts returns the hosts of the texts, each once, in the order of the texts.
func (r *Report) Hosts() (list []string) {
	for i := range r.Texts {
		if h := urlkey.Host(r.Texts[i].URL); !slices.Contains(list, h) {
			list = append(list, h)
		}
	}
	return list
}

// Named reports whether the title of the event is the title of the report.
func (r *Report) Named() bool {
	return slices.ContainsFunc(r.Texts, func(t Text) bool { return t.Named })
}

// Newest returns the last result of each name in list, which is sorted by name and then by time.
func Newest(list []task.Result) (newest []task.Result) {
	for i := range list {
		if i+1 == len(list) || list[i+1].Name != list[i].Name {
			newest = append(newest, list[i])
		}
	}
	return newest
}

// Rows yields the rows of a result with keys in ranges; nil means all rows.
type Rows func(ranges []urlkey.Range) iter.Seq2[task.ResultRow, error]

// ReadEvents returns the events of a result by their numbers, with the events that are gone.
func ReadEvents(rows Rows) (map[int]*Event, error) {
	events := make(map[int]*Event)
	for row, err := range rows(Events) {
		if err != nil {
			return nil, err
		}
		e, err := parseEvent(row)
		if err != nil {
			return nil, err
		}
		events[e.Number] = &e
	}
	return events, nil
}

// AllTexts yields the texts of a result, sorted by URL and time.
func AllTexts(rows Rows) iter.Seq2[Text, error] {
	return func(yield func(Text, error) bool) {
		for row, err := range rows(Texts) {
			var t Text
			if err == nil {
				t, err = parseText(row)
			}
			if !yield(t, err) || err != nil {
				return
			}
		}
	}
}

// Reports yields the reports of events, sorted by the number of the event, then by when the
// report began. scope has the keys of the texts to read; nil means all. A report is valid
// until the next one. Texts of an event that is not in events are left out.
func Reports(ctx context.Context, rows Rows, events map[int]*Event, scope []urlkey.Range, memory *spill.Memory) iter.Seq2[*Report, error] {
	return func(yield func(*Report, error) bool) {
		if scope == nil {
			scope = Texts
		}
		sorter := memory.Sorter(ctx, 1)
		defer sorter.Close()
		var key, val []byte
		for row, err := range rows(scope) {
			if err == nil && strings.HasPrefix(string(row.Key), firstOfEvents) {
				continue
			}
			var t Text
			if err == nil {
				t, err = parseText(row)
			}
			if err == nil {
				key = binary.BigEndian.AppendUint64(key[:0], uint64(t.Event))
				key = binary.BigEndian.AppendUint64(key, uint64(t.First)^1<<63)
				key = binary.BigEndian.AppendUint64(key, t.Report)
				key = binary.BigEndian.AppendUint64(key, uint64(t.Order))
				val = append(binary.AppendUvarint(val[:0], uint64(len(row.Key))), row.Key...)
				err = sorter.Add(key, append(val, row.Value...))
			}
			if err != nil {
				yield(nil, err)
				return
			}
		}
		var report Report
		for rec, err := range sorter.Sorted() {
			if err != nil {
				yield(nil, err)
				return
			}
			n, size := binary.Uvarint(rec.Val)
			t, err := parseText(task.ResultRow{Key: rec.Val[size : size+int(n)], Value: rec.Val[size+int(n):]})
			if err != nil {
				yield(nil, err)
				return
			}
			e := events[t.Event]
			if e == nil {
				continue
			}
			if len(report.Texts) > 0 && (report.Event != e || report.ID != t.Report) {
				if !yield(&report, nil) {
					return
				}
				report.Texts = report.Texts[:0]
			}
			report.Event, report.ID = e, t.Report
			report.Texts = append(report.Texts, t)
		}
		if len(report.Texts) > 0 {
			yield(&report, nil)
		}
	}
}
