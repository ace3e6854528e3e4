package about

import (
	"bytes"
	"cmp"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"infomall/store/block/divide"
	"infomall/store/block/label"
	"infomall/store/page/markup"
	"infomall/store/page/pagetest"
)

// namesOf are what makes an element surely of a label: elements of HTML5, roles,
// and the plainest names.
var surelyNamed = map[string]label.Label{
	"nav": label.Nav, "navigation": label.Nav, "menu": label.Nav, "mainmenu": label.Nav, "navbar": label.Nav, "topnav": label.Nav,
	"header": label.Header, "banner": label.Header, "masthead": label.Header,
	"footer": label.Footer, "contentinfo": label.Footer, "site-footer": label.Footer,
	"aside": label.Aside, "complementary": label.Aside, "sidebar": label.Aside, "leftcol": label.Aside, "rightcol": label.Aside, "right-sidebar": label.Aside,
	"main": label.Main, "article": label.Main, "content": label.Main, "main-content": label.Main,
}

var namePattern = regexp.MustCompile(`(?i)(\s)(class|id|role)(\s*=)`)
var elementPattern = regexp.MustCompile(`(?i)<(/?)(nav|header|footer|aside|main|article|section)\b`)

// unnamed is a page without the names of its elements, of the same length.
func unnamed(body []byte) []byte {
	body = bytes.Clone(body)
	for _, at := range namePattern.FindAllSubmatchIndex(body, -1) {
		body[at[4]+1] = 'x' // "cxass", "ix", "rxle"
		if at[5]-at[4] == 2 {
			body[at[4]] = 'x'
		}
	}
	for _, at := range elementPattern.FindAllSubmatchIndex(body, -1) {
		copy(body[at[4]:at[5]], "div"+strings.Repeat(" ", 9)[:at[5]-at[4]-3])
	}
	return body
}

// nameLabels are the labels that the outermost sure names of elements give the
// nodes of a page; Other for none.
func nameLabels(t *markup.Tree) []label.Label {
	labels := make([]label.Label, len(t.Nodes))
	labels[0] = label.Other
	for i := 1; i < len(t.Nodes); i++ {
		labels[i] = labels[t.Nodes[i].Parent]
		if t.Nodes[i].Kind != markup.Element || labels[i] != label.Other {
			continue
		}
		if l, ok := surelyNamed[strings.ToLower(string(t.Name(i)))]; ok {
			labels[i] = l
			continue
		}
		for a := range t.Attrs(i) {
			if label.IsNaming(a.Name) {
				for _, w := range bytes.Fields(bytes.ToLower(a.Value)) {
					if l, ok := surelyNamed[string(w)]; ok {
						labels[i] = l
					}
				}
			}
		}
	}
	return labels
}

// TestSharedLabelsWithoutNames takes the names from the elements of pages of many
// sites, and holds the labels that place and content alone give them against what
// the names say. Pages of this set were looked at when rules were chosen, so the shares
// on unseen pages are lower.
func TestSharedLabelsWithoutNames(t *testing.T) {
	bodies := pagetest.Bodies(t, filepath.Join(pagetest.Shared(t), "dates", "pages.tar.zst"), ".html")
	var right, pages [label.Other + 1]float64
	for i := 0; i < len(bodies); i += 3 {
		names := nameLabels(markup.NewTree(bodies[i]))
		b, ok := divide.Open(unnamed(bodies[i]), divide.As{Mime: "text/html", ContentType: "text/html"}, divide.Options{})
		if !ok || len(b.Blocks) == 1 || len(names) != len(b.Page.Nodes) {
			continue
		}
		labels, cut := Labels(b.Tree), b.Cut(1)
		var of, sum [label.Other + 1]float64
		for i := range b.Page.Nodes {
			n := &b.Page.Nodes[i]
			if n.Kind != markup.Text || names[i] == label.Other {
				continue
			}
			k, _ := slices.BinarySearchFunc(cut, int(n.Start), func(n, at int) int { return cmp.Compare(b.Blocks[n].End-1, at) })
			if k == len(cut) || b.Blocks[cut[k]].Start > int(n.Start) {
				continue
			}
			text := float64(b.Flow().Shows(i).Text)
			sum[names[i]] += text
			if l := labels[cut[k]]; l == names[i] || names[i] == label.Header && l == label.Nav {
				of[names[i]] += text // The links of a site are in its header.
			}
		}
		for l := range of {
			if sum[l] > 0 {
				right[l] += of[l] / sum[l]
				pages[l]++
			}
		}
	}
	for l, want := range map[label.Label]float64{label.Main: .9, label.Nav: .4, label.Header: .6, label.Footer: .6} {
		got := right[l] / pages[l]
		t.Logf("%s: right on %.2f of %.0f pages", l, got, pages[l])
		if got < want {
			t.Errorf("%s is right on %.2f of the pages that name it, want %.2f", l, got, want)
		}
	}
}
