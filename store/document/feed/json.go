package feed

import (
	"encoding/json"
	"fmt"
	"strings"

	"infomall/store/document"
	"infomall/store/page/charset"
)

// jsonPerson is an author in a JSON Feed.
type jsonPerson struct{ Name string }

// jsonFeed is a JSON Feed of version 1 or 1.1.
type jsonFeed struct {
	Title       string
	HomePageURL string `json:"home_page_url"`
	Description string
	Language    string
	Author      jsonPerson
	Authors     []jsonPerson
	Items       []struct {
		URL         string
		ExternalURL string `json:"external_url"`
		Title       string
		HTML        string `json:"content_html"`
		Text        string `json:"content_text"`
		Summary     string
		Published   string `json:"date_published"`
		Modified    string `json:"date_modified"`
		Author      jsonPerson
		Authors     []jsonPerson
		Attachments []struct{ URL string }
	}
}

// names returns the names of the authors, separated by commas. one is the field
// author, and more the field authors.
func names(one jsonPerson, more []jsonPerson) string {
	var all []string
	for _, p := range append(more, one) {
		if p.Name != "" {
			all = append(all, p.Name)
		}
	}
	return strings.Join(all, ", ")
}

func readJSON(b *document.Builder, in *document.Input) error {
	var f jsonFeed
	body := charset.ToUTF8(in.Body, charset.Find(in.Body, "application/json; charset="+in.Charset, "").Charset)
	// A field of another type than the format has is left out. A syntax error leaves
	// everything out.
	err := json.Unmarshal(body, &f)
	if err != nil {
		err = fmt.Errorf("the JSON Feed is damaged: %w", err)
	}
	d := b.Doc
	set(&d.Title, f.Title)
	set(&d.Description, f.Description)
	set(&d.Lang, strings.ToLower(f.Language))
	set(&d.Author, names(f.Author, f.Authors))
	b.Link(f.HomePageURL, d.Title)
	if err := b.Add(document.Heading, d.Title); err != nil {
		return err
	}
	if err := b.Add(document.Paragraph, d.Description); err != nil {
		return err
	}
	for _, j := range f.Items {
		i := item{
			title: document.Clean(j.Title), author: document.Clean(names(j.Author, j.Authors)),
			summary: text{body: j.Summary}, content: text{body: j.Text}, date: j.Published, page: j.URL,
		}
		if j.HTML != "" {
			i.content = text{j.HTML, true}
		}
		if i.date == "" {
			i.date = j.Modified
		}
		if j.ExternalURL != "" {
			i.links = append(i.links, j.ExternalURL)
		}
		for _, a := range j.Attachments {
			if len(i.links) < itemLinks {
				i.links = append(i.links, a.URL)
			}
		}
		if err := i.add(b); err != nil {
			return err
		}
	}
	return err
}
