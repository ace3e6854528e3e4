package disk

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Format is the name of the format of an archive's files, and FormatByte stands
// for it in binary files. Every file of an archive that has a format of its own
// begins with one of the two, and is read only if it is equal. Raise both with
// every change to what any file holds.
const (
	Format     = draft + "1"
	FormatByte = draftByte + 1
)

const (
	draft     = "draft "
	draftByte = 0xd0 // the upper four bits of the byte of a draft
)

// FormatError reports a file, or a part of one, in another format than Format.
type FormatError struct {
	What   string // "catalogue"
	Found  string // "draft 2", or a number
	Remedy string // what the user can do; "" for the remedy of a whole archive
}

// Error names the format found, the format wanted and the remedy.
func (e *FormatError) Error() string {
	remedy := e.Remedy
	if remedy == "" {
		remedy = "EXPORT the captures with the infomall that wrote the archive, and IMPORT them with this one"
	}
	return fmt.Sprintf("the %s has format %s and this program reads format %s only: %s", e.What, e.Found, Format, remedy)
}

// ErrNoHead is returned by CutHead for what does not begin with the line that it
// should begin with.
var ErrNoHead = errors.New("the first line is damaged")

// Head returns the first line of a text file: its kind, such as "catalogue", and
// Format.
func Head(kind string) string { return headOf(kind) + Format + "\n" }

func headOf(kind string) string { return "infomall " + kind + "\t" }

// CutHead returns text without the first line, which Head made. It returns
// ErrNoHead if there is no such line, and a *FormatError if the line names another
// format.
func CutHead(text, kind string) (rest string, err error) {
	line, rest, whole := strings.Cut(text, "\n")
	found, ok := strings.CutPrefix(line, headOf(kind))
	if _, err := strconv.ParseUint(strings.TrimPrefix(found, draft), 10, 16); !whole || !ok || err != nil {
		return "", ErrNoHead
	}
	if found != Format {
		return "", &FormatError{What: kind, Found: found}
	}
	return rest, nil
}

// CheckByte returns a *FormatError unless b, with which a part of a binary file
// begins, is FormatByte. What names the part, such as "run".
func CheckByte(b byte, what string) error {
	if b == FormatByte {
		return nil
	}
	found := strconv.Itoa(int(b))
	if b&0xf0 == draftByte {
		found = draft + strconv.Itoa(int(b&0x0f))
	}
	return &FormatError{What: what, Found: found}
}
