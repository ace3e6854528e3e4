package worker

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"infomall/exec/session"
	"infomall/exec/spill"
	"infomall/store/crc32c"
)

// recordBytesMax bounds one record, because it is held in memory until it is whole.
const recordBytesMax = 256 << 20

var (
	errCut   = errors.New("the answer has ended before its end mark")
	errOrder = errors.New("a message of the answer is missing")
	errEnd   = errors.New("the answer has other records than its end mark says")
	errLong  = fmt.Errorf("a record has more than %d bytes", recordBytesMax)
)

// refusedError says why a worker cannot answer a question.
type refusedError struct{ why string }

func (e *refusedError) Error() string { return e.why }

// ownError is a failure of the process that asks, such as a disk that is full.
type ownError struct{ err error }

func (e *ownError) Error() string {
	return "this process cannot hold the answers of workers: " + e.err.Error()
}

func (e *ownError) Unwrap() error { return e.err }

// receive sends the task of the attempt t to its worker, and adds the records of the answer
// to spool. It returns nil only if the answer is whole or a fault. If the worker is silent
// for too long, the error is ErrLost.
func receive(ctx context.Context, a *Asker, q *session.Question, t *attempt, spool *spill.Spool) (fault bool, err error) {
	msg, err := encodeTask(q, t.part, t.number)
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(silenceMax, func() { cancel(ErrLost) })
	defer silence.Stop()
	in := answer{attempt: t.number, spool: spool}
	for msg, err := range a.transport.Send(ctx, t.worker.ID, msg) {
		silence.Stop() // the worker is not silent while this process works
		if err == nil {
			err = in.add(msg)
		}
		if err != nil {
			return false, cause(ctx, err)
		}
		if in.ended {
			return in.fault, nil
		}
		silence.Reset(silenceMax)
	}
	return false, cause(ctx, errCut)
}

// cause returns why ctx has ended, or err if it has not.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// answer is an answer that comes in.
type answer struct {
	attempt uint64
	number  uint32 // of the next message
	spool   *spill.Spool
	buf     []byte // the start of a record whose rest has not come
	records uint64
	crc     uint32
	ended   bool // it is whole, or a fault
	fault   bool
}

// add adds a message. It ignores a message that has come already, or that belongs to another
// attempt.
func (in *answer) add(msg []byte) error {
	m, err := decodeMessage(msg)
	switch {
	case err != nil:
		return err
	case m.attempt != in.attempt || m.number < in.number:
		return nil
	case m.number > in.number:
		return errOrder
	}
	in.number++
	switch m.kind {
	case kindAlive:
		return nil
	case kindRecords:
		return in.addRecords(m.content)
	case kindEnd:
		if len(in.buf) > 0 || len(m.content) != 12 || binary.BigEndian.Uint64(m.content) != in.records || binary.BigEndian.Uint32(m.content[8:]) != in.crc {
			return errEnd
		}
		in.ended = true
		return nil
	case kindFault:
		in.ended, in.fault = true, true
		return nil
	case kindRefused:
		return &refusedError{string(m.content)}
	case kindFailed:
		return errors.New(string(m.content))
	}
	return errDamaged
}

// addRecords adds the records in content, of which the first may have begun in the message
// before, and the last may go on in the next.
func (in *answer) addRecords(content []byte) error {
	in.buf = append(in.buf, content...)
	rest := in.buf
	for {
		size, n := binary.Uvarint(rest)
		if n < 0 || size > recordBytesMax {
			return errLong
		}
		if n == 0 || uint64(len(rest)-n) < size {
			break
		}
		end := n + int(size)
		if err := in.spool.Add(rest[n:end]); err != nil {
			return &ownError{err}
		}
		in.crc = crc32c.Add(in.crc, rest[:end])
		in.records++
		rest = rest[end:]
	}
	in.buf = in.buf[:copy(in.buf, rest)]
	return nil
}
