package mend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"infomall/store/commit"
	"infomall/store/disk"
	"infomall/store/readings"
	"infomall/store/record/task"
	"infomall/store/segment"
)

// smallFiles is how many small files of readings there must be before they are joined into larger
// files. A file is small if it has less than smallBytes bytes.
const (
	smallFiles = 8
	smallBytes = 4 << 20
)

// KeepDocuments is called after a merge or another statement has replaced db-files by new ones.
// It copies the readings of documents (the text extracted from them) from the files of the
// replaced db-files into files of the new db-files. The list made has the new segments. The
// caller still pins the previous generation, because the old files are removed when that pin is
// released.
func (m *Maintenance) KeepDocuments(ctx context.Context, made []*segment.Info) (err error) {
	list, err := m.folder.DerivedFiles(commit.Documents)
	if err != nil || len(list) == 0 {
		return err
	}
	d := &documentRun{reindex: &reindex{m: m, results: make(map[string]*task.ReindexResult)}}
	if d.v, err = m.snapshots.Open(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.v.Close()) }()
	_, old, err := d.survey()
	if err != nil || len(old) == 0 {
		return err
	}
	numbers := make(map[uint32]bool)
	for _, s := range made {
		numbers[s.Number()] = true
	}
	return d.write(ctx, m.folder.NewWriter, func() error {
		defer d.abandon()
		if err := d.take(old); err != nil {
			return err
		}
		for _, s := range d.v.Pin.Segments {
			if !numbers[s.Number()] {
				continue
			}
			if err := d.segment(ctx, s); err != nil {
				return err
			}
		}
		return d.publish()
	})
}

// survey finds out what the files of readings have. It sets d.inForce, d.usable and d.from. It
// returns in bad the files that cannot be used, and in old the usable files with readings of a
// db-file that is no longer in force.
func (d *documentRun) survey() (bad, old []string, err error) {
	list, err := d.m.folder.DerivedFiles(commit.Documents)
	if err != nil {
		return nil, nil, err
	}
	d.inForce, d.usable = make(map[uint32]readings.Name), nil
	for _, s := range d.v.Pin.Segments {
		d.inForce[s.Number()] = readings.NameOf(s)
	}
	var sources []readings.Source
	for _, name := range fileNames(list) {
		f, err := d.v.Readings(name)
		if disk.MayPass(err) {
			return nil, nil, err
		}
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				bad = append(bad, name)
			}
			continue
		}
		d.usable = append(d.usable, name)
		for _, s := range f.Sources {
			if d.inForce[s.Number] == s.Name {
				sources = append(sources, s)
			} else if !slices.Contains(old, name) {
				old = append(old, name)
			}
		}
	}
	slices.SortFunc(sources, func(a, b readings.Source) int { return cmp.Compare(a.From, b.From) })
	d.from = make(map[uint32]uint32)
	for _, s := range sources {
		if s.From <= d.from[s.Number] {
			d.from[s.Number] = max(d.from[s.Number], s.To)
		}
	}
	return bad, old, nil
}

