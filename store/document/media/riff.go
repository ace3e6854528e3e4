package media

import "iter"

// Chunks ranges over the chunks of a RIFF file, or of a list in a RIFF file.
// The first value is the name of a chunk, four letters, and the second its
// content. big says that sizes have their most significant byte first, as in
// AIFF. The content of a chunk that claims more bytes than v has is cut.
func Chunks(v View, big bool) iter.Seq2[string, View] { return chunks(v, big, 1) }

// ChunksUnaligned ranges over the chunks of a MIDI file, which may begin at odd positions
// and have sizes with the most significant byte first.
func ChunksUnaligned(v View) iter.Seq2[string, View] { return chunks(v, true, 0) }

// chunks ranges over the chunks of v, see Chunks. odd is 1 if a chunk of odd
// size is followed by a byte of padding, and otherwise 0.
func chunks(v View, big bool, odd int) iter.Seq2[string, View] {
	return func(yield func(string, View) bool) {
		for at := 0; at+8 <= len(v); {
			size := v.Little32(at + 4)
			if big {
				size = v.Big32(at + 4)
			}
			if !yield(string(v[at:at+4]), v.Sub(at+8, size)) {
				return
			}
			at = v.After(at+8+size&odd, size)
		}
	}
}

// infoFields maps the names of chunks in a list INFO to fields.
var infoFields = map[string]Field{
	"INAM": Title, "TITL": Title, "IART": Author, "IWRI": Author, "IPRD": Album, "ICMT": Comment, "ISBJ": Comment,
	"ICOP": Rights, "IKEY": Keywords, "IGNR": Keywords, "ISFT": Producer, "ICRD": Date, "IDIT": Date,
}

// Info adds the tags of a list INFO of a RIFF file.
func (t *Tags) Info(list View) {
	for id, c := range Chunks(list, false) {
		if f, ok := infoFields[id]; ok {
			t.AddRaw(f, c)
		}
	}
}
