package sound

import (
	"bytes"
	"slices"

	"infomall/store/document"
	"infomall/store/document/media"
)

// readRMID reads a MIDI file that is wrapped in RIFF.
func readRMID(b *document.Builder, v media.View) error {
	for id, c := range media.Chunks(v.From(12), false) {
		if id == "data" {
			return readMIDI(b, c)
		}
	}
	return nil
}

// midi collects the properties of a MIDI file while it is read.
type midi struct {
	tags   media.Tags
	tempos []tempo
	end    int // the last tick of any track
	lyrics []byte
}

// tempo says how long a quarter note is from a tick on.
type tempo struct {
	tick, microseconds int
}

// temposMax bounds the changes of tempo that are kept.
const temposMax = 10_000

func readMIDI(b *document.Builder, v media.View) error {
	m := &midi{}
	division := v.Big16(12)
	for id, track := range media.ChunksUnaligned(v.From(8 + v.Big32(4))) {
		if id == "MTrk" {
			m.track(track)
		}
	}
	b.Doc.Duration = m.duration(division)
	m.tags.AddRaw(media.Lyrics, m.lyrics)
	return m.tags.Put(b)
}

// vary returns the number of variable length at the start of v, and how many bytes it has.
func vary(v media.View) (n, size int) {
	for size < 4 {
		c := v.Byte(size)
		n = n<<7 | int(c&0x7f)
		if size++; c&0x80 == 0 {
			break
		}
	}
	return n, size
}

// midiFields are the kinds of events that are text.
var midiFields = map[byte]media.Field{2: media.Rights, 3: media.Title}

// track reads the events of one track: after a time, a status byte, which may be left out
// if it is that of the event before.
func (m *midi) track(v media.View) {
	tick, status := 0, byte(0)
	for at := 0; at < len(v); {
		wait, n := vary(v.From(at))
		at += n
		tick = min(tick+wait, 1<<30)
		if c := v.Byte(at); c >= 0x80 {
			status = c
			at++
		}
		switch {
		case status == 0xff:
			kind := v.Byte(at)
			size, n := vary(v.From(at + 1))
			m.meta(kind, tick, v.Sub(at+1+n, size))
			at += 1 + n + size
		case status == 0xf0 || status == 0xf7:
			size, n := vary(v.From(at))
			at += n + size
		case status >= 0xc0 && status < 0xe0:
			at++
		case status >= 0x80 && status < 0xf0:
			at += 2
		default:
			return // not an event of a file
		}
	}
	m.end = max(m.end, tick)
}

// meta reads an event that is not music.
func (m *midi) meta(kind byte, tick int, c media.View) {
	switch kind {
	case 0x51:
		if len(m.tempos) < temposMax {
			m.tempos = append(m.tempos, tempo{tick, c.Big24(0)})
		}
	case 1, 5: // text, lyrics
		if len(c) > 0 && c[0] == '@' && kind == 1 {
			if c.Has(0, "@T") {
				m.tags.AddRaw(media.Comment, c[2:]) // the titles of a karaoke file
			}
			return
		}
		if len(m.lyrics)+len(c) < 1<<20 {
			// In karaoke "\" begins a verse and "/" a line.
			if len(c) > 0 && (c[0] == '/' || c[0] == '\\') {
				m.lyrics, c = append(m.lyrics, '\n'), c[1:]
			}
			m.lyrics = append(m.lyrics, bytes.ReplaceAll(c, []byte{'\r'}, []byte{'\n'})...)
			if kind == 1 && len(c) > 12 {
				m.lyrics = append(m.lyrics, '\n') // a sentence, not a syllable
			}
		}
	default:
		if f, ok := midiFields[kind]; ok {
			m.tags.AddRaw(f, c)
		}
	}
}

// duration returns the milliseconds from the first tick to the last.
func (m *midi) duration(division int) int64 {
	if division&0x8000 != 0 {
		frames := 256 - division>>8&0xff
		return media.Milliseconds(float64(m.end), float64(frames*(division&0xff)))
	}
	slices.SortStableFunc(m.tempos, func(a, b tempo) int { return a.tick - b.tick })
	at, length, total := 0, 500_000, 0.0
	for _, t := range m.tempos {
		total += float64(t.tick-at) * float64(length)
		at, length = t.tick, t.microseconds
	}
	total += float64(m.end-at) * float64(length)
	return media.Milliseconds(total, float64(division)*1e6)
}
