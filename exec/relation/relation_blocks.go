package relation

import (
	"infomall/exec/value"
	"infomall/store/record"
)

// The numbers of hidden columns that say from what a row was made: from a
// capture, from a part of one, or from two captures (for changes, with the
// kinds of change).
const (
	refColumns     = 2
	partRefColumns = refColumns + 1
	pairRefColumns = 2*refColumns + 3
)

var Blocks = &Relation{
	Name: "blocks", Doc: "one block of one version, at the cut", Scoped: true,
	OfVersions: true, Cut: true, History: true, RefColumns: partRefColumns,
	Columns: []Column{
		{Name: "url", Type: value.URL, Doc: "canonical URL"},
		{Name: "time", Type: value.Time, Doc: "when its version was first seen"},
		{Name: "block", Type: value.Text, Doc: "path in the tree of this version, such as C.C.3"},
		{Name: "identity", Type: value.Text, Doc: "name of the block over its life"},
		{Name: "label", Type: value.Text, Doc: "main, nav, header, footer, aside, ad, form, list, media or other", Costly: true},
		{Name: "topic", Type: value.Text, Doc: "what it is about, in words of its own", Costly: true},
		{Name: "change", Type: value.Text, Doc: "against the version before: first, added, edited, moved or same"},
		{Name: "changed", Type: value.Bool, Doc: "whether change is added or edited"},
		{Name: "bytes", Type: value.Int, Doc: "size of its html"},
		{Name: "words", Type: value.Int, Doc: "words in its text", Costly: true},
		{Name: "link_count", Type: value.Int, Doc: "links in it", Costly: true},
		{Name: "first_seen", Type: value.Time, Doc: "time of the first version that had it"},
		{Name: "digest", Type: value.Text, Doc: "sha256 of its html, in hex", Costly: true},
		{Name: "parent", Type: value.Text, Doc: "path of the block that it is part of"},
		{Name: "depth", Type: value.Int, Doc: "level at which it appears"},
		{Name: "ordinal", Type: value.Int, Doc: "place among the blocks of the cut, from 1"},
		{Name: "host", Type: value.Text, Doc: "host of the URL"},
		{Name: "as_of", Type: value.Time, Doc: "the moment that AT or NEAREST asks for, or the end of the period of EACH", Aside: true},
		{Name: "substantial", Type: value.Bool, Doc: "whether words came or went that are no dates, counters and the like; true in a first version", Payload: true},
		{Name: "reason", Type: value.Text, Doc: "why a change is not substantial: markup, order, date, time, counter, token", Payload: true},
		{Name: "importance", Type: value.Float, Doc: "how much of it is the page's own: 0 for the template of the host's pages of that month, 1 for what no other page has; NULL if there is no other", Payload: true},
		{Name: "site_label", Type: value.Text, Doc: "label, where importance counts too", Payload: true},
		{Name: "text", Type: value.Text, Doc: "what it shows", Payload: true},
		{Name: "html", Type: value.Text, Doc: "its part of the body, as UTF-8", Payload: true},
		{Name: "simhash", Type: value.Int, Doc: "fingerprint of the text: similar texts differ in few bits", Payload: true},
	},
}

