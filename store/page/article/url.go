package article

// readURLs adds the date in the path of the page's URL to r.dates. If that date
// has no day, readURLs also tries the URL that the page gives as its own, such
// as og:url, and takes the date with more weight.
func (r *reader) readURLs() {
	best := r.readURL(r.in.URL)
	if best.day == 0 && r.heads.url != "" {
		if own := r.readURL(r.heads.url); own.weight > best.weight {
			best = own
		}
	}
	if best.weight > 0 {
		r.add(best)
	}
}

// readURL returns the date in the path of a URL, such as /2008/08/08/,
// /20080808/, t20080808_123.htm, /2008-08/08/ or /2008/08/. The weight of the
// result is 0 if there is no date.
func (r *reader) readURL(url string) (best candidate) {
	for i := 0; i < len(url); i++ { // skip the host
		if url[i] == '/' && (i == 0 || url[i-1] != '/') && (i+1 >= len(url) || url[i+1] != '/') {
			url = url[i:]
			break
		}
	}
	if len(url) == 0 || url[0] != '/' {
		return best
	}
	stamp := candidate{}
	for i := 0; i < len(url); {
		if url[i]-'0' >= 10 {
			i++
			continue
		}
		end := i
		for end < len(url) && url[end]-'0' < 10 {
			end++
		}
		c := candidate{from: FromURL, line: -1}
		switch n := end - i; {
		case n == 4:
			c.expression, c.weight = urlParts(url, i)
		case n == 8 || n >= 12 && n <= 20:
			if e, ok := packed(url[i : i+8]); ok {
				c.expression, c.weight = e, .75
				if n > 8 {
					c.weight = .6
				}
			}
		case n == 10:
			if e, ok := r.exact(url[i:end]); ok { // seconds since 1970
				stamp = candidate{expression: e, from: FromURL, weight: .5, line: -1}
				stamp.hour = -1
			}
		case n == 6:
			if e, ok := packed("20" + url[i:end]); ok && e.year >= 2000 && e.year <= 2030 && i > 0 && url[i-1] == '/' && end < len(url) && url[end] == '/' {
				c.expression, c.weight = e, .4 // 080808
			}
			if y := digitsOf(url[i : i+4]); y >= yearLeast && y < 2030 {
				if m := digitsOf(url[i+4 : end]); m >= 1 && m <= 12 {
					e := expression{year: y, month: m, hour: -1, zone: zoneNone}
					weight := .3
					if end+1 < len(url) && (url[end] == '/' || url[end] == '-') { // 200808/08
						k := end + 1
						for k < len(url) && url[k]-'0' < 10 {
							k++
						}
						switch rest := url[end+1 : k]; {
						case len(rest) >= 1 && len(rest) <= 2 && dayOf(rest) != 0:
							e.day, weight = dayOf(rest), .75
						case len(rest) == 4 && digitsOf(rest[:2]) == m && dayOf(rest[2:]) != 0: // 200808/0808
							e.day, weight = dayOf(rest[2:]), .7
						case len(rest) == 8 && dayOf(rest[:2]) != 0 && digitsOf(rest[2:4]) < 24 && digitsOf(rest[4:6]) < 60 && digitsOf(rest[6:]) < 60: // 200808/08200000
							e.day, weight = dayOf(rest[:2]), .35
						}
					}
					c.expression, c.weight = e, weight
				}
			}
		}
		if c.weight > best.weight && c.valid() && c.year <= 2040 {
			best = c
		}
		i = end
	}
	if best.day == 0 && stamp.day != 0 && stamp.year == best.year && stamp.month == best.month {
		best = stamp // 2008-08/1218196800
	}
	return best
}

// urlParts reads the date in url that begins with a year at offset i, followed
// by the month and the day. weight is 0 if there is no such date.
func urlParts(url string, i int) (e expression, weight float64) {
	e = expression{year: digitsOf(url[i : i+4]), hour: -1, zone: zoneNone}
	if e.year < yearLeast || e.year > 2040 || i == 0 || letter(url[i-1]) && url[i-1] != 't' {
		return e, 0
	}
	at := i + 4
	var parts [2]int
	var sizes [2]int
	for k := range parts {
		if at >= len(url) || url[at] != '/' && url[at] != '-' && url[at] != '_' && url[at] != '.' {
			break
		}
		from := at + 1
		end := from
		for end < len(url) && url[end]-'0' < 10 {
			end++
		}
		if k == 0 && end == from && from+3 <= len(url) { // 2008/aug/08
			wordEnd := from
			for wordEnd < len(url) && letter(url[wordEnd]) {
				wordEnd++
			}
			if m := monthOf(url[from:wordEnd], "en"); m != 0 {
				parts[0], sizes[0], at = m, 2, wordEnd
				continue
			}
		}
		if k == 0 && end-from == 4 && url[at] == '/' { // 2008/0808
			parts[0], parts[1] = digitsOf(url[from:from+2]), digitsOf(url[from+2:end])
			sizes[0], sizes[1] = 2, 2
			break
		}
		if end-from < 1 || end-from > 2 {
			break
		}
		parts[k], sizes[k] = digitsOf(url[from:end]), end-from
		at = end
	}
	if parts[0] < 1 || parts[0] > 12 {
		return e, 0
	}
	e.month = parts[0]
	if parts[1] < 1 || parts[1] > 31 {
		if sizes[0] < 2 {
			return e, .1
		}
		return e, .3
	}
	e.day = parts[1]
	if sizes[0] < 2 || sizes[1] < 2 {
		return e, .65
	}
	return e, .75
}

// dayOf returns the value of the digits s if it can be a day of the month, and
// otherwise 0.
func dayOf(s string) int {
	if d := digitsOf(s); d <= 31 {
		return d
	}
	return 0
}

// digitsOf returns the value of s, which consists of a few digits.
func digitsOf(s string) int {
	n := 0
	for i := range len(s) {
		n = n*10 + int(s[i]-'0')
	}
	return n
}
