package officetest

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

var makeDir = flag.String("make", "", "folder in which TestMake makes the documents")

// formats are the formats in which LibreOffice writes each kind of document.
var formats = map[string][]string{
	Letter:       {"docx", "dotx", "odt", "ott", "rtf", "epub", "fodt", "doc", "uot"},
	Workbook:     {"xlsx", "xltx", "xlsm", "ods", "ots", "fods", "xls", "uos"},
	Presentation: {"pptx", "potx", "ppsx", "odp", "otp", "fodp", "ppt", "uop"},
}

// TestMake makes the documents of the texts in all formats with LibreOffice. It does
// nothing unless a folder is given.
func TestMake(t *testing.T) {
	if *makeDir == "" {
		t.Skip("the flag -make names no folder")
	}
	profile := "-env:UserInstallation=file://" + t.TempDir()
	for kind, list := range formats {
		var sources []string
		folder := filepath.Join(*makeDir, "from-"+kind)
		if err := os.MkdirAll(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		for _, text := range Texts {
			file := filepath.Join(folder, text.Lang+"."+kind)
			if err := os.WriteFile(file, []byte(text.Flat(kind)), 0o666); err != nil {
				t.Fatal(err)
			}
			sources = append(sources, file)
		}
		for _, format := range list {
			args := append([]string{profile, "--headless", "--convert-to", format, "--outdir", *makeDir}, sources...)
			if out, err := exec.Command("soffice", args...).CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", format, err, out)
			}
		}
	}
}
