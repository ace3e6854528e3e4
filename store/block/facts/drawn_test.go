package facts

import (
	"pgregory.net/rapid"

	"infomall/store/page/pagetest"
)

// drawn draws numbers for package pagetest.
func drawn(t *rapid.T) pagetest.Draw {
	return func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "n") }
}

// editedPage draws a version of a page.
func editedPage(t *rapid.T) string { return pagetest.Edited(drawn(t)) }
