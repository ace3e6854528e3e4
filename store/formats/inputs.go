package formats

import (
	"infomall/store/formats/glob"
	"infomall/store/record/task"
)

// Input is one thing to import: a file with captures, or the files of a mirror (a
// folder of saved pages).
type Input struct {
	Name  string   // path of the file, or the pattern of a mirror's files
	Size  int64    // size of all files together, in bytes
	Files []string // the files of a mirror; nil for a file
}

// Inputs returns the files that match o.Patterns, and their total size in bytes. Each
// file is listed once; the files of a pattern are sorted by name. For the format HTML,
// all files that match a pattern, and no pattern before it, are one Input.
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
