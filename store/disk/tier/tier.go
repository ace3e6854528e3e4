// Package tier reads db-files of an archive that were moved to another place, the tier:
// a bucket, or a folder on another disk. The tier has the db-files of old pools under
// the paths that they had in the archive's folder. All other files stay in the folder.
//
//	archive                              tier
//	TIER      names the tier             TIER      names the archive
//	pools/202606/000041.raw              pools/200806/000017.raw
//	index/000017.idx
//
// A db-file is in the tier before it leaves the folder, so a reader that does not find
// it in the folder finds it in the tier. The catalogue does not say where a db-file is.
package tier

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"

	"infomall/store/disk"
	"infomall/store/disk/lines"
)

// FileName is the name of two files: the one in the archive's folder names the tier, and the one
// in the tier names the archive.
const FileName = "TIER"

// dirPools and endingDB are the folder and the ending of the files that may be in a tier.
const (
	dirPools = "pools"
	endingDB = ".raw"
)

// Link is the content of a file TIER.
type Link struct {
	Place string // where the tier is: the path of a folder, or a URL; "" if there is no tier
	ID    string // ID of the archive
}

// kind is the word in the first line of a file TIER that says which kind of file it is.
const kind = "tier"

var errLink = errors.New("it is damaged: restore it from a copy of the archive, or remove it and run MOVE POOL with the place of the old pools again")

// Encode returns the content of the file TIER.
func (l Link) Encode() []byte {
	return lines.Seal(lines.Append(lines.New(kind), "tier", lines.Quoted(l.Place), l.ID))
}

// ReadLink reads the file TIER in the folder dir of d. The Place of the result is "" if
// there is no such file.
func ReadLink(d disk.FS, dir string) (Link, error) {
	name := filepath.Join(dir, FileName)
	b, err := disk.ReadFile(d, name)
	if errors.Is(err, fs.ErrNotExist) {
		return Link{}, nil
	}
	if err != nil {
		return Link{}, err
	}
	r, err := lines.Open(b, kind, errLink)
	if err != nil {
		return Link{}, fmt.Errorf("%s: %w", name, err)
	}
	var l Link
	for r.Next() {
		if r.Text() != "tier" {
			r.Fail()
		}
		l.Place, l.ID = r.Quoted(), r.Text()
	}
	if err := r.Err(); err != nil {
		return Link{}, fmt.Errorf("%s: %w", name, err)
	}
	return l, nil
}

// Opener returns the FS in which a tier is, and the path of the tier's folder in that
// FS. place is the path or the URL of the tier. It makes no request.
type Opener func(place string) (far disk.FS, root string, err error)

// FS is the FS of an archive's folder. Open also finds db-files that are in the tier; every other
// method sees only the folder. If the archive has no tier, the only extra work is to read one
// small file when a db-file is missing.
type FS struct {
	disk.FS
	dir  string
	open Opener

	mu    sync.Mutex
	place string  // the place of the tier that was opened last
	far   disk.FS // the FS of that tier; nil if none was opened
	root  string  // the path of its folder in far
}

// Over returns an FS for the archive in the folder dir of d. It calls open to open the archive's
// tier.
func Over(d disk.FS, dir string, open Opener) *FS { return &FS{FS: d, dir: dir, open: open} }

// Open opens a file for reading, in the archive's folder or, if a db-file is not there, in the
// tier. The caller closes it.
func (t *FS) Open(name string) (disk.Source, error) {
	f, err := t.FS.Open(name)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	rel, e := filepath.Rel(t.dir, name)
	if e != nil || !isMoved(rel) {
		return nil, err
	}
	link, far, root, e := t.Tier()
	if e != nil {
		return nil, e // the file may be in the tier
	}
	if link.Place == "" {
		return nil, err
	}
	moved, e := far.Open(filepath.Join(root, rel))
	switch {
	case e == nil:
		return moved, nil
	case !errors.Is(e, fs.ErrNotExist):
		return nil, fmt.Errorf("read %s in the tier %s: %w", rel, link.Place, e)
	}
	return t.FS.Open(name) // MOVE POOL … BACK may have brought it back meanwhile
}

// isMoved reports whether the file with this path in an archive's folder may have been
// moved to a tier. That is so if it is a db-file.
func isMoved(rel string) bool {
	return strings.HasPrefix(filepath.ToSlash(rel), dirPools+"/") && filepath.Ext(rel) == endingDB
}

// Tier returns the content of the archive's file TIER, the FS in which the tier is, and the
// path of the tier's folder in that FS. If the archive has no tier, l.Place is "" and far is
// nil.
func (t *FS) Tier() (l Link, far disk.FS, root string, err error) {
	if l, err = ReadLink(t.FS, t.dir); err != nil || l.Place == "" {
		return l, nil, "", err
	}
	far, root, err = t.At(l.Place)
	return l, far, root, err
}

// At returns the FS in which the tier at this place is, and the path of its folder in that
// FS. The tier need not be that of the archive.
func (t *FS) At(place string) (far disk.FS, root string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.far == nil || t.place != place {
		if far, root, err = t.open(place); err != nil {
			return nil, "", fmt.Errorf("open the tier %s: %w", place, err)
		}
		t.place, t.far, t.root = place, far, root
	}
	return t.far, t.root, nil
}

// Files returns the paths of the db-files of a tier, sorted. far reads the files of the
// tier by their paths in its folder, see disk.Inside.
func Files(far disk.FS) ([]string, error) {
	return disk.Glob(far, ".", filepath.Join(dirPools, "*", "*"+endingDB))
}
