//go:build ignore

// Command maketable writes formats.table from the two files of signatures that
// PRONOM publishes. The files are not part of this repository; they are at
// https://www.nationalarchives.gov.uk/aboutapps/pronom/droid-signature-files.htm.
//
//	go run pronom/maketable.go DROID_SignatureFile_V122.xml container-signature-20260119.xml
package main

import (
	"fmt"
	"os"

	"infomall/store/document/format/pronom"
)

func main() {
	if len(os.Args) != 3 {
		fail("give the file of signatures and the file of container signatures")
	}
	var files [2][]byte
	for i := range files {
		var err error
		if files[i], err = os.ReadFile(os.Args[i+1]); err != nil {
			fail(err)
		}
	}
	table, err := pronom.Make(files[0], files[1])
	if err != nil {
		fail(err)
	}
	if err := os.WriteFile("formats.table", table, 0o666); err != nil {
		fail(err)
	}
}

func fail(why any) {
	fmt.Fprintln(os.Stderr, "maketable:", why)
	os.Exit(1)
}
