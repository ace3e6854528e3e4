package lake

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
)

// ManifestName is the name of the manifest in a place. Engines leave out files whose names
// begin with _.
const ManifestName = "_manifest"

// manifestFormat is the version of the manifest. A manifest of another version is an error.
const manifestFormat = "infomall data set 1"

// filesMax is how many parts a data set may have. The manifest, which has some 300 bytes
// for each, is held in memory.
const filesMax = 100_000

// manifestMax is how many bytes of a manifest are read. One of filesMax parts with long names
// has less.
const manifestMax = 256 << 20

// Origin says from which statement, settings and state of the archive a data set was made.
// It is in the manifest.
type Origin struct {
	Statement  string            `json:"statement"`            // the query, with PARTITION BY
	Parameters map[string]string `json:"parameters,omitempty"` // values of the parameters in the statement
	Settings   map[string]string `json:"settings,omitempty"`   // on which answers depend
	Time       string            `json:"time"`                 // when the last run began
	Archive    string            `json:"archive"`              // the name of its folder
	State      string            `json:"archive_state"`        // its ID and generation
	Pools      []string          `json:"pools"`                // that the archive had then
	Program    string            `json:"program"`
}

// Column is a column of a data set in the manifest.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type"` // of the query language, such as text
}

// Part is one Parquet file of a data set in the manifest.
type Part struct {
	Path   string   `json:"path"` // relative to the place
	Rows   int64    `json:"rows"`
	Bytes  int64    `json:"bytes"`
	SHA256 string   `json:"sha256"`          // of the file, in hex
	State  string   `json:"archive_state"`   // the archive's ID and generation when the file was written
	Pools  []string `json:"pools,omitempty"` // the pools in its rows; absent if the query has no column pool
}

// Manifest is the content of the file _manifest.
type Manifest struct {
	Format   string `json:"format"`
	Complete bool   `json:"complete"` // false while a run writes, and after a run that was killed
	Run      string `json:"run"`      // a random name of the last run
	Origin
	PartitionBy []string `json:"partition_by"`
	Columns     []Column `json:"columns"` // the columns of the files, without those of PARTITION BY
	SortedBy    []string `json:"sorted_by,omitempty"`
	Rows        int64    `json:"rows"`
	Bytes       int64    `json:"bytes"`
	Files       []Part   `json:"files"` // sorted by path
}

// readManifest returns the manifest of the place p, or nil if it has none.
func readManifest(ctx context.Context, p Place) (*Manifest, error) {
	var text []byte
	for b, err := range contents(ctx, p, ManifestName) {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if text = append(text, b...); len(text) > manifestMax {
			break
		}
	}
	m := new(Manifest)
	err := json.Unmarshal(text, m)
	if err == nil && m.Format != manifestFormat {
		err = fmt.Errorf("its format is %q", m.Format)
	}
	if err != nil {
		return nil, fmt.Errorf("%s is not one that EXPORT wrote: %w; write to an empty folder", ManifestName, err)
	}
	return m, nil
}

// write writes the manifest into the place p, with these parts.
func (m *Manifest) write(ctx context.Context, p Place, parts map[string]Part) error {
	m.Files = slices.SortedFunc(maps.Values(parts), func(a, b Part) int { return bytes.Compare([]byte(a.Path), []byte(b.Path)) })
	m.Rows, m.Bytes = 0, 0
	for _, f := range m.Files {
		m.Rows += f.Rows
		m.Bytes += f.Bytes
	}
	var text bytes.Buffer
	out := json.NewEncoder(&text)
	out.SetEscapeHTML(false)
	out.SetIndent("", " ")
	if err := out.Encode(m); err != nil {
		return err
	}
	return p.Write(ctx, ManifestName, bytes.NewReader(text.Bytes()), int64(text.Len()))
}
