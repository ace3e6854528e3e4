package mail

import (
	"bytes"
	"encoding/base64"
	"io"
	"mime/quotedprintable"
	"net/url"
	"strconv"
	"strings"

	"infomall/store/document"
	"infomall/store/page/charset"
)

// header has the fields of a message, or of a part of a message, by name in
// lower case. If several fields have the same name, it has the first.
type header map[string]string

// The largest sizes of a header and of its fields in bytes, and the largest
// number of fields.
const (
	headerBytes = 1 << 20
	fieldBytes  = 64 << 10
	fieldsMax   = 1000
	wordBytes   = 4 << 10 // largest size in bytes of an encoded word
)

// cutHeader divides a message into its header and its body. If the blank line between them is
// missing, the body begins at the first line that is not a field.
func cutHeader(message []byte) (header, []byte) {
	h := make(header)
	name := ""       // of the current field; "" if its value is not needed
	var value []byte // of that field, as far as it was read
	end := func() {
		if name != "" {
			h[name] = string(value)
		}
	}
	defer end()
	for at := 0; at < len(message); {
		line, next := message[at:], len(message)
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			line, next = line[:i], at+i+1
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 || next > headerBytes {
			return h, message[next:]
		}
		if line[0] == ' ' || line[0] == '\t' {
			if len(value)+len(line) < fieldBytes {
				value = append(append(value, '\n'), line...)
			}
			at = next
			continue
		}
		end()
		name = ""
		field, text, ok := bytes.Cut(line, []byte(":"))
		if ok = ok && isFieldName(field); !ok && !isFromLine(bytes.TrimPrefix(line, []byte(">"))) {
			return h, message[at:]
		}
		at = next
		if !ok || len(h) >= fieldsMax {
			continue
		}
		key := strings.ToLower(string(bytes.TrimRight(field, " \t")))
		if _, again := h[key]; !again {
			name, value = key, append(value[:0], text[:min(len(text), fieldBytes)]...)
		}
	}
	return h, nil
}

// isFieldName reports whether b can be the name of a field.
func isFieldName(b []byte) bool {
	for _, c := range bytes.TrimRight(b, " \t") {
		if c <= ' ' || c >= 0x7f {
			return false
		}
	}
	return len(b) > 0 && len(b) < 80
}

// text returns a field with its encoded words decoded, as one line. fallback is the
// charset of bytes beyond ASCII; "" if it is not known.
func (h header) text(name, fallback string) string {
	return document.Clean(decodeWords(h[name], fallback))
}

// toUTF8 returns b converted to UTF-8. declared is the charset that the mail
// declares for b; "" if none.
func toUTF8(b []byte, declared string) string {
	return string(charset.ToUTF8(b, charset.Find(b, "text/plain; charset="+declared, "").Charset))
}

// decodeWords decodes the encoded words of RFC 2047 in s, such as
// =?gb2312?B?1tC5+g==?=. Neighbouring words with the same charset are decoded
// together, because many programs divide a character between two words.
// fallback is the charset of the other bytes; "" if it is not known.
func decodeWords(s, fallback string) string {
	var out strings.Builder
	var held []byte // decoded words that are not converted yet
	heldCharset := ""
	release := func() {
		out.WriteString(toUTF8(held, heldCharset))
		held = held[:0]
	}
	for len(s) > 0 {
		before, word, ok := strings.Cut(s, "=?")
		if len(held) == 0 || !ok || strings.TrimSpace(before) != "" {
			release()
			out.WriteString(toUTF8([]byte(before), fallback))
		}
		if s = ""; !ok {
			break
		}
		decoded, cs, rest, ok := decodeWord(word)
		if s = rest; !ok {
			release()
			out.WriteString("=?")
			s = word
			continue
		}
		if !strings.EqualFold(cs, heldCharset) {
			release()
		}
		held, heldCharset = append(held, decoded...), cs
	}
	release()
	return out.String()
}

// decodeWord decodes the encoded word in s, which begins after its "=?". It
// returns the bytes of the word, their charset cs, and the rest of s. ok is
// false if s has no encoded word.
func decodeWord(s string) (decoded []byte, cs, rest string, ok bool) {
	cs, s, ok = strings.Cut(s, "?")
	if !ok || len(s) < 3 || s[1] != '?' || len(cs) > 40 {
		return nil, "", "", false
	}
	cs, _, _ = strings.Cut(cs, "*") // a language
	end := strings.Index(s[2:min(len(s), wordBytes)], "?=")
	if end < 0 {
		return nil, "", "", false
	}
	text, rest := s[2:2+end], s[2+end+2:]
	switch s[0] | 0x20 {
	case 'b':
		return fromBase64([]byte(text)), strings.ToLower(cs), rest, true
	case 'q':
		text = strings.ReplaceAll(text, "_", " ")
		return fromQuoted([]byte(text)), strings.ToLower(cs), rest, true
	}
	return nil, "", "", false
}

