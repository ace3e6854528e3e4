package msdoc

import "infomall/store/document/ole"

// piece is a stretch of text.
type piece struct {
	from, to uint32 // character positions
	offset   uint32 // of the first byte in the stream
	wide     bool   // characters have two bytes, not one
}

// piecesOf reads the table of pieces of a document. It returns nil if there is none.
func piecesOf(clx []byte, old bool) []piece {
	for len(clx) >= 3 && clx[0] == 1 { // properties that pieces share
		clx = clx[min(len(clx), 3+int(ole.U16(clx, 1))):]
	}
	if len(clx) < 5 || clx[0] != 2 {
		return nil
	}
	list := clx[5:min(uint64(len(clx)), 5+uint64(ole.U32(clx, 1)))]
	n := (len(list) - 4) / 12
	if n <= 0 {
		return nil
	}
	out := make([]piece, 0, n)
	for i := range n {
		p := piece{from: ole.U32(list, 4*i), to: ole.U32(list, 4*i+4)}
		p.offset = ole.U32(list, 4*(n+1)+8*i+2)
		const inBytes = 1 << 30
		if !old {
			if p.wide = p.offset&inBytes == 0; !p.wide {
				p.offset = p.offset &^ inBytes / 2
			}
		}
		if p.from < p.to {
			out = append(out, p)
		}
	}
	return out
}

// onePiece returns the text of a document without a table of pieces: one stretch.
func (w *word) onePiece() []piece {
	from, to := ole.U32(w.main, 0x18), ole.U32(w.main, 0x1c)
	to = uint32(min(uint64(to), uint64(len(w.main))))
	if from >= to {
		return nil
	}
	p := piece{to: to - from, offset: from}
	if !w.old {
		// The table is lost, so the bytes must show which width the characters have.
		zeros := 0
		text := w.main[from:to]
		for i := 1; i < len(text); i += 2 {
			if text[i] == 0 {
				zeros++
			}
		}
		if p.wide = zeros > len(text)/16; p.wide {
			p.to /= 2
		}
	}
	return []piece{p}
}

// bytes returns the bytes of the characters of p from one position to another.
func (w *word) bytes(p piece, from, to uint32) (text []byte, offset uint32) {
	width := uint64(1)
	if p.wide {
		width = 2
	}
	start := uint64(p.offset) + uint64(from-p.from)*width
	end := min(start+uint64(to-from)*width, uint64(len(w.main)))
	if start >= end {
		return nil, 0
	}
	return w.main[start:end], uint32(start)
}
