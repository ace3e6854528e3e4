package urlkey

import "strings"

// OtherForms returns the URLs that differ from url only in the scheme (http or https),
// in www. before the host, or in the slash at the end. The URLs that are most similar
// to url come first.
func OtherForms(url string) []string {
	scheme, rest, _ := strings.Cut(url, "://")
	schemes := []string{scheme, "https"}
	if scheme == "https" {
		schemes[1] = "http"
	}
	hosts := []string{rest, "www." + rest}
	if bare, ok := strings.CutPrefix(rest, "www."); ok {
		hosts[1] = bare
	}
	var list []string
	for _, slash := range []bool{false, true} {
		for _, host := range hosts {
			for _, s := range schemes {
				form := s + "://" + host
				if slash {
					if strings.ContainsAny(form, "?") {
						continue
					}
					bare, ok := strings.CutSuffix(form, "/")
					if form = bare; !ok {
						form += "/"
					}
				}
				if form != url && strings.Count(form, "/") > 2 {
					list = append(list, form)
				}
			}
		}
	}
	return list
}
