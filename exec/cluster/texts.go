package cluster

import (
	"context"
	"encoding/binary"

	"infomall/exec/op"
	"infomall/exec/spill"
	"infomall/exec/value"
	"infomall/exec/vector"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/urlkey"
	"infomall/store/words"
)

// texts holds what CLUSTER needs to know about the texts of a query, in the order of its rows.
type texts struct {
	list       []text
	skipped    int64 // rows that have no URL, or no word
	bytes      int64 // memory that list takes, about
	dictionary vector.Dictionary
	spool      *spill.Spool  // the words of each text with their counts, see appendWords
	matrix     vector.Matrix // the weights of the words of each text, with BY words
}

// text is what is known about one text.
type text struct {
	url  string
	time record.Time // NoTime if the query has no times
	hash uint64      // its fingerprint
}

// textBytes is an estimate of the memory that a text takes besides its URL, in bytes: its element
// of texts.list, its elements in other lists, and what DBSCAN needs for it.
const textBytes = 200

// close frees the temporary files.
func (t *texts) close() { t.spool.Close() }

// hashes returns the fingerprints of all texts.
func (t *texts) hashes() []uint64 {
	out := make([]uint64, len(t.list))
	for i := range t.list {
		out[i] = t.list[i].hash
	}
	return out
}

// read reads the rows of the query, whose plan the Runner run executes. The caller closes the
// result.
func (j *job) read(ctx context.Context, run *op.Runner) (_ *texts, err error) {
	t := &texts{spool: run.Memory.Spool(8)}
	defer func() {
		if err != nil {
			t.close()
		}
	}()
	rows, err := run.Rows(ctx, j.node)
	if err != nil {
		return nil, err
	}
	counter := vector.Counter{Dictionary: &t.dictionary}
	var raw []byte
	n := int64(0)
	for b, err := range rows {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		for i := range b.N {
			n++
			x, body, err := j.row(b, i, n)
			if err != nil {
				return nil, err
			}
			counter.Text(body)
			v := counter.Vector()
			if x.url == "" || len(v.Words) == 0 {
				t.skipped++
				continue
			}
			var sum words.Simhash
			sum.Add(body, 1)
			x.hash = sum.Sum()
			t.list = append(t.list, x)
			t.bytes += int64(len(x.url)) + textBytes
			raw = appendWords(raw[:0], v)
			if err := t.spool.Add(raw); err != nil {
				return nil, err
			}
		}
		if err := j.fits(t.bytes + t.dictionary.Bytes()); err != nil {
			return nil, err
		}
	}
	return t, j.weigh(ctx, t)
}

// row returns what is known about the text in row i of the batch b, and the text itself. n is the
// number of the row in the whole query, for an error. The URL is "" if the row has none.
func (j *job) row(b *value.Batch, i int, n int64) (text, string, error) {
	x := text{time: record.NoTime}
	if url := b.Cols[j.url].At(i); !url.IsNull() && url.Text != "" {
		canonical, err := urlkey.Canonical(url.Text)
		if err != nil {
			return x, "", ast.Errorf(j.st.Query, "row %d: %v", n, err)
		}
		x.url = canonical
	}
	if j.time >= 0 {
		if at := b.Cols[j.time].At(i); !at.IsNull() {
			x.time = record.Time(at.Int)
		}
	}
	body := b.Cols[j.text].At(i)
	if body.IsNull() {
		return x, "", nil
	}
	return x, body.Text, nil
}

// fits returns an error if bytes, the memory that the texts take, is above the setting memory.
func (j *job) fits(bytes int64) error {
	if most := j.s.Settings().MemoryBytes; bytes > most {
		return hinted(ast.Errorf(j.st.Query, "the texts take more memory than %s", value.Size(most)), "SET memory to more, or narrow the query to fewer texts")
	}
	return nil
}

// weigh computes the weights of all words of all texts, if the method needs them.
func (j *job) weigh(ctx context.Context, t *texts) error {
	if !j.words {
		return nil
	}
	for raw, err := range t.spool.All() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		t.matrix.Add(parseWords(raw))
		// The methods need as much again for their index or centres.
		if err := j.fits(t.bytes + t.dictionary.Bytes() + 2*t.matrix.Bytes()); err != nil {
			return err
		}
	}
	idf := vector.NewIDF(&t.matrix, t.dictionary.Len(), nil)
	for i := range t.matrix.Len() {
		idf.Weigh(t.matrix.Row(i))
	}
	return nil
}

// appendWords appends the encoded vector of word counts v to dst. For each word it writes the
// difference of its number from that of the word before, and its count. parseWords decodes it.
func appendWords(dst []byte, v vector.Vector) []byte {
	last := uint32(0)
	for i, w := range v.Words {
		dst = binary.AppendUvarint(dst, uint64(w-last))
		dst = binary.AppendUvarint(dst, uint64(v.Values[i]))
		last = w
	}
	return dst
}

// parseWords returns the vector that appendWords encoded as raw.
func parseWords(raw []byte) (v vector.Vector) {
	last := uint32(0)
	for len(raw) > 0 {
		d, n := binary.Uvarint(raw)
		count, m := binary.Uvarint(raw[n:])
		last += uint32(d)
		v.Words, v.Values = append(v.Words, last), append(v.Values, float32(count))
		raw = raw[n+m:]
	}
	return v
}
