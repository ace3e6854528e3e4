package disk

import "golang.org/x/sys/windows"

// Free returns how many bytes this process may still write to the file system that
// has the folder dir.
func Free(dir string) (int64, error) {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	var free uint64
	if err := windows.GetDiskFreeSpaceEx(path, &free, nil, nil); err != nil {
		return 0, err
	}
	return int64(free), nil
}
