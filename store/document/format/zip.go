package format

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"io"
)

const (
	zipEntriesMax = 1 << 16 // largest number of entries of a zip file that are read
	fileBytesMax  = endBytes
)

// zipEntry is an entry of a zip file. at is the offset of its local header in
// the file.
type zipEntry struct {
	at     int64
	size   uint32 // compressed size in bytes, as the directory states it
	method uint16
}

// openZip returns a function that reads the first bytes of an entry of a zip
// file, given the path of the entry. If the zip file has a directory, the
// function only finds the entries whose paths are in paths. openZip returns nil
// if no entries are found.
func openZip(s span, paths map[string]bool) func(path string) (file []byte, ok bool) {
	entries := zipDirectory(s, paths)
	if entries == nil {
		entries = zipHeaders(s)
	}
	if entries == nil {
		return nil
	}
	return func(path string) ([]byte, bool) {
		e, ok := entries[path]
		if !ok {
			return nil, false
		}
		return e.read(s), true
	}
}

// zipDirectory returns the entries with the given paths in the directory at the end of the
// zip file. It returns nil if there is no directory.
func zipDirectory(s span, paths map[string]bool) map[string]zipEntry {
	le := binary.LittleEndian
	tail := s.tail()
	end := bytes.LastIndex(tail, []byte("PK\x05\x06"))
	if end < 0 || len(tail)-end < 22 {
		return nil
	}
	size, at := int64(le.Uint32(tail[end+12:])), int64(le.Uint32(tail[end+16:]))
	endAt := s.size - int64(len(tail)-end)
	if loc := s.at(endAt-20, 20); at == 1<<32-1 && len(loc) == 20 && string(loc[:4]) == "PK\x06\x07" {
		endAt = int64(le.Uint64(loc[8:]))
		end64 := s.at(endAt, 56)
		if len(end64) < 56 {
			return nil
		}
		size, at = int64(le.Uint64(end64[40:])), int64(le.Uint64(end64[48:]))
	}
	if size < 0 || at < 0 || size > s.size || at > s.size {
		return nil
	}
	// Offsets count from the first entry: something may be before it, such as a program.
	before := max(0, endAt-size-at)
	entries := map[string]zipEntry{}
	for n, next := 0, before+at; n < zipEntriesMax; n++ {
		h := s.at(next, 46)
		if len(h) < 46 || string(h[:4]) != "PK\x01\x02" {
			break
		}
		nameBytes := int(le.Uint16(h[28:]))
		if name := s.at(next+46, nameBytes); len(name) == nameBytes {
			if _, ok := entries[string(name)]; !ok && paths[string(name)] {
				entries[string(name)] = zipEntry{before + int64(le.Uint32(h[42:])), le.Uint32(h[20:]), le.Uint16(h[10:])}
			}
		}
		next += 46 + int64(nameBytes) + int64(le.Uint16(h[30:])) + int64(le.Uint16(h[32:]))
	}
	return entries
}

// zipHeaders returns the entries of a zip file whose end is missing. It goes
// from header to header, up to the first entry that does not state its size.
func zipHeaders(s span) map[string]zipEntry {
	le := binary.LittleEndian
	entries := map[string]zipEntry{}
	for n, next := 0, int64(0); n < zipEntriesMax; n++ {
		h := s.at(next, 30)
		if len(h) < 30 || string(h[:4]) != "PK\x03\x04" {
			break
		}
		nameBytes := int(le.Uint16(h[26:]))
		size := le.Uint32(h[18:])
		open := le.Uint16(h[6:])&8 != 0 && size == 0
		if open {
			size = 1<<32 - 1
		}
		if name := s.at(next+30, nameBytes); len(name) == nameBytes {
			entries[string(name)] = zipEntry{next, size, le.Uint16(h[8:])}
		}
		if open {
			break
		}
		next += 30 + int64(nameBytes) + int64(le.Uint16(h[28:])) + int64(size)
	}
	return entries
}

// read returns the first bytes of the entry, or nil if they cannot be read.
func (e zipEntry) read(s span) []byte {
	h := s.at(e.at, 30)
	if len(h) < 30 || string(h[:4]) != "PK\x03\x04" {
		return nil
	}
	le := binary.LittleEndian
	data := s.at(e.at+30+int64(le.Uint16(h[26:]))+int64(le.Uint16(h[28:])), int(min(e.size, 1<<30)))
	switch e.method {
	case 0:
		return data[:min(len(data), fileBytesMax)]
	case 8:
		file, _ := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(data)), fileBytesMax)) // a damaged entry has a first part
		return file
	}
	return nil
}
