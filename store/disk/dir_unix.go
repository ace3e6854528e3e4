//go:build unix

package disk

import "os"

func rename(from, to string) error { return os.Rename(from, to) }

func syncDir(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
