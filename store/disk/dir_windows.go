package disk

import (
	"os"

	"golang.org/x/sys/windows"
)

// rename renames a file and returns once the new name is durable. It must wait
// for that, because Windows cannot sync a folder afterwards.
func rename(from, to string) error {
	fail := func(err error) error { return &os.LinkError{Op: "rename", Old: from, New: to, Err: err} }
	f, err := windows.UTF16PtrFromString(from)
	if err != nil {
		return fail(err)
	}
	t, err := windows.UTF16PtrFromString(to)
	if err != nil {
		return fail(err)
	}
	if err := windows.MoveFileEx(f, t, windows.MOVEFILE_REPLACE_EXISTING|windows.MOVEFILE_WRITE_THROUGH); err != nil {
		return fail(err)
	}
	return nil
}

// syncDir returns an error if the folder does not exist. It does nothing else,
// because Windows cannot sync a folder.
func syncDir(name string) error {
	_, err := os.Stat(name)
	return err
}
