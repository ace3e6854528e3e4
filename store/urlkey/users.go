package urlkey

import "regexp"

// user is the start of a URL with a name and a password in front of its host.
var user = regexp.MustCompile(`://[^/?#@\s']*@`)

// WithoutUsers is a text that is to be kept, such as that of a statement,
// without the names and passwords in front of the hosts of its URLs.
func WithoutUsers(text string) string { return user.ReplaceAllString(text, "://") }