// fileNames returns all file names in list, a result of commit.Folder.DerivedFiles, sorted and
// without duplicates.
func fileNames(list map[uint32][]string) (out []string) {
	for _, names := range list {
		out = append(out, names...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// take copies readings from the files with these names to new files, and begins another file when
// one is full. It copies only the readings of db-files that are in force. It leaves out a file that another process has removed meanwhile.
func (d *documentRun) take(names []string) error {
	type part struct {
		f      *readings.File
		source int
	}
	var parts []part
	for _, name := range names {
		f, err := d.v.Readings(name)
		if disk.MayPass(err) {
			return err
		}
		if err != nil {
			continue
		}
		for i, s := range f.Sources {
			if d.inForce[s.Number] == s.Name {
				parts = append(parts, part{f, i})
			}
		}
	}
	slices.SortFunc(parts, func(a, b part) int {
		x, y := a.f.Sources[a.source], b.f.Sources[b.source]
		return cmp.Or(cmp.Compare(x.Number, y.Number), cmp.Compare(x.From, y.From))
	})
	var last readings.Source // of the file that is made
	for _, p := range parts {
		s := p.f.Sources[p.source]
		if d.b != nil && full(d.b) {
			if err := d.publish(); err != nil {
				return err
			}
		}
		if d.b == nil || last.Name != s.Name {
			if err := d.begin(s.Name, s.From); err != nil {
				return err
			}
			last = readings.Source{Name: s.Name, From: s.From, To: s.From}
		}
		whole := s.From <= last.To
		for _, r := range p.f.Rows(p.source) {
			err := d.b.Copy(p.f, r)
			var fault *segment.Error
			if errors.As(err, &fault) || errors.Is(err, fs.ErrNotExist) {
				whole = false
				break
			}
			if err != nil {
				return err
			}
		}
		if whole && s.To > last.To {
			last.To = s.To
			d.b.Cover(s.To)
		}
	}
	return nil
}

// joinable returns which of the given small files of readings should be joined into larger files.
// It leaves out a file that already has readings of commit.DerivedMost db-files, the greatest
// number. It returns nil if fewer than smallFiles remain, or if joining would not at least halve
// their number.
func joinable(small []string) []string {
	small = slices.DeleteFunc(slices.Clone(small), func(name string) bool {
		return len(commit.Documents.ByNumber([]string{name})) == commit.DerivedMost
	})
	after := (len(commit.Documents.ByNumber(small)) + commit.DerivedMost - 1) / commit.DerivedMost
	if len(small) < smallFiles || 2*after > len(small) {
		return nil
	}
	return small
}

// join joins small files of readings into larger files, if there are many small ones.
func (d *documentRun) join() error {
	_, old, err := d.survey()
	if err != nil {
		return err
	}
	var small []string
	for _, name := range d.usable {
		if slices.Contains(old, name) {
			continue // somebody may still read it; it is removed together with its db-files
		}
		if info, err := d.m.folder.Files().Stat(name); err == nil && info.Size() < smallBytes {
			small = append(small, name)
		}
	}
	if small = joinable(small); small == nil {
		return nil
	}
	if err := d.take(small); err != nil {
		return err
	}
	if err := d.publish(); err != nil {
		return err
	}
	return d.remove(small)
}

// remove removes the files of readings with these paths in the archive's folder. A file that does
// not exist is no error.
func (d *documentRun) remove(names []string) error {
	for _, name := range names {
		if err := d.m.folder.Files().Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// create begins a new file of readings, in the writer's folder: it sets d.file, and d.b to a builder
// that writes to it.
func (d *documentRun) create() (err error) {
	d.tmp = d.w.File("documents")
	if d.file, err = disk.Create(d.m.folder.Files(), d.tmp); err != nil {
		return err
	}
	d.out = &countingWriter{w: d.file}
	if d.b, err = readings.NewBuilder(d.out); err != nil {
		d.abandon()
		return err
	}
	d.read, d.begun = 0, d.m.now()
	return nil
}

// abandon closes the current, unfinished file of readings, if there is one. Closing the writer
// removes the file.
func (d *documentRun) abandon() {
	if d.file != nil {
		_ = d.file.Close() // what was written to it is not needed
		d.file, d.b = nil, nil
	}
}

// publish finishes the current file of readings and moves it to its place in the archive. It does
// nothing if there is no current file, and drops a file without readings.
func (d *documentRun) publish() error {
	if d.b == nil {
		return nil
	}
	sources := d.b.Sources()
	if len(sources) == 0 {
		d.abandon()
		return nil
	}
	numbers := make([]uint32, len(sources))
	for i, s := range sources {
		numbers[i] = s.Number
	}
	files := d.m.folder.Files()
	name := commit.Documents.FileOf(numbers, sources[0].From)
	for tag := sources[0].From + 1; ; tag++ {
		if _, err := files.Stat(name); err != nil {
			break
		}
		name = commit.Documents.FileOf(numbers, tag)
	}
	err := d.b.Finish()
	if err == nil {
		err = d.file.Sync()
	}
	err = errors.Join(err, d.file.Close())
	d.file, d.b = nil, nil
	if err != nil {
		return err
	}
	if err := disk.Mkdir(files, filepath.Dir(name)); err != nil {
		return err
	}
	if err := files.Rename(d.tmp, name); err != nil {
		return err
	}
	for _, s := range d.v.Pin.Segments {
		if s.Number() == numbers[0] {
			d.result(s.Pool).IndexBytes += d.out.n
		}
	}
	d.usable = append(d.usable, name)
	return files.SyncDir(filepath.Dir(name))
}

// checkDocuments reads a file of readings, and returns an error if it is damaged.
func checkDocuments(ctx context.Context, folder *commit.Folder, name string) error {
	f, err := readings.Open(folder.Files(), name)
	if errors.Is(err, readings.ErrOther) {
		err = fmt.Errorf("%w: it is not used, and REINDEX DOCUMENTS makes it again", err)
	}
	if err != nil {
		return err
	}
	return f.Check(ctx)
}
