package repl

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"

	"infomall/exec/cost"
)

// ratesFilesMax is the maximum number of archives whose rates are kept. If there are more files,
// the file that was written longest ago is removed.
const ratesFilesMax = 64

// ratesPath returns the path of the file that has the measured rates of an archive on this
// machine, or "" if getenv gives no folder for this file.
func ratesPath(getenv func(string) string, archive string) string {
	path, err := filepath.Abs(archive)
	if err != nil {
		return ""
	}
	h := fnv.New64a()
	h.Write([]byte(path))
	return userFile(getenv, "XDG_CACHE_HOME", ".cache", filepath.Join("rates", fmt.Sprintf("%016x", h.Sum64())))
}

// loadRates returns the measured rates of the archive, and reads them from their file when they
// are first needed. A missing or damaged file means that nothing was measured.
func (p *program) loadRates(archive string) *cost.Rates {
	path := ratesPath(p.getenv, archive)
	if path == "" {
		return nil
	}
	p.rates = &cost.Rates{Load: func() []byte {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil
		}
		return text
	}}
	p.ratesPath = path
	return p.rates
}

// saveRates writes the measured rates to their file, if something was measured. Errors do
// not matter: the next queries are measured again.
func (p *program) saveRates() {
	if p.rates == nil || !p.rates.Changed() {
		return
	}
	dir := filepath.Dir(p.ratesPath)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return
	}
	f, err := os.CreateTemp(dir, "new-*")
	if err != nil {
		return
	}
	_, err = f.Write(p.rates.Encode())
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), p.ratesPath)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return
	}
	removeOldest(dir, ratesFilesMax)
}

// removeOldest removes files of the folder dir, those written longest ago first, until their number
// is at most the parameter most.
func removeOldest(dir string, most int) {
	list, err := os.ReadDir(dir)
	if err != nil || len(list) <= most {
		return
	}
	written := func(e os.DirEntry) int64 {
		if info, err := e.Info(); err == nil {
			return info.ModTime().UnixNano()
		}
		return 0
	}
	slices.SortFunc(list, func(a, b os.DirEntry) int { return cmp.Compare(written(a), written(b)) })
	for _, e := range list[:len(list)-most] {
		_ = os.Remove(filepath.Join(dir, e.Name()))
	}
}
