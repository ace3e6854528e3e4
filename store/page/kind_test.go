package page

import "testing"

// TestIsXMLDocument tells feeds and office documents from pages in XML and in HTML.
func TestIsXMLDocument(t *testing.T) {
	for body, want := range map[string]bool{
		"<rss version='2.0'>": true, "\ufeff\n<?xml version='1.0'?>\n<!-- <html> --><feed xmlns='http://www.w3.org/2005/Atom'>": true,
		"<?xml version='1.0'?><?mso-application progid='Word.Document'?><w:wordDocument>": true, "<office:document xmlns:office='urn'>": true,
		"<!DOCTYPE rss [<!ENTITY a 'b'>]><rss>": true, "<rdf:RDF\nxmlns='http://purl.org/rss/1.0/'>": true,
		"\xff\xfe<\x00u\x00o\x00f\x00:\x00U\x00O\x00F\x00>\x00": true,

		"<?xml version='1.0'?><!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0'><html xmlns='http://www.w3.org/1999/xhtml'>": false,
		"<!-- a > b <rss> --><p>": false, "<feedback>": false, "text <rss>": false, "<rss": false, "<!-- <rss>": false, "": false,
	} {
		if got := IsXMLDocument([]byte(body)); got != want {
			t.Errorf("%q: %v, want %v", body, got, want)
		}
	}
}
