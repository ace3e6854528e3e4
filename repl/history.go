package repl

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"infomall/store/disk"
)

// Bounds of the history file: when it holds more than historyFileMax entries,
// it is cut to the last historyKept.
const (
	historyKept    = 1000
	historyFileMax = 2 * historyKept
)

// history keeps what was entered in the shell in a file of JSON lines, one an
// entry, readable by its owner alone. Any number of shells may use one file:
// each appends under a lock.
type history struct {
	path    string // "" keeps nothing on disk
	entries []historyEntry
	now     func() time.Time
}

// historyEntry is one statement or dot command.
type historyEntry struct {
	Time time.Time `json:"time"`
	Text string    `json:"text"`
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

// openHistory reads the last entries of path. A file that is not there is an
// empty history; lines that cannot be read are left out.
func openHistory(path string) (*history, error) {
	h := &history{path: path, now: time.Now}
	if path == "" {
		return h, nil
	}
	f, err := lockHistory(path)
	if err != nil {
		return h, fmt.Errorf("read the history: %w", err)
	}
	defer f.Close()
	if h.entries, err = readHistory(f); err != nil {
		return h, fmt.Errorf("read the history: %w", err)
	}
	if len(h.entries) > historyFileMax {
		h.entries = h.entries[len(h.entries)-historyKept:]
		if err := rewriteHistory(path, h.entries); err != nil {
			return h, fmt.Errorf("shorten the history: %w", err)
		}
	}
	return h, nil
}

// add keeps text, unless it is what was added last, or begins with a blank,
// by which a user keeps it out. It reports whether text was kept.
func (h *history) add(text string) (bool, error) {
	text = strings.TrimRight(text, " \t\r\n")
	if text == "" || strings.HasPrefix(text, " ") {
		return false, nil
	}
	if n := len(h.entries); n > 0 && h.entries[n-1].Text == text {
		return false, nil
	}
	e := historyEntry{Time: h.now().UTC().Truncate(time.Second), Text: text}
	h.entries = append(h.entries, e)
	if h.path == "" {
		return true, nil
	}
	f, err := lockHistory(h.path)
	if err != nil {
		return true, fmt.Errorf("keep the history: %w", err)
	}
	defer f.Close()
	if _, err := f.Write(encodeHistory(e)); err != nil {
		return true, fmt.Errorf("keep the history: %w", err)
	}
	return true, nil
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

// readHistory reads all entries of f.
func readHistory(f io.Reader) ([]historyEntry, error) {
	var entries []historyEntry
	r := bufio.NewReader(f)
	for {
		line, err := r.ReadBytes('\n')
		var e historyEntry
		if json.Unmarshal(line, &e) == nil && e.Text != "" {
			entries = append(entries, e)
		}
		if err == io.EOF {
			return entries, nil
		}
		if err != nil {
			return entries, err
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
