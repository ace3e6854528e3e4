package repl

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"infomall/lang"
	"infomall/store/disk"
	"infomall/store/urlkey"
)

// Bounds of the history file: when it holds more than historyFileMax entries,
// it is cut to the last historyKept.
const (
	historyKept    = 1000
	historyFileMax = 2 * historyKept
)

// history keeps what was entered in the shell in a file of JSON lines, readable
// by its owner alone: a line when an entry is made, and one when it has ended.
// Any number of shells may use one file: each appends under a lock, and reads
// what the others have added.
type history struct {
	path    string // "" keeps nothing on disk
	entries []historyEntry
	now     func() time.Time

	known map[string]int // index in entries by id
	file  os.FileInfo    // of the file that was read
	read  int64          // how far
}

// historyEntry is one entry, statements or a dot command, and how it ended. Of
// two lines with one id, the later has the end of the earlier.
type historyEntry struct {
	ID     string    `json:"id"`
	Time   time.Time `json:"time,omitzero"`
	Text   string    `json:"text,omitempty"`
	Millis int64     `json:"ms,omitempty"`
	Rows   int64     `json:"rows,omitempty"`
	Status string    `json:"status,omitempty"` // done, failed, interrupted; "" while it runs
}

// historyPath is where the history is kept by the XDG rules, or "" where
// there is no home.
func historyPath(getenv func(string) string) string {
	return userFile(getenv, "XDG_STATE_HOME", ".local/state", "history")
}

// userFile is the path of one of the program's files under the folder that
// variable names, or else under fallback in the home folder; "" without one.
func userFile(getenv func(string) string, variable, fallback, name string) string {
	dir := getenv(variable)
	if !filepath.IsAbs(dir) {
		home := getenv("HOME")
		if home == "" {
			return ""
		}
		dir = filepath.Join(home, fallback)
	}
	return filepath.Join(dir, "infomall", name)
}

func newHistory(path string) *history {
	return &history{path: path, now: time.Now, known: map[string]int{}}
}

// readHistory reads path without making or changing it. The line that a shell
// is just writing may be left out.
func readHistory(path string) (*history, error) {
	h := newHistory(path)
	f, err := os.Open(path)
	if path == "" || errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the history: %w", err)
	}
	defer f.Close()
	if _, err := h.readNew(f); err != nil {
		return nil, fmt.Errorf("read the history: %w", err)
	}
	return h, nil
}

// openHistory reads the last entries of path. A file that is not there is an
// empty history; lines that cannot be read are left out.
func openHistory(path string) (*history, error) {
	h := newHistory(path)
	if path == "" {
		return h, nil
	}
	f, err := lockHistory(path)
	if err != nil {
		return h, fmt.Errorf("read the history: %w", err)
	}
	defer f.Close()
	if _, err := h.readNew(f); err != nil {
		return h, fmt.Errorf("read the history: %w", err)
	}
	if len(h.entries) > historyFileMax {
		h.entries = h.entries[len(h.entries)-historyKept:]
		clear(h.known)
		for i, e := range h.entries {
			h.known[e.ID] = i
		}
		if err := rewriteHistory(path, h.entries); err != nil {
			return h, fmt.Errorf("shorten the history: %w", err)
		}
	}
	return h, nil
}

// add keeps text, unless it is what was added last, or begins with a blank, by
// which a user keeps it out. Values of parameters are left out. It gives the
// entry's id and what was kept of the text, or twice "".
func (h *history) add(text string) (id, kept string, err error) {
	text = strings.TrimRight(text, " \t\r\n")
	if text == "" || strings.HasPrefix(text, " ") {
		return "", "", nil
	}
	text = withoutValues(text)
	if n := len(h.entries); n > 0 && h.entries[n-1].Text == text {
		return "", "", nil
	}
	e := historyEntry{ID: rand.Text(), Time: h.now().UTC().Truncate(time.Millisecond), Text: text}
	h.merge(e)
	return e.ID, text, h.append(e)
}

// end keeps how the entry with the id ended.
func (h *history) end(id string, took time.Duration, rows int64, status string) error {
	e := historyEntry{ID: id, Millis: took.Milliseconds(), Rows: rows, Status: status}
	h.merge(e)
	return h.append(e)
}

// append adds a line to the file.
func (h *history) append(e historyEntry) error {
	if h.path == "" {
		return nil
	}
	f, err := lockHistory(h.path)
	if err != nil {
		return fmt.Errorf("keep the history: %w", err)
	}
	defer f.Close()
	if _, err := f.Write(encodeHistory(e)); err != nil {
		return fmt.Errorf("keep the history: %w", err)
	}
	return nil
}

