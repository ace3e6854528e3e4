package page

// Tells reports whether the page itself tells its charset, so that it says something
// of other pages of its host.
func (f *Found) Tells() bool { return tells(f.Source) && !f.Unsure }

// tells reports whether a source of a charset is the page itself.
func tells(source string) bool {
	return source != "" && source != SourceHost && source != SourceDefault
}

// Charsets counts pages of one host by charset. The zero value is ready.
type Charsets struct{ pages map[string]int }

// Add counts a page with this charset, which it tells itself.
func (c *Charsets) Add(charset string) {
	if c.pages == nil {
		c.pages = make(map[string]int)
	}
	c.pages[charset]++
}

// AddSource counts a page with a charset from this source, if that is the page itself.
func (c *Charsets) AddSource(charset, source string) {
	if tells(source) {
		c.Add(charset)
	}
}

// Usual returns the charset that most of the pages have, "" if there are none. Of
// several it is the first by name.
func (c *Charsets) Usual() (usual string) {
	for name, n := range c.pages {
		if most := c.pages[usual]; n > most || n == most && name < usual {
			usual = name
		}
	}
	return usual
}
