package charset

// Tells reports whether the charset was found in the page itself and is sure.
// Only then does it show something about other pages of the host.
func (f *Found) Tells() bool { return tells(f.Source) && !f.Unsure }

// tells reports whether source is the page itself, not the host or the default.
func tells(source string) bool {
	return source != "" && source != SourceHost && source != SourceDefault
}

// Counts counts the pages of one host by charset. The zero value is ready.
type Counts struct{ pages map[string]int }

// Add counts a page that shows this charset itself.
func (c *Counts) Add(charset string) {
	if c.pages == nil {
		c.pages = make(map[string]int)
	}
	c.pages[charset]++
}

// AddSource counts a page with a charset from this source, if the source is the
// page itself.
func (c *Counts) AddSource(charset, source string) {
	if tells(source) {
		c.Add(charset)
	}
}

// Usual returns the charset of most of the pages, or "" if there are none. If
// several have the same count, it returns the first by name.
func (c *Counts) Usual() (usual string) {
	for name, n := range c.pages {
		if most := c.pages[usual]; n > most || n == most && name < usual {
			usual = name
		}
	}
	return usual
}
