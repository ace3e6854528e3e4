package warc

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"iter"
	"strings"

	"infomall/store/record"
	"infomall/store/record/task"
)

// Recover reads a file of size bytes, or any fragment of one, and yields every
// whole record, of whatever type, and every damaged span, in order. The file
// may be plain or consist of gzip members.
//
// A record is whole if it ends where its length says, and if its block has the
// digest that its header declares. A digest that is not a sha1, sha256 or md5 is
// not checked. In a compressed file, it must also be possible to decompress the
// record's gzip member, and the member must match its checksum.
//
// A whole record is chained if it is the first or last of the file, if a whole
// record comes directly before it, or if a header comes directly after it.
// Otherwise it is confirmed.
func Recover(ctx context.Context, r io.ReaderAt, size int64, o Options) iter.Seq2[task.Recovered, error] {
	return func(yield func(task.Recovered, error) bool) {
		s, err := open(ctx, r, o)
		if err != nil {
			yield(task.Recovered{}, err)
			return
		}
		defer s.Close()
		c := &recoverer{scanner: s, size: size}
		if err := c.run(func(r task.Recovered) bool { return yield(r, nil) }); err != nil {
			yield(task.Recovered{}, err)
		}
	}
}

// recoverer is the state of one call of Recover.
type recoverer struct {
	*scanner
	size  int64
	whole bool // the current position is the start of the file, or a whole record ends there
}

// run calls yield for each record and each damaged span, in order. It returns
// nil at the end of the file, and also if yield returns false.
func (c *recoverer) run(yield func(task.Recovered) bool) error {
	c.whole = true
	return c.Each(func(pos int64) (next int64, more bool, err error) {
		h, why, err := c.recordAt(pos)
		if err != nil {
			return 0, false, err
		}
		var out task.Recovered
		if why != "" {
			var it record.Item
			it, next, err = c.Damage(pos, why, c.searchAll)
			out = task.Recovered{Offset: it.Offset, Length: it.Length, What: it.Damage, URL: h.uri("WARC-Target-URI"), Time: timeOf(&h)}
			c.whole = false
		} else {
			out, err = c.record(pos, h)
			next = pos + h.bytes + h.length
		}
		if err != nil {
			return 0, false, err
		}
		return next, yield(out), nil
	})
}

// record checks the record at pos, which has the header h and ends where its length
// says. It returns what Recover yields for the record.
func (c *recoverer) record(pos int64, h header) (task.Recovered, error) {
	end := pos + h.bytes + h.length
	at, first := c.Locate(pos)
	out := task.Recovered{Offset: at, State: task.RecoverChained, Records: 1, Time: record.NoTime}
	next, err := c.SkipEmpty(end)
	if err != nil {
		return out, err
	}
	last, err := c.AtEnd(next)
	if err != nil {
		return out, err
	}
	if last = last && c.Broken() == nil; last {
		out.Length = c.size - at
	} else if to, nextFirst := c.Locate(next); first && nextFirst {
		out.Length = to - at
	}
	if !c.whole && !last {
		if _, fault, err := c.headerAt(next); err != nil {
			return out, err
		} else if fault != nil {
			out.State = task.RecoverConfirmed
		}
	}
	why, err := digestFault(io.NewSectionReader(c, pos+h.bytes, h.length), h.get("WARC-Block-Digest"))
	if err != nil {
		return out, err
	}
	if c.whole = why == ""; !c.whole {
		out.State, out.Records, out.What = task.RecoverDamaged, 0, why
		out.URL, out.Time = h.uri("WARC-Target-URI"), timeOf(&h)
		return out, nil
	}
	out.Write = func(w io.Writer) error {
		if _, err := io.Copy(w, io.NewSectionReader(c, pos, end-pos)); err != nil {
			return err
		}
		_, err := io.WriteString(w, "\r\n\r\n")
		return err
	}
	return out, nil
}

func timeOf(h *header) record.Time {
	if t, err := parseDate(h.get("WARC-Date")); err == nil {
		return record.At(t)
	}
	return record.NoTime
}

// digestFault compares the bytes of block with the digest that was declared for
// them, such as "sha1:BASE32". The result why says how they differ. It is "" if
// they agree or the algorithm is unknown. err is a failure to read block.
func digestFault(block io.Reader, declared string) (why string, err error) {
	name, value, _ := strings.Cut(declared, ":")
	var sum hash.Hash
	switch strings.ToLower(name) {
	case "sha1", "sha-1":
		sum = sha1.New()
	case "sha256", "sha-256":
		sum = sha256.New()
	case "md5":
		sum = md5.New()
	default:
		return "", nil
	}
	want, err := hex.DecodeString(strings.ToLower(value))
	if err != nil || len(want) != sum.Size() {
		want, err = base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.TrimRight(strings.ToUpper(value), "="))
	}
	if err != nil || len(want) != sum.Size() {
		return fmt.Sprintf("WARC-Block-Digest %.80q is no digest", declared), nil
	}
	if _, err := io.Copy(sum, block); err != nil {
		return "", fmt.Errorf("read a record's block: %w", err)
	}
	if !bytes.Equal(sum.Sum(nil), want) {
		return "its block does not have the digest " + declared, nil
	}
	return "", nil
}
