package page

import (
	"bytes"
	"slices"
)

// binaryStarts are the first bytes of images, documents, films and archives.
// Servers may declare such files as HTML.
var binaryStarts = []string{
	"\x89PNG\r\n", "GIF87a", "GIF89a", "\xff\xd8\xff", "%PDF-", "PK\x03\x04", "\x1f\x8b\x08", "Rar!\x1a\x07", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
	"II*\x00", "MM\x00*", "\x00\x00\x01\x00", "OggS\x00", "\x7fELF", "7z\xbc\xaf\x27\x1c", "\x1aE\xdf\xa3", "%!PS-Adobe",
}

// riffTypes are the types of files in the container format RIFF.
var riffTypes = []string{"WEBP", "WAVE", "AVI ", "ACON", "RMID"}

// IsBinary reports whether body is not text, whatever its media type says. body
// must be decoded from its content coding. IsBinary checks only the first bytes.
// Nothing is extracted from a binary body.
func IsBinary(body []byte) bool {
	for _, start := range binaryStarts {
		if bytes.HasPrefix(body, []byte(start)) {
			return true
		}
	}
	if len(body) < 12 {
		return false
	}
	switch string(body[:4]) {
	case "RIFF":
		return slices.Contains(riffTypes, string(body[8:12]))
	case "ID3\x02", "ID3\x03", "ID3\x04":
		return true
	}
	switch string(body[:3]) {
	case "FWS", "CWS", "ZWS": // Flash: the version, and the size in four bytes
		return body[7] == 0
	}
	return body[0] == 0 && string(body[4:8]) == "ftyp"
}
