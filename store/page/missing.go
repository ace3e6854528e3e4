package page

import (
	_ "embed"
	"strings"
)

// The limits of SoftMissing. A soft missing page says that the document does
// not exist, although the server answered with status 200. Such a page is
// short: its text has at most MissingBytes bytes. Its title, or one of its
// first missingLines lines, has a phrase that says that the document does not
// exist. The line has at most missingLine bytes. The limits are strict:
// SoftMissing should overlook some of these pages rather than take an article
// about errors for one.
const (
	missingLines = 12
	missingLine  = 160
	missingShare = 3 // the line is at most this many times as long as the phrase
)

// MissingBytes is the size in bytes of the longest text for which SoftMissing may
// return true.
const MissingBytes = 1500

//go:embed missing.txt
var missingList string

var missingPhrases, missingWhole = func() (phrases []string, whole map[string]bool) {
	whole = map[string]bool{}
	for line := range strings.Lines(missingList) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '=':
			whole[line[1:]] = true
		default:
			phrases = append(phrases, line)
		}
	}
	return phrases, whole
}()

// SoftMissing reports in ok whether a page that was answered with success says
// that the document does not exist. title and text are those of the page. reason
// names the sign, such as `title says "not found"`.
func SoftMissing(title, text string) (reason string, ok bool) {
	if len(text) > MissingBytes {
		return "", false
	}
	if p := missingPhrase(title); p != "" {
		return `title says "` + p + `"`, true
	}
	lines := 0
	for line := range strings.Lines(text) {
		if lines++; lines > missingLines {
			break
		}
		if len(line) > missingLine {
			continue
		}
		// In a sentence about something else the phrase is a small part.
		if p := missingPhrase(line); p != "" && len(strings.TrimSpace(line)) <= missingShare*len(p) {
			return `text says "` + p + `"`, true
		}
	}
	return "", false
}

// missingPhrase returns the phrase of missing.txt that a line contains, or "" if
// it contains none.
func missingPhrase(line string) string {
	if line = strings.ToLower(strings.TrimSpace(line)); line == "" {
		return ""
	}
	if missingWhole[line] {
		return line
	}
	for _, p := range missingPhrases {
		if strings.Contains(line, p) {
			return p
		}
	}
	return ""
}
