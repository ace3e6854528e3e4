package page

import (
	_ "embed"
	"strings"
	"sync"
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

// missingSigns is the decoded list of missing.txt.
type missingSigns struct {
	phrases []string
	whole   map[string]bool // the lines that are a sign only if they are the whole line
	// starts has a bit for each hash of the first startBytes bytes of a phrase, see startOf.
	starts [1 << startBits / 64]uint64
}

const (
	startBytes = 4
	startBits  = 12
)

// startOf returns the hash of the first startBytes bytes of s, which must have so many. The hash has
// startBits bits.
func startOf(s string) uint32 {
	const hash = 0x9e3779b1 // Fibonacci hashing
	return (uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24) * hash >> (32 - startBits)
}

var signs = sync.OnceValue(func() *missingSigns {
	m := &missingSigns{whole: map[string]bool{}}
	for line := range strings.Lines(missingList) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '=':
			m.whole[line[1:]] = true
		default:
			m.phrases = append(m.phrases, line)
			n := startOf(line)
			m.starts[n/64] |= 1 << (n % 64)
		}
	}
	return m
})

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

// missingPhrase returns the first phrase of missing.txt that a line contains, or "" if it contains
// none. It compares the phrases only where four bytes of the line are the beginning of one: to look
// for one phrase after the other took a fortieth of the CPU time of an import of small pages.
func missingPhrase(line string) string {
	if line = strings.ToLower(strings.TrimSpace(line)); line == "" {
		return ""
	}
	m := signs()
	if m.whole[line] {
		return line
	}
	first := len(m.phrases) // the first phrase that was found, in the order of the list
	for i := 0; i+startBytes <= len(line); i++ {
		if n := startOf(line[i:]); m.starts[n/64]>>(n%64)&1 == 0 {
			continue
		}
		for k, p := range m.phrases[:first] {
			if strings.HasPrefix(line[i:], p) {
				first = k
				break
			}
		}
	}
	if first == len(m.phrases) {
		return ""
	}
	return m.phrases[first]
}
