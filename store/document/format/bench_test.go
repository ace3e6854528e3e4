package format

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// BenchmarkIdentify identifies bodies of 128 KB: all of what is searched.
func BenchmarkIdentify(b *testing.B) {
	noise := make([]byte, 2*endBytes)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range noise {
		noise[i] = byte(r.IntN(256))
	}
	page := "<html><body>" + strings.Repeat("<p class=\"a\">Zwei Worte und <a href=\"b.htm\">ein Link</a>.</p>\n", 2048) + "</body></html>"
	for _, tt := range []struct{ name, body string }{
		{"page", page},
		{"pdf", "%PDF-1.4\n" + string(noise) + "%%EOF\n"},
		{"noise", string(noise)},
		{"zeros", zeros(2 * endBytes)},
		{"doc", string(fileOf("doc").make())},
		// The worst that is known: pieces of sequences at every place.
		{"repeated", strings.Repeat("\xff\xfb\x90\x00\x00MZ\x00PE\x00\x00<\x00", 2*endBytes/14)},
	} {
		b.Run(tt.name, func(b *testing.B) {
			body := []byte(tt.body)
			b.SetBytes(int64(len(body)))
			for range b.N {
				Identify(body)
			}
		})
	}
}
