package term

import (
	"bytes"
	"io"
	"sync"
	"unicode"
)

// Escape sequences of bracketed paste, a mode in which a terminal marks pasted
// text. pasteOn and pasteOff switch the mode on and off. The terminal sends
// pasteBegin (here without its ESC [) before a pasted text and pasteEnd after it.
const (
	pasteOn    = "\x1b[?2004h"
	pasteOff   = "\x1b[?2004l"
	pasteBegin = "200~"
	pasteEnd   = "\x1b[201~"
)

// pasteBytesMax is the maximum length of one pasted text, in bytes: the length
// of the largest script. The rest of a longer text is dropped.
const pasteBytesMax = 16 << 20

// escapeBytesMax is the maximum length of an escape sequence, in bytes. A
// longer one is dropped.
const escapeBytesMax = 32

// keySequences maps the escape sequences of keys, without the leading ESC [, to
// the bytes that readline gets instead. All other sequences are dropped,
// because readline would insert a part of them as text.
var keySequences = map[string]string{
	"A": "\x1b[A", "B": "\x1b[B", "C": "\x1b[C", "D": "\x1b[D",
	"H": "\x01", "1~": "\x01", "7~": "\x01", // Home
	"F": "\x05", "4~": "\x05", "8~": "\x05", // End
	"1;5C": wordRight, "1;3C": wordRight, "5C": wordRight, // Ctrl-Right, Alt-Right
	"1;5D": wordLeft, "1;3D": wordLeft, "5D": wordLeft, // Ctrl-Left, Alt-Left
	"1;2C": "\x1b[C", "1;2D": "\x1b[D", // Shift and an arrow
	"3;5~": string(runeCutWordRight), // Ctrl-Delete
	"3~":   string(runeDelete),
}

// ss3Keys maps the letter of a key that the terminal sends as ESC O and a
// letter to the bytes that readline gets instead.
var ss3Keys = map[byte]string{
	'A': "\x1b[A", 'B': "\x1b[B", 'C': "\x1b[C", 'D': "\x1b[D",
	'H': "\x01", 'F': "\x05",
	'c': wordRight, 'd': wordLeft, // Ctrl-Right and Ctrl-Left of rxvt
}

const (
	wordLeft  = string(runeWordLeft)
	wordRight = string(runeWordRight)
)

// altKeys maps the character of a key that the terminal sends as ESC and a
// character, such as Alt-B, to a private key (see isPrivate).
var altKeys = map[byte]rune{'b': runeWordLeft, 'f': runeWordRight, 'd': runeCutWordRight, 0x7f: runeCutWordLeft, '\b': runeCutWordLeft}

// controlKeys maps control characters to private keys (see isPrivate), which
// edits carries out. Readline does not get these characters, because for
// readline only ASCII letters make a word.
var controlKeys = map[byte]rune{'\t': runeComplete, 0x17: runeCutWordLeft, 0x15: runeCutLeft, 0x0b: runeCutRight, 0x19: runePutBack}

// controlsKept are the control characters that readline gets unchanged. Those
// in neither controlsKept nor controlKeys are dropped: NUL would end the
// program, and the others would become text.
const controlsKept = "\x01\x02\x03\x04\x05\x06\x07\x08\x0a\x0c\x0d\x0e\x10\x12\x13\x14\x1a\x7f"

// keyReader reads keys from the terminal for readline, and translates keys that
// readline does not know. It collects each pasted text and passes a single
// runePaste instead; takePaste returns the text. Read is called from one
// goroutine, takePaste from another.
type keyReader struct {
	in  io.Reader
	buf [4096]byte // bytes read from in
	out []byte     // translated bytes that Read has not returned yet

	state  keyState
	escape []byte // the escape sequence so far, in state keyCSI
	paste  []byte // the pasted text so far, in state keyPaste

	mu     sync.Mutex
	pastes []string // complete pasted texts, oldest first
}

