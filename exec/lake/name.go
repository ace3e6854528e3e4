package lake

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"infomall/exec/value"
	"infomall/store/record"
)

// nullName is the value in the name of a folder whose rows have NULL there. Hive, Spark and
// DuckDB read it as NULL.
const nullName = "__HIVE_DEFAULT_PARTITION__"

// segmentMax is the longest name of a folder, in bytes. File systems allow 255.
const segmentMax = 240

// segment returns the name of the folder for a value in a column of PARTITION BY, such as
// month=2008-06. Times at midnight in zone become dates.
func segment(column string, v value.Value, zone *time.Location) (string, error) {
	text := nullName
	switch {
	case v.IsNull():
	case v.Type == value.Time:
		t := record.Time(v.Int).Std().In(zone)
		if h, m, s := t.Clock(); h == 0 && m == 0 && s == 0 && t.Nanosecond() == 0 {
			text = t.Format(time.DateOnly)
		} else {
			text = escape(string(value.AppendTime(nil, record.Time(v.Int), zone)))
		}
	default:
		text = escape(string(v.Append(nil, zone)))
	}
	name := escape(column) + "=" + text
	if len(name) > segmentMax {
		return "", fmt.Errorf("the name %.40q… of a folder would have %d bytes, and %d is the most: shorten the values of %s, such as by substr", name, len(name), segmentMax, column)
	}
	return name, nil
}

// escape returns text with %XX for the bytes that Hive escapes in names of folders, and for
// bytes that are not UTF-8.
func escape(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if r < ' ' || r == 0x7f || strings.ContainsRune("\"#%'*/:=?\\{[]^<>|", r) || r == utf8.RuneError && n == 1 || r == '.' && strings.Trim(text, ".") == "" {
			fmt.Fprintf(&b, "%%%02X", text[i])
		} else {
			b.WriteString(text[i : i+n])
		}
		i += n
	}
	return b.String()
}

// partName matches the name of a part, and of the file under which it is written.
var partName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^part-[0-9]+\.parquet(\.[A-Z2-7]{8}\.open)?$`) })

// ours reports whether a file with this name is a part of a data set that is partitioned by the
// columns in the parameter by, or is a temporary file of such a part.
func ours(name string, by []string) bool {
	list := strings.Split(name, "/")
	if len(list) != len(by)+1 || !partName().MatchString(list[len(by)]) {
		return false
	}
	for i, c := range by {
		if !strings.HasPrefix(list[i], escape(c)+"=") {
			return false
		}
	}
	return true
}
