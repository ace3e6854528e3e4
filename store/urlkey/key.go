package urlkey

import "strings"

// Key returns the sort key of a canonical URL, from which [URL] gives back the
// URL. It orders URLs as a SURT does: by host from the right, so that hosts
// under one domain stand together; then by port, path and query, scheme.
//
//	https://www.pku.edu.cn/news/a.htm?x=1    cn,edu,pku,www,)/news/a.htm?x=1 https
//	http://pku.edu.cn:8080/                  cn,edu,pku,:8080)/ http
//	ftp://u:p@162.105.1.1/                   162.105.1.1,)/ ftp u:p
//	dns:www.pku.edu.cn                       dns:www.pku.edu.cn
//
// Each label of the host ends in a comma; an IP address is one label. Then
// stand the port, if the URL has one, and a parenthesis; path and query; a
// blank, which no canonical URL with a host contains, and the scheme; and after
// another blank user and password, if any. A comma, parenthesis or percent sign
// in a label is percent-encoded. URLs of other schemes than http, https and ftp
// are their own key: their first comma, if they have one, comes after a colon,
// that of other keys before (an IPv6 address has brackets around its colons).
func Key(canonical string) string {
	p, ok := split(canonical)
	if !ok {
		return canonical
	}
	var b strings.Builder
	b.Grow(len(canonical)) // exact, unless a label needs escapes
	writeLabels(&b, p.host)
	b.WriteString(p.port)
	b.WriteByte(')')
	b.WriteString(p.path)
	b.WriteByte(' ')
	b.WriteString(p.scheme)
	if p.user != "" {
		b.WriteByte(' ')
		b.WriteString(p.user)
	}
	return b.String()
}

// URL returns the canonical URL whose key is key. What is no key is returned
// as it is.
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

// urlsBytes is how much memory the URLs of several keys share at most.
const urlsBytes = 64 << 10

// AppendURLs appends the URLs of keys to dst. Equal keys that follow each other
// have one, and neighbours share an allocation.
func AppendURLs(dst, keys []string) []string {
	var b strings.Builder
	// Of the key before: what tells its host, what follows its path, and what
	// its URL begins with, if it was built from a host.
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

// writeHost writes all that comes before the path in a URL.
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

// parts are those of a canonical http, https or ftp URL, all substrings of it.
type parts struct {
	scheme, user, host string
	port               string // with its colon; "" for the scheme's own
	path               string // and query
}

// split takes apart a canonical URL whose key is built from its host. It
// reports false for others.
func split(canonical string) (p parts, ok bool) {
	scheme, rest, _ := strings.Cut(canonical, "://")
	if scheme != "http" && scheme != "https" && scheme != "ftp" {
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

// keyParts are those of a key that was built from a host.
type keyParts struct {
	labels string // without the last comma
	port   string // with its colon, or ""
	path   string // and query
	scheme string
	user   string
}

// splitKey takes apart a key built from a host. It reports false for others.
func splitKey(key string) (k keyParts, ok bool) {
	if first := strings.IndexAny(key, ",:["); first < 0 || key[first] == ':' {
		return k, false // a key of its own
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

// HostPrefix is how many bytes at the start of a key tell the host and port of
// its URL: keys that agree in them are of one host. It is 0 for a key that was
// not built from a host.
func HostPrefix(key string) int {
	if _, ok := splitKey(key); !ok {
		return 0
	}
	return strings.IndexByte(key, ')') + 1
}

// writeLabels writes the labels of host from the last to the first, each with
// a comma after it.
func writeLabels(b *strings.Builder, host string) {
	if isIP(host) {
		b.WriteString(host)
		b.WriteByte(',')
		return
	}
	for {
		dot := strings.LastIndexByte(host, '.')
		writeLabel(b, host[dot+1:])
		b.WriteByte(',')
		if dot < 0 {
			return
		}
		host = host[:dot]
	}
}

// writeLabel writes one label such that no byte in it can be taken for the
// comma or the parenthesis after it.
func writeLabel(b *strings.Builder, label string) {
	if strings.IndexByte(label, ',') < 0 && strings.IndexByte(label, ')') < 0 && strings.IndexByte(label, '%') < 0 {
		b.WriteString(label)
		return
	}
	for i := range len(label) {
		switch c := label[i]; c {
		case ',', ')', '%':
			writeEscaped(b, c)
		default:
			b.WriteByte(c)
		}
	}
}

// writeUnescaped undoes writeLabel.
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

// isIP reports whether the canonical host is an IP address: by WHATWG a host
// whose last label is a number is an IPv4 address, and none but an IPv6 address
// has brackets.
func isIP(host string) bool {
	if host == "" {
		return false
	}
	return host[0] == '[' || isDigits(host[strings.LastIndexByte(host, '.')+1:])
}
