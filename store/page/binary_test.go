package page

import "testing"

// TestIsBinary tells files from texts that begin alike.
func TestIsBinary(t *testing.T) {
	for body, want := range map[string]bool{
		"\x89PNG\r\n\x1a\n": true, "%PDF-1.4\n": true, "\xff\xd8\xff\xe0": true, "GIF89a\x10\x00": true, "PK\x03\x04": true,
		"RIFF\x10\x00\x00\x00WEBPVP8 ": true, "\x00\x00\x00\x18ftypmp42": true, "FWS\x05\x10\x20\x00\x00\x00\x00\x00\x00": true, "ID3\x04\x00\x00\x00\x00\x00\x00\x00\x00": true,
		"RIFF and RAFF, a play": false, "FWS Agency: home": false, "ID3 tags, explained": false, "The ftyp of a film": false, "PKZIP": false, "<html>": false, "": false,
	} {
		if got := IsBinary([]byte(body)); got != want {
			t.Errorf("%q: %v, want %v", body, got, want)
		}
	}
}