// news reads what other shells have added since the last call, and gives the
// new entries.
func (h *history) news() ([]historyEntry, error) {
	if h.path == "" {
		return nil, nil
	}
	there, err := os.Stat(h.path)
	if err == nil && h.file != nil && os.SameFile(there, h.file) && there.Size() == h.read {
		return nil, nil
	}
	f, err := lockHistory(h.path)
	if err != nil {
		return nil, fmt.Errorf("read the history: %w", err)
	}
	defer f.Close()
	added, err := h.readNew(f)
	if err != nil {
		return nil, fmt.Errorf("read the history: %w", err)
	}
	return added, nil
}

// readNew reads what stands in f behind the place read last, all of it if it is
// another file, and gives the entries that were not known.
func (h *history) readNew(f *os.File) (added []historyEntry, err error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if h.file == nil || !os.SameFile(info, h.file) || info.Size() < h.read {
		h.read = 0
	}
	h.file = info
	if _, err := f.Seek(h.read, io.SeekStart); err != nil {
		return nil, err
	}
	r := bufio.NewReader(f)
	for {
		line, err := r.ReadBytes('\n')
		h.read += int64(len(line))
		var e historyEntry
		if json.Unmarshal(line, &e) == nil && h.merge(e) {
			added = append(added, e)
		}
		if err == io.EOF {
			return added, nil
		}
		if err != nil {
			return added, err
		}
	}
}

// merge takes in a line of the file and reports whether it was a new entry.
func (h *history) merge(e historyEntry) bool {
	if i, ok := h.known[e.ID]; ok && e.ID != "" {
		if e.Status != "" {
			old := &h.entries[i]
			old.Millis, old.Rows, old.Status = e.Millis, e.Rows, e.Status
		}
		return false
	}
	if e.ID == "" || e.Text == "" {
		return false
	}
	h.known[e.ID] = len(h.entries)
	h.entries = append(h.entries, e)
	return true
}

// withoutValues leaves out of a text the values that SET gives to parameters,
// and names and passwords in URLs.
func withoutValues(text string) string {
	tokens := lang.Tokens(text)
	var b strings.Builder
	done := 0
	for i, t := range tokens[:max(0, len(tokens)-1)] {
		name := tokens[i+1]
		if t.From < done || t.Class != lang.ClassWord || !strings.EqualFold(text[t.From:t.To], "SET") || name.Class != lang.ClassParam || !beginsStatement(text, tokens[:i+1]) {
			continue
		}
		b.WriteString(text[done:name.To])
		done = name.To + endOfStatement(text[name.To:])
		if done > name.To {
			b.WriteString(" = ")
		}
	}
	return urlkey.WithoutUsers(b.String() + text[done:])
}

// beginsStatement reports whether a statement of text begins with the last of
// tokens.
func beginsStatement(text string, tokens []lang.Token) bool {
	before := text[:tokens[len(tokens)-1].From]
	for i := len(tokens) - 2; i >= 0 && tokens[i].Class == lang.ClassComment; i-- {
		before = text[:tokens[i].From]
	}
	before = strings.TrimSpace(before)
	return before == "" || strings.HasSuffix(before, ";")
}

// endOfStatement is where text has the semicolon that ends its first statement,
// or its length.
func endOfStatement(text string) int {
	tokens := lang.Tokens(text)
	for i := range len(text) {
		for len(tokens) > 0 && i >= tokens[0].To {
			tokens = tokens[1:]
		}
		if text[i] == ';' && (len(tokens) == 0 || i < tokens[0].From) {
			return i
		}
	}
	return len(text)
}

// lockHistory opens the file for reading and appending and takes its lock,
// which closing it gives back. Another shell may put a shortened file in the
// place of the one waited for; then that one is taken.
func lockHistory(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		if err := disk.LockExclusive(f); err != nil {
			f.Close()
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		mine, err := f.Stat()
		if err != nil {
			f.Close()
			return nil, err
		}
		there, err := os.Stat(path)
		if err == nil && os.SameFile(mine, there) {
			return f, nil
		}
		f.Close()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
}

// rewriteHistory replaces the file, whose lock the caller holds.
func rewriteHistory(path string, entries []historyEntry) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), "history-*") // of mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // gone already if all went well
	_, err = tmp.Write(encodeHistory(entries...))
	if err := errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// encodeHistory writes entries as the file holds them.
func encodeHistory(entries ...historyEntry) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, e := range entries {
		_ = enc.Encode(e) // a time and a string always encode
	}
	return b.Bytes()
}
