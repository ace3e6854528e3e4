package page

import (
	_ "embed"
	"strings"
)

// A page that answers 200 and says that nothing is there is short, and says so
// at once: what it has to show is at most MissingBytes, and the phrase stands
// in its title or in one of the first missingLines lines, none of them longer
// than missingLine. The rule would rather miss such a page than take an
// article about errors for one.
const (
	missingLines = 12
	missingLine  = 160
	missingShare = 3 // the line is at most so many times as long as the phrase
)

// MissingBytes is how much text a page has at most, in bytes, that SoftMissing
// takes for one that is not there.
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

// SoftMissing reports whether a page that was answered with success says that
// what was asked for is not there, and why it is thought to. Title and text
// are those of the page.
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

// missingPhrase is the phrase of the list that a line has, or "".
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
