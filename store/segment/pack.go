package segment

import (
	"bytes"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// packWindow is more than any content frame has together with its dictionary.
const packWindow = 4 << 20

// Packer compresses as small as possible, with or without dictionaries. Its tables
// take 110 MB, so one Packer is used for all segments that are packed. Only one
// goroutine may use it. The zero value is ready.
type Packer struct{ plain, with *zstd.Encoder }

// Encoder returns an encoder that compresses without a dictionary.
func (p *Packer) Encoder() *zstd.Encoder {
	if p.plain == nil {
		p.plain = packEncoder(nil)
	}
	return p.plain
}

// appendFrame appends to dst the content frame with blocks and facts, compressed
// with ahead as dictionary. It returns how many of the frame's bytes hold the
// blocks; 0 if there are no facts.
//
// It writes a stream, because EncodeAll would allocate more encoders with tables as
// large.
func (p *Packer) appendFrame(dst, blocks, facts, ahead []byte) (frame []byte, factsFrom int) {
	out := bytes.NewBuffer(dst)
	o := zstd.WithEncoderDictRaw(0, ahead)
	var err error
	if p.with == nil {
		p.with = packEncoder(out, o, zstd.WithEncoderCRC(false))
	} else {
		err = p.with.ResetWithOptions(out, o)
	}
	if err == nil {
		_, err = p.with.Write(blocks)
	}
	if err == nil && len(facts) > 0 {
		if err = p.with.Flush(); err == nil {
			factsFrom = out.Len() - len(dst)
			_, err = p.with.Write(facts)
		}
	}
	if err == nil {
		err = p.with.Close()
	}
	if err != nil {
		panic(fmt.Sprintf("segment: compress in memory: %v", err))
	}
	return out.Bytes(), factsFrom
}

func packEncoder(w io.Writer, more ...zstd.EOption) *zstd.Encoder {
	o := []zstd.EOption{zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(packWindow), zstd.WithLowerEncoderMem(true)}
	enc, err := zstd.NewWriter(w, append(o, more...)...)
	if err != nil {
		panic(fmt.Sprintf("segment: options of the zstd encoder: %v", err))
	}
	return enc
}
