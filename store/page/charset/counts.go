package charset

// Tells reports whether f allows a guess about the charset of other pages of
// the same host: the page itself showed the charset, and f is sure.
func (f *Found) Tells() bool { return tells(f.Source) && !f.Unsure }

// tells reports whether source, a Found.Source, means that the page itself showed
// its charset. It is false for SourceHost, SourceDefault and "".
func tells(source string) bool {
	return source != "" && source != SourceHost && source != SourceDefault
}

// Counts counts the pages of one host by charset. The zero value is ready to use.
type Counts struct{ pages map[string]int }

// Add counts one page. charset is the charset that the page itself shows.
func (c *Counts) Add(charset string) {
	if c.pages == nil {
		c.pages = make(map[string]int)
	}
	c.pages[charset]++
}

// AddSource counts one page with this charset if source, its Found.Source, means
// that the page itself showed the charset.
func (c *Counts) AddSource(charset, source string) {
	if tells(source) {
		c.Add(charset)
	}
}

// Usual returns the charset that most of the counted pages have, or "" if no page
// was counted. If several charsets have the same count, it returns the first by
// name.
func (c *Counts) Usual() (usual string) {
	for name, n := range c.pages {
		if most := c.pages[usual]; n > most || n == most && name < usual {
			usual = name
		}
	}
	return usual
}