// keyState says which escape sequence has begun but not ended in the bytes read
// so far.
type keyState uint8

const (
	keyPlain  keyState = iota
	keyEscape          // ESC
	keyCSI             // ESC [
	keySS3             // ESC O
	keyPaste           // ESC [ 200 ~
)

func newKeyReader(in io.Reader) *keyReader { return &keyReader{in: in} }

// Read implements io.Reader. It waits until it can return at least one
// translated byte. Outside of pasted text it reads one byte at a time from the
// terminal, because bytes after the end of a line may be for another program.
func (k *keyReader) Read(p []byte) (int, error) {
	for len(k.out) == 0 {
		buf := k.buf[:1]
		if k.state == keyPaste {
			buf = k.buf[:]
		}
		n, err := k.in.Read(buf)
		for _, b := range k.buf[:n] {
			k.take(b)
		}
		if err != nil && len(k.out) == 0 {
			return 0, err
		}
	}
	n := copy(p, k.out)
	k.out = k.out[:copy(k.out, k.out[n:])]
	return n, nil
}

// take translates b, one byte from the terminal, and appends the result to
// k.out.
func (k *keyReader) take(b byte) {
	switch k.state {
	case keyPlain:
		key, ok := controlKeys[b]
		switch {
		case ok:
			k.out = append(k.out, string(key)...)
		case b == 0x1b:
			k.state = keyEscape
		case b >= 0x20 && b != 0x7f, bytes.IndexByte([]byte(controlsKept), b) >= 0:
			k.out = append(k.out, b)
		}
	case keyEscape:
		key, ok := altKeys[b]
		switch {
		case ok:
			k.state = keyPlain
			k.out = append(k.out, string(key)...)
		case b == '[':
			k.state, k.escape = keyCSI, k.escape[:0]
		case b == 0x1b:
			// A second ESC: its sequence may still follow.
		case b == 'O':
			k.state = keySS3
		default:
			// An ESC without a sequence has no meaning.
			k.state = keyPlain
			k.take(b)
		}
	case keyCSI:
		k.escape = append(k.escape, b)
		// A sequence ends with a byte from @ to ~. The function keys of the
		// Linux console are ESC [ [ and a letter.
		final := b >= '@' && b <= '~' && !(b == '[' && len(k.escape) == 1)
		switch {
		case !final && len(k.escape) < escapeBytesMax:
		case string(k.escape) == pasteBegin:
			k.state, k.paste = keyPaste, nil
		default:
			k.state = keyPlain
			k.out = append(k.out, keySequences[string(k.escape)]...)
		}
	case keySS3:
		k.state = keyPlain
		k.out = append(k.out, ss3Keys[b]...)
	case keyPaste:
		k.paste = append(k.paste, b)
		if b == '~' && bytes.HasSuffix(k.paste, []byte(pasteEnd)) {
			k.endPaste()
		} else if len(k.paste) > pasteBytesMax+len(pasteEnd) {
			// Keep room for the end mark; the text before it is cut.
			k.paste = append(k.paste[:pasteBytesMax], k.paste[len(k.paste)-len(pasteEnd):]...)
		}
	}
}

// endPaste appends the complete pasted text to k.pastes, without control
// characters, and passes a runePaste to readline.
func (k *keyReader) endPaste() {
	text := toCells.Replace(string(k.paste[:len(k.paste)-len(pasteEnd)]))
	text = string(bytes.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, []byte(text)))
	k.state, k.paste = keyPlain, nil
	k.mu.Lock()
	k.pastes = append(k.pastes, text)
	k.mu.Unlock()
	k.out = append(k.out, string(runePaste)...)
}

// takePaste removes the oldest pasted text from k.pastes and returns it. It
// returns "" if there is none.
func (k *keyReader) takePaste() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.pastes) == 0 {
		return ""
	}
	text := k.pastes[0]
	k.pastes = k.pastes[1:]
	return text
}
