package disk

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Format is the name of the format of an archive's files, and FormatByte is the
// number of that format in binary files. Each file of an archive that has a
// format of its own begins with one of the two. The file is read only if it
// begins with the same value. Increase both when the content of any file changes.
const (
	Format     = draft + "1"
	FormatByte = draftByte + 1
)

const (
	draft     = "draft "
	draftByte = 0xd0 // the upper four bits of the FormatByte of a draft
)

// FormatError is the error for a file, or a part of a file, that has another
// format than Format.
type FormatError struct {
	What   string // the file or part, such as "catalogue"
	Found  string // the format found, such as "draft 2", or a number
	Remedy string // what the user can do; "" means the advice for a whole archive: export it and import it again
}

// Error returns a message that names the format found, the format wanted and what
// the user can do.
func (e *FormatError) Error() string {
	remedy := e.Remedy
	if remedy == "" {
		remedy = "EXPORT the captures with the infomall that wrote the archive, and IMPORT them with this one"
	}
	return fmt.Sprintf("the %s has format %s and this program reads format %s only: %s", e.What, e.Found, Format, remedy)
}

// ErrNoHead is returned by CutHead if the text does not begin with a line that
// Head makes.
var ErrNoHead = errors.New("the first line is damaged")

// Head returns the first line of a text file of an archive. It has the kind of
// the file, such as "catalogue", and Format.
func Head(kind string) string { return headOf(kind) + Format + "\n" }

func headOf(kind string) string { return "infomall " + kind + "\t" }

// CutHead returns text without its first line, which Head made for this kind. It
// returns ErrNoHead if there is no such line, and a *FormatError if the line
// names another format.
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

// CheckByte returns nil if b, the first byte of a part of a binary file, is
// FormatByte. Otherwise it returns a *FormatError. The argument what names the
// part in the error, such as "run".
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
