package format

import "testing"

// TestAgrees compares what servers declare with formats.
func TestAgrees(t *testing.T) {
	for _, tt := range []struct {
		id            ID
		mime          string
		agrees, known bool
	}{
		{"fmt/18", "application/pdf", true, true},
		{"fmt/18", "text/html", false, true},
		{"fmt/43", "image/pjpeg", true, true},
		{"fmt/43", "image/gif", false, true},
		{"x-fmt/266", "application/x-gzip", true, true},
		{"x-fmt/418", "image/x-icon", true, true},
		{"fmt/616", "application/font-woff", true, true},
		{"fmt/102", "text/html", true, true},
		{"fmt/100", "text/plain", false, true},
		{"x-fmt/111", "application/javascript", true, true},
		{"x-fmt/111", "image/png", false, true},
		{"fmt/101", "application/rss+xml", true, true},
		{"fmt/101", "application/pdf", false, true},
		{"fmt/18", "application/octet-stream", false, false},
		{"fmt/18", "", false, false},
		{"", "application/pdf", false, false},
		{"fmt/1855", "image/png", false, false},
	} {
		if agrees, known := (Found{ID: tt.id}).Agrees(tt.mime); agrees != tt.agrees || known != tt.known {
			t.Errorf("%s and %s: %t %t, want %t %t", tt.id, tt.mime, agrees, known, tt.agrees, tt.known)
		}
	}
}
