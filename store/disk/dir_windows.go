package disk

import (
	"os"

	"golang.org/x/sys/windows"
)

// rename returns when the new name is on the disk, since a folder can't be
// synced here.
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

// syncDir only looks whether the folder is there.
func syncDir(name string) error {
	_, err := os.Stat(name)
	return err
}
