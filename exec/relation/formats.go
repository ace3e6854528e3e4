package relation

import (
	"strings"

	"infomall/exec/value"
	"infomall/store/document/format"
	"infomall/store/page/coding"
	"infomall/store/record/message"
)

// endBytes is how many bytes are read at the start and at the end of a body that is not in memory,
// to recognize its format.
const endBytes = 64 << 10

// format returns the file format of the body of r, found by its bytes. The zero value means
// that the format is not known, or that the archive has no body.
func (r *response) format() format.Found {
	if !r.formatKnown {
		r.formatKnown = true
		r.formatFound = formatOf(r)
	}
	return r.formatFound
}

func formatOf(r *response) format.Found {
	if r.NoBody != "" {
		return format.Found{}
	}
	if r.Large == nil {
		body, err := Decode(&r.Payload)
		if err != nil {
			return format.Found{}
		}
		return format.Identify(body)
	}
	if c := strings.TrimSpace(message.Codings(r.Head)); c != "" && !strings.EqualFold(c, "identity") {
		body, err := r.First(r.ReadLimit + endBytes)
		if err == nil {
			body, _, err = coding.DecodePart(body, message.Codings(r.Head), decodedBytesMax)
		}
		if err != nil {
			return format.Found{}
		}
		return format.Identify(body)
	}
	var first, last []byte
	for piece, err := range r.Large {
		if err != nil {
			return format.Found{} // the bytes that damage has lost may be the ones that matter
		}
		first = append(first, piece[:min(len(piece), endBytes-len(first))]...)
		last = append(last, piece[max(0, len(piece)-endBytes):]...)
		last = append(last[:0], last[max(0, len(last)-endBytes):]...)
	}
	return format.IdentifyEnds(first, last, r.Size)
}

// formatID returns the PRONOM identifier of the body of r.
func formatID(r *response) value.Value { return value.TextOrNull(string(r.format().ID)) }

// formatName returns the name of the format of the body of r, with its version.
func formatName(r *response) value.Value {
	f, _ := format.Of(r.format().ID)
	return value.TextOrNull(f.Title())
}

// formatNewest returns the PRONOM identifier of the latest version of the format of r's body. It
// returns NULL if the body has the latest version.
func formatNewest(r *response) value.Value {
	id, _ := format.Newest(r.format().ID)
	return value.TextOrNull(string(id))
}

// formatBasis returns how the format of the body of r was recognized, such as by its first bytes.
func formatBasis(r *response) value.Value { return value.TextOrNull(string(r.format().Basis)) }

// mimeAgrees returns as a Bool whether the declared media type of r is one that its format has. It
// returns NULL if that is not known.
func mimeAgrees(r *response) value.Value {
	agrees, known := r.format().Agrees(strings.ToLower(r.Mime))
	if !known {
		return value.Value{}
	}
	return value.OfBool(agrees)
}
