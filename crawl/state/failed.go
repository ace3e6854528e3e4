package state

import (
	"encoding/binary"
	"iter"

	bolt "go.etcd.io/bbolt"

	"infomall/crawl/report"
	"infomall/store/packed"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// noteFailure notes the URL of the fetch f if f brought no response. If f brought one, noteFailure
// removes the note of an earlier failure. If no server was asked, it changes nothing.
func (q *Crawl) noteFailure(f *report.Fetch) error {
	if f.Unasked || f.Outcome == report.OutcomeFiltered {
		return nil
	}
	b, err := q.bucket(bucketFailed)
	if err != nil {
		return err
	}
	key := []byte(urlkey.Key(f.URL))
	if f.Bytes >= 0 {
		return b.Delete(key)
	}
	return b.Put(key, packed.AppendSized(binary.AppendVarint(nil, int64(f.Time)), f.URL))
}

// decodeFailure reads what noteFailure wrote.
func decodeFailure(b []byte) (f report.Failure, err error) {
	d := packed.Reader{B: b}
	f.Time, f.URL = record.Time(d.Varint()), d.Text()
	return f, end(&d)
}

// Failures yields the URLs whose last fetch by the crawl in dir brought no response, in
// slices of up to visitRows, in the order of their keys. If ranges is not nil, it yields only
// URLs whose keys are in ranges, which are sorted and disjoint. An error is the last pair.
func Failures(dir string, ranges []urlkey.Range) iter.Seq2[[]report.Failure, error] {
	if ranges == nil {
		ranges = make([]urlkey.Range, 1) // all keys
	}
	return func(yield func([]report.Failure, error) bool) {
		for check := bucketFailed; len(ranges) > 0; check = nil {
			var list []report.Failure
			err := visit(dir, false, check, func(tx *bolt.Tx) (err error) {
				b := tx.Bucket(bucketFailed)
				if b == nil {
					ranges = nil
					return nil
				}
				list, ranges, err = inRanges(b, ranges)
				return err
			})
			if err != nil {
				yield(nil, err)
				return
			}
			if len(list) > 0 && !yield(list, nil) {
				return
			}
		}
	}
}

// inRanges decodes up to visitRows entries of the bucket of failures whose keys are in ranges.
// rest has the ranges that the next call must read.
func inRanges(b *bolt.Bucket, ranges []urlkey.Range) (list []report.Failure, rest []urlkey.Range, err error) {
	c := b.Cursor()
	for i, r := range ranges {
		for k, v := c.Seek([]byte(r.From)); k != nil && r.Contains(string(k)); k, v = c.Next() {
			if len(list) == visitRows {
				return list, append([]urlkey.Range{{From: string(k), To: r.To}}, ranges[i+1:]...), nil
			}
			f, err := decodeFailure(v)
			if err != nil {
				return nil, nil, err
			}
			list = append(list, f)
		}
	}
	return list, nil, nil
}
