package media

import (
	"bytes"

	"infomall/store/document"
)

// Container is a format that carries sound, video or both.
type Container struct {
	Name string
	// Is reports whether the bytes of a file are in this format.
	Is func(v View) bool
	// Video reports whether a file in this format shows pictures. It examines
	// only the first headBytes bytes of the file.
	Video func(head View) bool
	// Read reads the file into b.
	Read func(b *document.Builder, v View) error
}

// containers lists the containers.
var containers = []Container{mp4, asf, ogg, matroska, realMedia}

// headBytes is how many bytes of a file Container.Video gets.
const headBytes = 64 << 10

// Of returns the container format of a body, and whether the body shows
// pictures. c is nil if the body is in no container format.
func Of(body []byte) (c *Container, video bool) {
	for i := range containers {
		if c := &containers[i]; c.Is(body) {
			return c, c.Video(body[:min(len(body), headBytes)])
		}
	}
	return nil, false
}

// has returns a function that reports whether a view contains s.
func has(s string) func(View) bool {
	return func(head View) bool { return bytes.Contains(head, []byte(s)) }
}