// fromBase64 decodes base64. Characters that base64 does not use are skipped, and an incomplete
// group at the end is decoded as far as possible.
func fromBase64(b []byte) []byte {
	clean := make([]byte, 0, len(b))
	for _, c := range b {
		switch {
		case c-'0' < 10, c|0x20-'a' < 26, c == '+', c == '/':
			clean = append(clean, c)
		case c == '-' || c == '_': // the alphabet for URLs
			clean = append(clean, map[byte]byte{'-': '+', '_': '/'}[c])
		}
	}
	if len(clean)%4 == 1 {
		clean = clean[:len(clean)-1]
	}
	out := make([]byte, base64.RawStdEncoding.DecodedLen(len(clean)))
	n, _ := base64.RawStdEncoding.Decode(out, clean)
	return out[:n]
}

// fromQuoted decodes quoted-printable. Damaged places stay as written.
func fromQuoted(b []byte) []byte {
	if out, err := io.ReadAll(quotedprintable.NewReader(bytes.NewReader(b))); err == nil {
		return out
	}
	var out []byte
	for i := 0; i < len(b); i++ {
		if b[i] == '=' && i+2 < len(b) {
			if n, err := strconv.ParseUint(string(b[i+1:i+3]), 16, 8); err == nil {
				out = append(out, byte(n))
				i += 2
				continue
			}
			if b[i+1] == '\n' || b[i+1] == '\r' && b[i+2] == '\n' {
				i += bytes.IndexByte(b[i:], '\n')
				continue
			}
		}
		out = append(out, b[i])
	}
	return out
}

// decode undoes the transfer encoding of a part.
func decode(body []byte, encoding string) []byte {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "base64":
		return fromBase64(body)
	case "quoted-printable":
		return fromQuoted(body)
	}
	return body
}

// value is the value of a field with parameters, such as Content-Type.
type value struct {
	name   string // the value without its parameters, in lower case
	params map[string]string
}

// valueOf parses a field with parameters. It accepts the continuations and
// charsets of RFC 2231, and also encoded words in quotes, which are wrong but
// frequent. fallback is the charset of bytes outside ASCII.
func valueOf(field, fallback string) value {
	name, rest, _ := strings.Cut(field, ";")
	v := value{strings.ToLower(strings.TrimSpace(name)), make(map[string]string)}
	pieces := make(map[string][]byte) // of values in several pieces, by name
	charsets := make(map[string]string)
	for n := 0; rest != "" && n < fieldsMax; n++ {
		var key, text string
		key, text, rest = cutParam(rest)
		base, index, extended := strings.Cut(key, "*")
		if !extended {
			if _, again := v.params[key]; !again && key != "" {
				v.params[key] = document.Clean(decodeWords(text, fallback))
			}
			continue
		}
		if strings.HasSuffix(key, "*") {
			if parts := strings.SplitN(text, "'", 3); len(parts) == 3 && (index == "" || index == "0*") {
				charsets[base], text = strings.ToLower(parts[0]), parts[2]
			}
			if plain, err := url.PathUnescape(text); err == nil {
				text = plain
			}
		}
		pieces[base] = append(pieces[base], text...)
	}
	for key, piece := range pieces {
		v.params[key] = document.Clean(toUTF8(piece, charsets[key]))
	}
	return v
}

// cutParam returns the key and the text of the first parameter in s, and the
// rest of s after it.
func cutParam(s string) (key, text, rest string) {
	key, s, ok := cutAny(s, "=;")
	if key = strings.ToLower(strings.TrimSpace(key)); !ok || key != "" && s != "" && s[0] == ';' {
		return key, "", strings.TrimPrefix(s, ";")
	}
	s = strings.TrimLeft(strings.TrimPrefix(s, "="), " \t\r\n")
	if !strings.HasPrefix(s, `"`) {
		text, rest, _ = strings.Cut(s, ";")
		return key, strings.TrimSpace(text), rest
	}
	var out strings.Builder
	i := 1
	for ; i < len(s) && s[i] != '"'; i++ {
		if s[i] == '\\' && i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\\') {
			i++
		}
		out.WriteByte(s[i])
	}
	_, rest, _ = strings.Cut(s[min(i, len(s)):], ";")
	return key, out.String(), rest
}

// cutAny cuts s before the first character that is in chars. ok is false if
// there is none; before is then s.
func cutAny(s, chars string) (before, after string, ok bool) {
	if i := strings.IndexAny(s, chars); i >= 0 {
		return s[:i], s[i:], true
	}
	return s, "", false
}
