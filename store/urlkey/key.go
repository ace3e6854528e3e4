package urlkey

import "strings"

// Key returns the sort key of a canonical URL; [URL] turns the key back into
// the URL. Keys sort as a SURT does: by the labels of the host from right to
// left, then by port, by path and query, and by scheme. So all hosts of a
// domain follow each other.
//
//	https://www.pku.edu.cn/news/a.htm?x=1    cn,edu,pku,www,)/news/a.htm?x=1 https
//	http://pku.edu.cn:8080/                  cn,edu,pku,:8080)/ http
//	ftp://u:p@162.105.1.1/                   162.105.1.1,)/ ftp u:p
//	dom:http://pku.edu.cn/                   cn,edu,pku,)/ dom:http
//	dns:www.pku.edu.cn                       dns:www.pku.edu.cn
//
// A key consists of: the labels of the host, each with a comma after it (an IP
// address is one label); the port with its colon, if the URL has one; a closing
// parenthesis; path and query; a blank and the scheme; and, if there is a user,
// a blank, the user and the password. A blank cannot appear before, because no
// canonical URL with a host contains one. A comma, parenthesis or percent sign
// in a label is percent-encoded. For the document of a page after load, and for its
// picture (see [DOM] and [Screenshot]), the scheme has their prefix, so the three
// keys are next to each other.
//
// Any other URL with a scheme other than http, https and ftp is its own key. Such a key
// can be told from other keys: it has no comma, or a colon before its first comma. The
// other keys have a comma before their first colon, or an IPv6 address in brackets.
func Key(canonical string) string {
	var buf [256]byte
	return string(AppendKey(buf[:0], canonical))
}

// AppendKey appends the sort key of a canonical URL to dst, and returns dst.
func AppendKey(dst []byte, canonical string) []byte {
	p, ok := split(canonical)
	if !ok {
		return append(dst, canonical...)
	}
	dst = appendLabels(dst, p.host)
	dst = append(dst, p.port...)
	dst = append(dst, ')')
	dst = append(dst, p.path...)
	dst = append(dst, ' ')
	dst = append(dst, p.scheme...)
	if p.user != "" {
		dst = append(dst, ' ')
		dst = append(dst, p.user...)
	}
	return dst
}

// URL returns the canonical URL whose sort key is key. It returns key itself if key
// was not built from a host, because such a URL is its own key.
func URL(key string) string {
	k, ok := splitKey(key)
	if !ok {
		return key
	}
	var b strings.Builder
	b.Grow(len(key))
	k.writeHost(&b)
	b.WriteString(k.path)
	return b.String()
}

// urlsBytes is how many bytes of memory AppendURLs allocates at once for the URLs of
// several keys.
const urlsBytes = 64 << 10

// AppendURLs appends the URL of each key to dst, and returns dst. It saves memory: equal keys in a
// row get the same string, and the URLs of neighbouring keys share one allocation.
func AppendURLs(dst, keys []string) []string {
	var b strings.Builder
	// About the previous key, if it was built from a host: its bytes up to the
	// end of the host, its bytes after the path, and the start of its URL up to
	// the path.
	var prefix, suffix, start string
	last := ""
	for i, key := range keys {
		if i > 0 && key == last {
			dst = append(dst, dst[len(dst)-1])
			continue
		}
		last = key
		if b.Cap()-b.Len() < len(key) { // no URL is longer than its key
			b = strings.Builder{}
			b.Grow(max(len(key), min((len(keys)-i)*len(key), urlsBytes)))
		}
		from := b.Len()
		if len(key) > len(prefix) && prefix != "" && key[:len(prefix)] == prefix {
			rest := key[len(prefix):]
			if n := strings.IndexByte(rest, ' '); n >= 0 && rest[n+1:] == suffix {
				b.WriteString(start)
				b.WriteString(rest[:n])
				dst = append(dst, b.String()[from:])
				continue
			}
		}
		k, ok := splitKey(key)
		if !ok {
			prefix = ""
			dst = append(dst, key)
			continue
		}
		k.writeHost(&b)
		start = b.String()[from:]
		b.WriteString(k.path)
		prefix = key[:strings.IndexByte(key, ')')+1]
		suffix = key[len(prefix)+len(k.path)+1:]
		dst = append(dst, b.String()[from:])
	}
	return dst
}

// writeHost writes the part of the URL of k before its path: scheme, user, host and
// port.
func (k *keyParts) writeHost(b *strings.Builder) {
	b.WriteString(k.scheme)
	b.WriteString("://")
	if k.user != "" {
		b.WriteString(k.user)
		b.WriteByte('@')
	}
	for labels := k.labels; ; {
		dot := strings.LastIndexByte(labels, ',')
		writeUnescaped(b, labels[dot+1:])
		if dot < 0 {
			break
		}
		b.WriteByte('.')
		labels = labels[:dot]
	}
	b.WriteString(k.port)
}

