package urlkey

import (
	"regexp"
	"sync"
)

// user matches the part of a URL that has a user name or a password, from the colon
// before it to the @ after it, such as "://name:secret@".
var user = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`://[^/?#@\s']*@`) })

// WithoutUsers removes the user names and passwords from all URLs in text. It
// is applied to a text before it is stored, such as the text of a statement.
func WithoutUsers(text string) string { return user().ReplaceAllString(text, "://") }
