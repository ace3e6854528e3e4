package disk

import (
	"io/fs"
	"path/filepath"
)

// Inside returns an FS for the files in the folder root of d. Its methods take names, which are
// the paths of files in that folder, such as "pools/200806/000017.raw". The folder itself is
// ".". The method Name of an open file, and errors, still give the path of the file in d.
func Inside(d FS, root string) FS { return &inside{d, root} }

type inside struct {
	d    FS
	root string
}

func (i *inside) path(name string) string { return filepath.Join(i.root, name) }

func (i *inside) Open(name string) (Source, error)           { return i.d.Open(i.path(name)) }
func (i *inside) Stat(name string) (fs.FileInfo, error)      { return i.d.Stat(i.path(name)) }
func (i *inside) ReadDir(name string) ([]fs.DirEntry, error) { return i.d.ReadDir(i.path(name)) }
func (i *inside) Mkdir(name string, perm fs.FileMode) error  { return i.d.Mkdir(i.path(name), perm) }
func (i *inside) Rename(from, to string) error               { return i.d.Rename(i.path(from), i.path(to)) }
func (i *inside) Link(from, to string) error                 { return i.d.Link(i.path(from), i.path(to)) }
func (i *inside) Remove(name string) error                   { return i.d.Remove(i.path(name)) }
func (i *inside) SyncDir(name string) error                  { return i.d.SyncDir(i.path(name)) }

func (i *inside) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	return i.d.OpenFile(i.path(name), flag, perm)
}
