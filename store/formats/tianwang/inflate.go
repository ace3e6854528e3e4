package tianwang

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zlib"

	"infomall/store/record"
	"infomall/store/record/message"
)

// ratioMax bounds how many times larger than its input the output of zlib can
// be. The format of deflate allows no more.
const ratioMax = 1032

// inflateInto decompresses the data at off of the record with head h, and sets the
// fields of c from it. The result why says what is wrong with the data, such as
// "compressed data ends before its declared length". err is any other failure.
func (s *scanner) inflateInto(c *record.Capture, off int64, h head) (why string, err error) {
	if h.unzip > ratioMax*h.length+64 {
		return fmt.Sprintf("%d bytes of data can't hold the %d that unzip-length says", h.length, h.unzip), nil
	}
	if !s.o.Limits.InMemory(h.unzip) || !s.o.Limits.InMemory(h.length) {
		return s.inflateSpool(c, off, h)
	}
	if int64(cap(s.compressed)) < h.length {
		s.compressed = make([]byte, h.length)
	}
	in := s.compressed[:h.length]
	if err := s.w.Read(in, off); err != nil {
		return "", err
	}
	compressed := bytes.NewReader(in)
	if err := s.openInflater(compressed); err != nil {
		return inflateFault(err)
	}
	data := make([]byte, h.unzip)
	if n, err := io.ReadFull(s.inflater, data); err != nil {
		if short(err) {
			return fmt.Sprintf("data inflates to %d bytes, unzip-length says %d", n, h.unzip), nil
		}
		return inflateFault(err)
	}
	if why, err := s.endOfData(h, compressed); why != "" || err != nil {
		return why, err
	}
	if c.Via == record.ViaResource {
		c.Body = data
	} else {
		message.Set(c, data)
	}
	return "", nil
}

// inflateSpool does the work of inflateInto for data too large for memory: it
// decompresses to a temporary file first. The result why says what is wrong with
// the data; err is any other failure.
func (s *scanner) inflateSpool(c *record.Capture, off int64, h head) (why string, err error) {
	compressed := bufio.NewReader(io.NewSectionReader(s.r, off, h.length))
	if err := s.openInflater(compressed); err != nil {
		return inflateFault(err)
	}
	in := &inflated{r: io.LimitReader(s.inflater, h.unzip)}
	spool, err := message.NewSpool(in, s.o.Limits.TempDir)
	if err != nil {
		if in.err != nil {
			return inflateFault(in.err)
		}
		return "", err
	}
	defer spool.File.Close()
	if spool.Size < h.unzip {
		return fmt.Sprintf("data inflates to %d bytes, unzip-length says %d", spool.Size, h.unzip), nil
	}
	if why, err := s.endOfData(h, compressed); why != "" || err != nil {
		return why, err
	}
	return "", s.fill(c, message.NewWindow(s.ctx, spool.File), 0, spool.Size)
}

// inflated is a reader of r that remembers the error that r returned. If a copy
// fails, its error can then be traced to r or to the writer.
type inflated struct {
	r   io.Reader
	err error
}

func (in *inflated) Read(p []byte) (int, error) {
	n, err := in.r.Read(p)
	if err != nil && err != io.EOF {
		in.err = err
	}
	return n, err
}

func (s *scanner) openInflater(r io.Reader) error {
	if s.inflater == nil {
		inflater, err := zlib.NewReader(r)
		if err != nil {
			return err
		}
		s.inflater = inflater
		return nil
	}
	return s.inflater.(zlib.Resetter).Reset(r, nil)
}

// endOfData checks that the inflater is at the end of its data, which includes the
// checksum of zlib, and that no compressed input is left. h is the head of the
// record. The result why says what is wrong, or is "".
func (s *scanner) endOfData(h head, compressed io.ByteReader) (why string, err error) {
	var one [1]byte
	n, err := s.inflater.Read(one[:])
	switch {
	case n > 0:
		return fmt.Sprintf("data inflates to more than the %d bytes that unzip-length says", h.unzip), nil
	case err != io.EOF:
		return inflateFault(err)
	}
	if _, err := compressed.ReadByte(); err == nil {
		return "compressed data ends before its declared length", nil
	}
	return "", nil
}

// inflateFault separates faults of compressed data from failures to read it. If err
// is a fault, why is its text and failure is nil. For any other error, why is ""
// and failure is that error.
func inflateFault(err error) (why string, failure error) {
	var corrupt flate.CorruptInputError
	var unexpected flate.InternalError // also given for damaged data
	switch {
	case errors.As(err, &corrupt), errors.As(err, &unexpected), errors.Is(err, zlib.ErrHeader), errors.Is(err, zlib.ErrChecksum),
		errors.Is(err, zlib.ErrDictionary), short(err):
		return fmt.Sprintf("data can't be inflated: %v", err), nil
	default:
		return "", fmt.Errorf("inflate: %w", err)
	}
}

func short(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) }

// isZlib reports whether data begins with a valid zlib header.
func isZlib(data []byte) bool {
	return len(data) >= 2 && data[0]&0x0f == 8 && (int(data[0])<<8|int(data[1]))%31 == 0
}
