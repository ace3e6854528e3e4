package s3

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// TestPatient reads from a store that sends a byte now and then. The read goes on as long as bytes
// come, and ends when none has come for the time of patience.
func TestPatient(t *testing.T) {
	for _, stalls := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			const bytes = 20
			r, w := io.Pipe()
			go func() {
				for i := range bytes {
					if stalls && i == bytes/2 {
						return
					}
					time.Sleep(patience - time.Second)
					w.Write([]byte{'x'}) // it fails if nobody reads any more
				}
			}()
			start := time.Now()
			body := newPatient(r, func() { r.CloseWithError(errStalled) })
			defer body.idle.Stop()
			b, err := readSized(body, bytes)
			if stalls && (err == nil || b != nil || time.Since(start) > 12*patience) || !stalls && (err != nil || len(b) != bytes) {
				t.Errorf("stalls %v: %d bytes, %v after %v", stalls, len(b), err, time.Since(start))
			}
		})
	}
}

var errStalled = errors.New("stalled")

// TestReadSized reads answers that are shorter than the store has announced. An answer takes memory
// for its own bytes only, however many the store has announced.
func TestReadSized(t *testing.T) {
	whole := bytes.Repeat([]byte("0123456789"), sizeTrusted/4)
	for _, want := range []int64{-1, int64(len(whole))} {
		if b, err := readSized(bytes.NewReader(whole), want); err != nil || !bytes.Equal(b, whole) {
			t.Errorf("%d announced: %d bytes, %v", want, len(b), err)
		}
	}
	if b, err := readSized(bytes.NewReader(whole), 1<<60); err == nil {
		t.Errorf("%d bytes of 1<<60", len(b))
	}
}
