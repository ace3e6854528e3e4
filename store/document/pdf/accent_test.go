package pdf

import (
	"strings"
	"testing"

	"infomall/store/document/documenttest"
)

// TestAccents shows that an accent and a letter in one place are one letter, also above capital
// letters, whose accents PDFium sorts behind other words. An accent on a letter that Unicode
// does not have with it stays. accents-latex.pdf was made by pdflatex with the fonts of OT1:
//
//	Geb\"uhren f\"ur \"Ol und \"Apfel; fa\c{c}ade, na\"{\i}ve, Dvo\v{r}\'ak, \r{A}ngstr\"om,
//	pi\~nata, cr\`eme br\^ul\'ee. {\small\itshape M\"unchen, \'Ecole, caf\'e.}
//	The set $\bar x = \hat y + \ddot z$ stays.
func TestAccents(t *testing.T) {
	got := strings.Join(strings.Fields(documenttest.Text(documenttest.Read(t, Kind, testFile(t, "accents-latex.pdf")))), " ")
	const want = "Gebühren für Öl und Äpfel; façade, naïve, Dvořák, Ångström, piñata, crème brûlée. " +
		"München, École, café. The set ¯x = ŷ + ¨z stays."
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
