package page

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestSoftMissing(t *testing.T) {
	tests := []struct {
		title, text string
		want        bool
	}{
		{"404 Not Found", "nginx", true},
		{"Oops", "Sorry\nThe page you are looking for is gone", true},
		{"提示", "您访问的页面不存在\n返回首页", true},
		{"", "404", true},
		{"Room 404", "A novel about a hotel", false},
		{"HTTP 404 explained", string(make([]byte, 5000)), false},
		{"News", "The lost city was not found by the expedition.", false},
		{"Scaladoc for kafka.common", "class InvalidMessageSizeException\nIndicates the client has requested a range no longer available on the server\n", false},
		{"Sorry", "Sorry, the page you requested was not found on this server.\n", true},
		{"", "", false},
	}
	for _, tt := range tests {
		if reason, got := SoftMissing(tt.title, tt.text); got != tt.want || got == (reason == "") {
			t.Errorf("SoftMissing(%q, %.40q) = %q, %v; want %v", tt.title, tt.text, reason, got, tt.want)
		}
	}
}

// TestMissingPhrase compares missingPhrase with a search for each phrase, on lines made of phrases,
// parts of phrases and other words.
func TestMissingPhrase(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	list := signs().phrases
	pieces := append([]string{" ", "x", "40", "page", "not found", "页", "the "}, list...)
	found := 0
	for range 20_000 {
		var b strings.Builder
		for range r.IntN(4) {
			p := pieces[r.IntN(len(pieces))]
			if r.IntN(2) == 0 {
				p = p[:r.IntN(len(p)+1)]
			}
			b.WriteString(p)
		}
		line := b.String()
		want := ""
		if s := strings.ToLower(strings.TrimSpace(line)); signs().whole[s] {
			want = s
		} else {
			for _, p := range list {
				if strings.Contains(s, p) {
					want = p
					break
				}
			}
		}
		if got := missingPhrase(line); got != want {
			t.Fatalf("seed %d: missingPhrase(%q) = %q, want %q", seed, line, got, want)
		}
		if want != "" {
			found++
		}
	}
	if found < 1000 {
		t.Errorf("%d lines have a phrase", found)
	}
}