var Changes = &Relation{
	Name: "changes", Doc: "one change of a block from one version to the next", Scoped: true,
	OfVersions: true, Cut: true, History: true, RefColumns: pairRefColumns,
	Columns: []Column{
		{Name: "url", Type: value.URL, Doc: "canonical URL"},
		{Name: "time", Type: value.Time, Doc: "when the newer version was first seen"},
		{Name: "not_before", Type: value.Time, Doc: "last visit that still found the older version", Needs: record.ColPrevious},
		{Name: "previous", Type: value.Time, Doc: "when the older version was first seen", Needs: record.ColPrevious},
		{Name: "op", Type: value.Text, Doc: "added, edited, moved or removed"},
		{Name: "block", Type: value.Text, Doc: "path in the tree of the newer version; of the older if removed"},
		{Name: "identity", Type: value.Text, Doc: "name of the block over its life"},
		{Name: "label", Type: value.Text, Doc: "main, nav, header, footer, aside, ad, form, list, media or other", Costly: true},
		{Name: "topic", Type: value.Text, Doc: "what it is about now", Costly: true},
		{Name: "old_topic", Type: value.Text, Doc: "what it was about before", Costly: true},
		{Name: "substantial", Type: value.Bool, Doc: "whether words came or went that are no dates, counters and the like", Costly: true},
		{Name: "reason", Type: value.Text, Doc: "why it is not substantial: markup, order, date, time, counter, token", Costly: true},
		{Name: "bytes", Type: value.Int, Doc: "size of its html; 0 if removed"},
		{Name: "old_bytes", Type: value.Int, Doc: "size of its html before; 0 if added"},
		{Name: "similarity", Type: value.Float, Doc: "share of words in common, from 0 to 1"},
		{Name: "as_of", Type: value.Time, Doc: "the moment that AT or NEAREST asks for, or the end of the period of EACH", Aside: true},
		{Name: "text", Type: value.Text, Doc: "what it shows", Payload: true},
		{Name: "old_text", Type: value.Text, Doc: "what it showed before", Payload: true},
		{Name: "added_text", Type: value.Text, Doc: "words that came to it, and not from another block", Payload: true},
		{Name: "removed_text", Type: value.Text, Doc: "words that went from it, and not to another block", Payload: true},
	},
}

var Layouts = &Relation{
	Name: "layouts", Doc: "one layout of a host: what is left of pages without their blocks", Scoped: true,
	RefColumns: refColumns,
	Columns: []Column{
		{Name: "host", Type: value.Text, Doc: "host name, without a port"},
		{Name: "digest", Type: value.Text, Doc: "sha256 of the layout, in hex"},
		{Name: "bytes", Type: value.Int, Doc: "size"},
		{Name: "first_seen", Type: value.Time, Doc: "first visit of the period that found it"},
		{Name: "last_seen", Type: value.Time, Doc: "last visit of the period that found it"},
		{Name: "version_count", Type: value.Int, Doc: "versions that have it"},
		{Name: "as_of", Type: value.Time, Doc: "the moment that AT or NEAREST asks for, or the end of the period of EACH", Aside: true},
		{Name: "html", Type: value.Text, Doc: "the layout, as UTF-8, <!--block--> where a block was", Payload: true},
	},
}

var Links = &Relation{
	Name: "links", Doc: "one link of one version", Scoped: true,
	OfVersions: true, Cut: true, RefColumns: partRefColumns,
	Columns: []Column{
		{Name: "url", Type: value.URL, Doc: "canonical URL of the page"},
		{Name: "target", Type: value.URL, Doc: "canonical URL that it leads to"},
		{Name: "anchor", Type: value.Text, Doc: "its text, or that of its image"},
		{Name: "kind", Type: value.Text, Doc: "a, area, frame, iframe, img, link, form, css, meta-refresh, script or media"},
		{Name: "rel", Type: value.Text, Doc: "what the page says of it"},
		{Name: "nofollow", Type: value.Bool, Doc: "whether rel says nofollow"},
		{Name: "time", Type: value.Time, Doc: "when its version was first seen"},
		{Name: "block", Type: value.Text, Doc: "path of the block that it is in; NULL in the layout"},
		{Name: "label", Type: value.Text, Doc: "label of that block", Costly: true},
		{Name: "internal", Type: value.Bool, Doc: "whether the target is of the same registered domain"},
		{Name: "written", Type: value.Text, Doc: "target as the page has it"},
		{Name: "as_of", Type: value.Time, Doc: "the moment that AT or NEAREST asks for, or the end of the period of EACH", Aside: true},
		{Name: "before", Type: value.Text, Doc: "up to 50 bytes of text before it", Payload: true},
		{Name: "after", Type: value.Text, Doc: "up to 50 bytes of text after it", Payload: true},
	},
}
