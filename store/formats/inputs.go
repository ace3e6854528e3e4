package formats

import (
	"infomall/store/formats/glob"
	"infomall/store/record/task"
)

// Input is one thing to import: a file with captures, or the files of a mirror (a
// folder of saved pages).
type Input struct {
	Name  string
	Size  int64    // in bytes
	Files []string // the files of a mirror
}

// Inputs returns the files that o.Patterns stand for, and their total size in
// bytes. Each file is listed once; the files of a pattern are sorted by name. For
// the format HTML, the new files of one pattern are one Input.
func Inputs(o task.ImportOptions) ([]Input, int64, error) {
	var list []Input
	var total int64
	seen := make(map[string]bool)
	for _, p := range o.Patterns {
		files, err := glob.Files(p)
		if err != nil {
			return nil, 0, err
		}
		saved := Input{Name: p}
		for _, f := range files {
			if seen[f.Name] {
				continue
			}
			seen[f.Name] = true
			total += f.Size
			if o.Format == HTML {
				saved.Files = append(saved.Files, f.Name)
				saved.Size += f.Size
			} else {
				list = append(list, Input{Name: f.Name, Size: f.Size})
			}
		}
		if len(saved.Files) > 0 {
			list = append(list, saved)
		}
	}
	return list, total, nil
}
