package format

import (
	"slices"
	"strings"
)

// unsaid are media types that do not say what a body is.
var unsaid = []string{"", "application/octet-stream", "binary/octet-stream", "application/force-download", "application/x-download", "unk"}

// textual are parts of the media types of text formats that have no signature,
// such as scripts.
var textual = []string{"text/", "json", "script", "xml", "yaml", "sql", "csv"}

// synonyms maps further names of media types to the name that PRONOM uses. Both
// are without "x-".
var synonyms = map[string]string{
	"application/xml":            "text/xml",
	"application/xhtml+xml":      "text/html",
	"application/rtf":            "text/rtf",
	"application/excel":          "application/vnd.ms-excel",
	"application/powerpoint":     "application/vnd.ms-powerpoint",
	"application/zip-compressed": "application/zip",
	"application/font-woff":      "font/woff",
	"application/font-woff2":     "font/woff2",
	"application/font-ttf":       "font/ttf",
	"audio/mp3":                  "audio/mpeg",
	"audio/wave":                 "audio/wav",
	"image/jpg":                  "image/jpeg",
	"image/pjpeg":                "image/jpeg",
	"image/vnd.microsoft.icon":   "image/icon",
	"image/ico":                  "image/icon",
	"image/ms-bmp":               "image/bmp",
}

// Agrees reports whether mime, the media type that a server declares, is one of
// the media types of the format. mime is in lower case and has no parameters.
// known is false if mime does not say what the body is, if the format is
// unknown, or if PRONOM names no media type for it.
func (f Found) Agrees(mime string) (agrees, known bool) {
	says, ok := Of(f.ID)
	if !ok || len(says.Mimes) == 0 || slices.Contains(unsaid, mime) {
		return false, false
	}
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(mime, part) })
	}
	switch {
	case slices.ContainsFunc(says.Mimes, func(m string) bool { return firstName(m) == firstName(mime) }):
		return true, true
	case f.ID == plainText:
		return has(textual...), true
	case strings.Contains(strings.Join(says.Mimes, " "), "xml"):
		return has("xml", "html"), true // an application of XML without a signature of its own
	}
	return false, true
}

// firstName returns the name that stands for a media type and its synonyms when
// media types are compared.
func firstName(mime string) string {
	mime = strings.Replace(mime, "/x-", "/", 1)
	if name, ok := synonyms[mime]; ok {
		return name
	}
	return mime
}
