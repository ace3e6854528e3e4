// Package page reads the body of one captured page: what content coding and
// what charset it is in, and the text that comes out. It consists of pure
// functions over bytes; where a body came from and where it goes is not its
// concern. Bodies lie, so nothing here trusts a declaration that the bytes
// refute.
package page
