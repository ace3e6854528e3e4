package pdf

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"infomall/store/document"
	"infomall/store/document/documenttest"
)

// TestAgainstPdftotext compares the text of the PDF files in the folder $PDFS with that
// of pdftotext, a program of poppler-utils.
func TestAgainstPdftotext(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(os.Getenv("PDFS"), "*.pdf"))
	if len(files) == 0 {
		t.Skip("$PDFS has no PDF files")
	}
	if _, err := exec.LookPath("pdftotext"); err != nil {
		t.Skip("there is no pdftotext: install poppler-utils")
	}
	if err := theEngine.Open(); err != nil {
		t.Fatal(err)
	}
	var all []float64
	var pages int64
	var took time.Duration
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		in := document.Input{Body: body, Mime: "application/pdf"}
		if !is(&in) {
			t.Logf("%s: not a PDF file", filepath.Base(file))
			continue
		}
		begun := time.Now()
		d := documenttest.Read(t, Kind, in)
		each := time.Since(begun)
		took += each
		pages += max(d.Pages, 0)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		want, err := exec.CommandContext(ctx, "pdftotext", "-q", file, "-").Output()
		cancel()
		if err != nil {
			t.Logf("%s: pdftotext: %v; ours: %d bytes, %q", filepath.Base(file), err, len(documenttest.Text(d)), d.Reason)
			continue
		}
		f := documenttest.F1(documenttest.Text(d), string(want))
		all = append(all, f)
		if f < .9 || each > time.Second {
			t.Logf("%s: %.3f, %d of %d bytes, %v, %q", filepath.Base(file), f, len(documenttest.Text(d)), len(want), each, d.Reason)
		}
	}
	if len(all) > 0 {
		slices.Sort(all)
		t.Logf("%d files, median %.3f, least %.3f; %d pages in %v", len(all), all[len(all)/2], all[0], pages, took)
	}
}
