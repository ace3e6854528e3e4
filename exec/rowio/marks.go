package rowio

import (
	"strings"

	"infomall/exec/value"
)

// foundOn is the terminal code that sets the colour of words that MATCH has found.
const foundOn = "\x1b[1;33m"

// inColor and inHTML replace the marks at both ends of found words by terminal codes and by
// HTML tags. value.Column describes the marks.
var (
	inColor = strings.NewReplacer(value.MarkFrom, foundOn, value.MarkTo, colorOff)
	inHTML  = strings.NewReplacer(value.MarkFrom, "<mark>", value.MarkTo, "</mark>")
)

// unmarked returns s without the marks around found words, and where these marks were: the
// offsets in plain at which found words begin and end, by turns.
func unmarked(s string) (plain string, marks []int) {
	var out strings.Builder
	for {
		from := strings.Index(s, value.MarkFrom)
		if from < 0 {
			break
		}
		length := strings.Index(s[from:], value.MarkTo)
		if length < 0 {
			break
		}
		out.WriteString(s[:from])
		marks = append(marks, out.Len())
		out.WriteString(s[from+len(value.MarkFrom) : from+length])
		marks = append(marks, out.Len())
		s = s[from+length+len(value.MarkTo):]
	}
	out.WriteString(s)
	return out.String(), marks
}

// painted returns shown with its found words in colour. shown is plain or a shortened form
// of plain. marks are the offsets in plain at which found words begin and end, as unmarked
// returns them.
func painted(shown, plain string, marks []int) string {
	same := 0 // bytes that both begin with
	for same < min(len(shown), len(plain)) && shown[same] == plain[same] {
		same++
	}
	var out strings.Builder
	at := 0
	for i := 0; i < len(marks) && marks[i] < same; i += 2 {
		end := min(marks[i+1], same)
		out.WriteString(shown[at:marks[i]] + foundOn + shown[marks[i]:end] + colorOff)
		at = end
	}
	out.WriteString(shown[at:])
	return out.String()
}
