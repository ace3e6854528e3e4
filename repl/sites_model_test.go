package repl

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// siteCapture is one record of a Tianwang file, as the model reads it.
type siteCapture struct {
	url    string
	time   time.Time
	status int
	digest string
	record []byte // the whole record; shares memory with the others
}

// readRecords reads a plain Tianwang file that is known to be in order, and
// nothing else. The test compares the program's reader with it.
func readRecords(t *testing.T, name string) []siteCapture {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var all []siteCapture
	for len(data) > 0 {
		head, rest, _ := bytes.Cut(data, []byte("\n\n"))
		var c siteCapture
		var length int
		for line := range strings.Lines(string(head)) {
			name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
			switch name {
			case "url":
				c.url = value
			case "date":
				c.time, err = time.Parse(time.RFC1123, value)
			case "length":
				length, err = strconv.Atoi(value)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		_, body, _ := bytes.Cut(rest[:length], []byte("\r\n\r\n"))
		sum := sha256.Sum256(body)
		c.digest = hex.EncodeToString(sum[:])
		c.status, err = strconv.Atoi(string(rest[len("HTTP/1.1 "):][:3]))
		if err != nil {
			t.Fatal(err)
		}
		end := len(head) + 2 + length + 1
		c.record, data = data[:end], data[end:]
		all = append(all, c)
	}
	return all
}

// splitMonths writes the records of a file into one file a month beside it and
// returns their names in order of time.
func splitMonths(t *testing.T, name string) []string {
	t.Helper()
	months := make(map[string][]byte)
	for _, c := range readRecords(t, name) {
		month := name + "." + c.time.Format("200601")
		months[month] = append(months[month], c.record...)
	}
	var names []string
	for month, data := range months {
		if err := os.WriteFile(month, data, 0o666); err != nil {
			t.Fatal(err)
		}
		names = append(names, month)
	}
	slices.Sort(names)
	return names
}

// modelKind returns the kind of a capture without a location, by the manual's
// list of kinds.
func modelKind(status int) string {
	switch status {
	case 404, 410:
		return "missing"
	case 401, 403, 451:
		return "denied"
	}
	if status >= 200 && status < 300 {
		return "page"
	}
	return "error"
}

// modelVersions computes the versions by the manual's definition: a version
// begins when the body's bytes or the kind differ from the previous capture.
// The rows have the form of siteArchive.versions.
func modelVersions(captures []siteCapture) [][]string {
	byURL := make(map[string][]siteCapture)
	for _, c := range captures {
		byURL[c.url] = append(byURL[c.url], c)
	}
	var rows [][]string
	for url, visits := range byURL {
		slices.SortStableFunc(visits, func(a, b siteCapture) int { return a.time.Compare(b.time) })
		for i := 0; i < len(visits); {
			j := i + 1
			for j < len(visits) && visits[j].digest == visits[i].digest &&
				modelKind(visits[j].status) == modelKind(visits[i].status) {
				j++
			}
			rows = append(rows, []string{
				url, visits[i].time.Format(time.RFC3339), visits[j-1].time.Format(time.RFC3339),
				strconv.Itoa(j - i), strconv.Itoa(visits[i].status), modelKind(visits[i].status), visits[i].digest,
			})
			i = j
		}
	}
	slices.SortFunc(rows, slices.Compare)
	return rows
}