// parts holds the parts of a URL that split takes apart, as substrings of the URL.
type parts struct {
	scheme     string // with the prefix DOM or Screenshot, if the URL has it
	user, host string
	port       string // with its colon; "" for the scheme's default port
	path       string // with the query
}

// split takes a canonical URL apart, if it is an http, https or ftp URL, with or without the
// prefix DOM or Screenshot. ok is false for other URLs, which are their own sort key.
func split(canonical string) (p parts, ok bool) {
	scheme, rest, _ := strings.Cut(canonical, "://")
	switch scheme {
	case "http", "https", "ftp":
	case DOM + "http", DOM + "https", Screenshot + "http", Screenshot + "https":
	default:
		return p, false
	}
	slash := strings.IndexByte(rest, '/')
	if slash <= 0 {
		return p, false
	}
	p.scheme, p.host, p.path = scheme, rest[:slash], rest[slash:]
	if at := strings.LastIndexByte(p.host, '@'); at >= 0 {
		p.user, p.host = p.host[:at], p.host[at+1:]
	}
	if colon := strings.LastIndexByte(p.host, ':'); colon >= 0 && p.host[len(p.host)-1] != ']' {
		p.host, p.port = p.host[:colon], p.host[colon:]
	}
	return p, p.host != ""
}

// keyParts holds the parts of a sort key that was built from a host, as substrings
// of the key.
type keyParts struct {
	labels string // without the last comma
	port   string // with its colon, or ""
	path   string // with the query
	scheme string
	user   string
}

// splitKey takes a sort key apart. ok is false if the key was not built from a host, because it
// is a URL that is its own key.
func splitKey(key string) (k keyParts, ok bool) {
	if first := strings.IndexAny(key, ",:["); first < 0 || key[first] == ':' {
		return k, false // a URL that is its own key
	}
	end := strings.IndexByte(key, ')')
	if end < 0 {
		return k, false
	}
	comma := strings.LastIndexByte(key[:end], ',')
	if comma < 0 {
		return k, false
	}
	k.labels, k.port = key[:comma], key[comma+1:end]
	k.path, k.scheme, ok = strings.Cut(key[end+1:], " ")
	k.scheme, k.user, _ = strings.Cut(k.scheme, " ")
	return k, ok
}

// HostPrefix returns the length in bytes of the beginning of key that has the host and
// the port, and the parenthesis after them. Two keys with the same beginning belong to
// the same host and port. It returns 0 for a key that was not built from a host.
func HostPrefix(key string) int {
	if _, ok := splitKey(key); !ok {
		return 0
	}
	return strings.IndexByte(key, ')') + 1
}

// appendLabels appends the labels of host to dst in reverse order, each followed by
// a comma. An IP address is appended as one label.
func appendLabels(dst []byte, host string) []byte {
	if isIP(host) {
		dst = append(dst, host...)
		return append(dst, ',')
	}
	plain := strings.IndexByte(host, ',') < 0 && strings.IndexByte(host, ')') < 0 && strings.IndexByte(host, '%') < 0
	for {
		dot := strings.LastIndexByte(host, '.')
		if label := host[dot+1:]; plain {
			dst = append(dst, label...)
		} else {
			dst = appendLabel(dst, label)
		}
		dst = append(dst, ',')
		if dot < 0 {
			return dst
		}
		host = host[:dot]
	}
}

// appendLabel appends one label of a host to dst. Commas, parentheses and percent
// signs in it are percent-encoded, so that the label ends at the next comma.
func appendLabel(dst []byte, label string) []byte {
	for i := range len(label) {
		switch c := label[i]; c {
		case ',', ')', '%':
			dst = appendEscaped(dst, c)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// writeUnescaped writes label to b without the percent-encoding that appendLabel gave it.
func writeUnescaped(b *strings.Builder, label string) {
	for {
		i := strings.IndexByte(label, '%')
		if i < 0 || i+3 > len(label) {
			b.WriteString(label)
			return
		}
		b.WriteString(label[:i])
		b.WriteByte(unhex(label[i+1])<<4 | unhex(label[i+2]))
		label = label[i+3:]
	}
}

// isIP reports whether host, taken from a canonical URL, is an IP address. By
// WHATWG, a host whose last label is a number is an IPv4 address, and only an
// IPv6 address has brackets.
func isIP(host string) bool {
	if host == "" {
		return false
	}
	return host[0] == '[' || isDigits(host[strings.LastIndexByte(host, '.')+1:])
}
