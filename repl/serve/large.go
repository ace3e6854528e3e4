package serve

import (
	"io"
	"iter"
)

// largeReader reads a body that is yielded in pieces, and can begin at any offset: the pieces
// before are skipped. It holds one piece in memory. The caller closes it.
type largeReader struct {
	pieces iter.Seq2[[]byte, error]
	size   int64
	offset int64 // of the next byte to read

	next  func() ([]byte, error, bool)
	stop  func()
	at    int64 // offset after the bytes that were taken from next
	piece []byte
}

func newLargeReader(pieces iter.Seq2[[]byte, error], size int64) *largeReader {
	return &largeReader{pieces: pieces, size: size}
}

// Seek sets the offset of the next byte to read, as io.Seeker says.
func (l *largeReader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += l.offset
	case io.SeekEnd:
		offset += l.size
	}
	if offset < 0 || offset > l.size {
		return 0, errSeek
	}
	l.offset = offset
	return offset, nil
}

// Read reads the next bytes of the body.
func (l *largeReader) Read(b []byte) (int, error) {
	if l.offset >= l.size {
		return 0, io.EOF
	}
	if l.next == nil || l.offset < l.at-int64(len(l.piece)) {
		l.Close()
		l.next, l.stop = iter.Pull2(l.pieces)
		l.at, l.piece = 0, nil
	}
	for l.offset >= l.at {
		piece, err, ok := l.next()
		if err != nil {
			return 0, err
		}
		if !ok {
			return 0, io.ErrUnexpectedEOF
		}
		l.piece = piece
		l.at += int64(len(piece))
	}
	n := copy(b, l.piece[int64(len(l.piece))-(l.at-l.offset):])
	l.offset += int64(n)
	return n, nil
}

// Close ends the reading of pieces.
func (l *largeReader) Close() {
	if l.stop != nil {
		l.stop()
		l.next, l.stop = nil, nil
	}
}
