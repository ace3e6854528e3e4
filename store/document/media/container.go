package media

import (
	"bytes"

	"infomall/store/document"
)

// Container is a format that carries sound, video or both.
type Container struct {
	Name string
	// Is reports whether the bytes are of this format.
	Is func(v View) bool
	// Video reports whether a file of this format shows pictures. It looks at the
	// head of the file only.
	Video func(head View) bool
	// Read reads the file into b.
	Read func(b *document.Builder, v View) error
}

// containers lists the containers.
var containers = []Container{mp4, asf, ogg, matroska, realMedia}

// headBytes is how many bytes of a file Container.Video gets.
const headBytes = 64 << 10

// Of returns the container that a body is in, and whether the file shows pictures. It
// returns nil if the body is not in a container.
func Of(body []byte) (c *Container, video bool) {
	for i := range containers {
		if c := &containers[i]; c.Is(body) {
			return c, c.Video(body[:min(len(body), headBytes)])
		}
	}
	return nil, false
}

// has returns a function that reports whether a head contains s.
func has(s string) func(View) bool {
	return func(head View) bool { return bytes.Contains(head, []byte(s)) }
}
