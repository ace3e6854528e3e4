// Package media has what the readers of pictures, sound and video share: safe reads of
// binary headers, the tags in which a file describes itself, and the containers that
// carry sound or video, such as MP4.
//
// # Words
//
//	view       bytes that may be read at any position, in bounds or not
//	tag        one statement of a file about itself, such as its title
//	container  a file format that holds streams of sound and video
//	box, chunk, element  the parts of a container; the word depends on the format
//
// All readers accept files that are cut off or damaged. They take what is there. None
// of them allocates memory by a length that the file claims.
package media
