package page

// Tag names an element. Names that HTML does not know are TagOther.
type Tag uint8

// The elements of HTML 2 to 5, and those of old browsers.
const (
	TagOther Tag = iota
	TagA
	TagAbbr
	TagAcronym
	TagAddress
	TagApplet
	TagArea
	TagArticle
	TagAside
	TagAudio
	TagB
	TagBase
	TagBasefont
	TagBig
	TagBlink
	TagBlockquote
	TagBody
	TagBr
	TagButton
	TagCanvas
	TagCaption
	TagCenter
	TagCite
	TagCode
	TagCol
	TagColgroup
	TagDd
	TagDel
	TagDetails
	TagDialog
	TagDir
	TagDiv
	TagDl
	TagDt
	TagEm
	TagEmbed
	TagFieldset
	TagFigcaption
	TagFigure
	TagFont
	TagFooter
	TagForm
	TagFrame
	TagFrameset
	TagH1
	TagH2
	TagH3
	TagH4
	TagH5
	TagH6
	TagHead
	TagHeader
	TagHgroup
	TagHr
	TagHTML
	TagI
	TagIframe
	TagImg
	TagInput
	TagIns
	TagKbd
	TagLabel
	TagLayer
	TagLegend
	TagLi
	TagLink
	TagListing
	TagMain
	TagMap
	TagMark
	TagMarquee
	TagMath
	TagMenu
	TagMeta
	TagNav
	TagNobr
	TagNoembed
	TagNoframes
	TagNoscript
	TagObject
	TagOl
	TagOptgroup
	TagOption
	TagP
	TagParam
	TagPicture
	TagPlaintext
	TagPre
	TagQ
	TagRp
	TagRt
	TagRuby
	TagS
	TagSamp
	TagScript
	TagSearch
	TagSection
	TagSelect
	TagSmall
	TagSource
	TagSpan
	TagStrike
	TagStrong
	TagStyle
	TagSub
	TagSummary
	TagSup
	TagSvg
	TagTable
	TagTbody
	TagTd
	TagTemplate
	TagTextarea
	TagTfoot
	TagTh
	TagThead
	TagTime
	TagTitle
	TagTr
	TagTrack
	TagTt
	TagU
	TagUl
	TagVar
	TagVideo
	TagWbr
	TagXmp
	// TagMarkupScript is a script element whose type says that it holds no
	// program but markup, which a program puts into the page.
	TagMarkupScript
	tagCount
)

// props are what the tree builder and its readers ask of an element.
type props uint8

const (
	propVoid    props = 1 << iota // has no content
	propBlock                     // stands on lines of its own
	propClosesP                   // its start tag ends an open paragraph
	propHead                      // may stand in the head
	propScope                     // end tags inside do not reach elements outside
	propRaw                       // its content is no markup
)

var tags = [tagCount]struct {
	name  string
	props props
}{
	TagA:          {"a", 0},
	TagAbbr:       {"abbr", 0},
	TagAcronym:    {"acronym", 0},
	TagAddress:    {"address", propBlock | propClosesP},
	TagApplet:     {"applet", propScope},
	TagArea:       {"area", propVoid},
	TagArticle:    {"article", propBlock | propClosesP},
	TagAside:      {"aside", propBlock | propClosesP},
	TagAudio:      {"audio", 0},
	TagB:          {"b", 0},
	TagBase:       {"base", propVoid | propHead},
	TagBasefont:   {"basefont", propVoid | propHead},
	TagBig:        {"big", 0},
	TagBlink:      {"blink", 0},
	TagBlockquote: {"blockquote", propBlock | propClosesP},
	TagBody:       {"body", propBlock},
	TagBr:         {"br", propVoid},
	TagButton:     {"button", 0},
	TagCanvas:     {"canvas", 0},
	TagCaption:    {"caption", propBlock | propScope},
	TagCenter:     {"center", propBlock | propClosesP},
	TagCite:       {"cite", 0},
	TagCode:       {"code", 0},
	TagCol:        {"col", propVoid},
	TagColgroup:   {"colgroup", propBlock},
	TagDd:         {"dd", propBlock | propClosesP},
	TagDel:        {"del", 0},
	TagDetails:    {"details", propBlock | propClosesP},
	TagDialog:     {"dialog", propBlock | propClosesP},
	TagDir:        {"dir", propBlock | propClosesP},
	TagDiv:        {"div", propBlock | propClosesP},
	TagDl:         {"dl", propBlock | propClosesP},
	TagDt:         {"dt", propBlock | propClosesP},
	TagEm:         {"em", 0},
	TagEmbed:      {"embed", propVoid},
	TagFieldset:   {"fieldset", propBlock | propClosesP},
	TagFigcaption: {"figcaption", propBlock | propClosesP},
	TagFigure:     {"figure", propBlock | propClosesP},
	TagFont:       {"font", 0},
	TagFooter:     {"footer", propBlock | propClosesP},
	TagForm:       {"form", propBlock | propClosesP},
	TagFrame:      {"frame", propVoid | propBlock},
	TagFrameset:   {"frameset", propBlock},
	TagH1:         {"h1", propBlock | propClosesP},
	TagH2:         {"h2", propBlock | propClosesP},
	TagH3:         {"h3", propBlock | propClosesP},
	TagH4:         {"h4", propBlock | propClosesP},
	TagH5:         {"h5", propBlock | propClosesP},
	TagH6:         {"h6", propBlock | propClosesP},
	TagHead:       {"head", propBlock | propHead},
	TagHeader:     {"header", propBlock | propClosesP},
	TagHgroup:     {"hgroup", propBlock | propClosesP},
	TagHr:         {"hr", propVoid | propBlock | propClosesP},
	TagHTML:       {"html", propBlock | propHead},
	TagI:          {"i", 0},
	TagIframe:     {"iframe", propRaw},
	TagImg:        {"img", propVoid},
	TagInput:      {"input", propVoid},
	TagIns:        {"ins", 0},
	TagKbd:        {"kbd", 0},
	TagLabel:      {"label", 0},
	TagLayer:      {"layer", propBlock},
	TagLegend:     {"legend", propBlock},
	TagLi:         {"li", propBlock | propClosesP},
	TagLink:       {"link", propVoid | propHead},
	TagListing:    {"listing", propBlock | propClosesP},
	TagMain:       {"main", propBlock | propClosesP},
	TagMap:        {"map", 0},
	TagMark:       {"mark", 0},
	TagMarquee:    {"marquee", propScope},
	TagMath:       {"math", 0},
	TagMenu:       {"menu", propBlock | propClosesP},
	TagMeta:       {"meta", propVoid | propHead},
	TagNav:        {"nav", propBlock | propClosesP},
	TagNobr:       {"nobr", 0},
	TagNoembed:    {"noembed", propRaw},
	TagNoframes:   {"noframes", propBlock | propHead},
	TagNoscript:   {"noscript", propHead},
	TagObject:     {"object", propScope},
	TagOl:         {"ol", propBlock | propClosesP},
	TagOptgroup:   {"optgroup", 0},
	TagOption:     {"option", 0},
	TagP:          {"p", propBlock | propClosesP},
	TagParam:      {"param", propVoid},
	TagPicture:    {"picture", 0},
	TagPlaintext:  {"plaintext", propBlock | propClosesP | propRaw},
	TagPre:        {"pre", propBlock | propClosesP},
	TagQ:          {"q", 0},
	TagRp:         {"rp", 0},
	TagRt:         {"rt", 0},
	TagRuby:       {"ruby", 0},
	TagS:          {"s", 0},
	TagSamp:       {"samp", 0},
	TagScript:     {"script", propHead | propRaw},
	TagSearch:     {"search", propBlock | propClosesP},
	TagSection:    {"section", propBlock | propClosesP},
	TagSelect:     {"select", 0},
	TagSmall:      {"small", 0},
	TagSource:     {"source", propVoid},
	TagSpan:       {"span", 0},
	TagStrike:     {"strike", 0},
	TagStrong:     {"strong", 0},
	TagStyle:      {"style", propHead | propRaw},
	TagSub:        {"sub", 0},
	TagSummary:    {"summary", propBlock | propClosesP},
	TagSup:        {"sup", 0},
	TagSvg:        {"svg", 0},
	TagTable:      {"table", propBlock | propClosesP | propScope},
	TagTbody:      {"tbody", propBlock},
	TagTd:         {"td", propBlock | propScope},
	TagTemplate:   {"template", propHead | propScope},
	TagTextarea:   {"textarea", propRaw},
	TagTfoot:      {"tfoot", propBlock},
	TagTh:         {"th", propBlock | propScope},
	TagThead:      {"thead", propBlock},
	TagTime:       {"time", 0},
	TagTitle:      {"title", propHead | propRaw},
	TagTr:         {"tr", propBlock},
	TagTrack:      {"track", propVoid},
	TagTt:         {"tt", 0},
	TagU:          {"u", 0},
	TagUl:         {"ul", propBlock | propClosesP},
	TagVar:        {"var", 0},
	TagVideo:      {"video", 0},
	TagWbr:        {"wbr", propVoid},
	TagXmp:        {"xmp", propBlock | propClosesP | propRaw},

	TagMarkupScript: {"script", propBlock | propScope | propHead},
}

// String is the element's name in lower case, "" for TagOther.
func (t Tag) String() string { return tags[t].name }

// Block reports whether the element stands on lines of its own, as a browser
// without style sheets shows it.
func (t Tag) Block() bool { return tags[t].props&propBlock != 0 }

// Void reports whether the element never has content.
func (t Tag) Void() bool { return tags[t].props&propVoid != 0 }

// Heading is the level of h1 to h6, 0 for others.
func (t Tag) Heading() int {
	if t >= TagH1 && t <= TagH6 {
		return int(t-TagH1) + 1
	}
	return 0
}

// tagSlots is a hash table of the names, about a quarter full.
var tagSlots = func() (slots [512]Tag) {
	for t := TagA; t < TagMarkupScript; t++ {
		h := tagHash(pack([]byte(tags[t].name)))
		for slots[h] != TagOther {
			h = (h + 1) % len(slots)
		}
		slots[h] = t
	}
	return slots
}()

func tagHash(packed uint64) int { return int((packed * 0x9e3779b97f4a7c15) >> 55) }

// pack puts up to eight letters of name, lowered, into one word.
func pack(name []byte) (w uint64) {
	for _, c := range name[:min(len(name), 8)] {
		w = w<<8 | uint64(lower(c))
	}
	return w
}

// tagOf looks a name up, whatever its case.
func tagOf(name []byte) Tag {
	if len(name) > len("blockquote") {
		return TagOther
	}
	for h := tagHash(pack(name)); ; h = (h + 1) % len(tagSlots) {
		t := tagSlots[h]
		if t == TagOther || equalFold(name, tags[t].name) {
			return t
		}
	}
}

func lower(c byte) byte {
	if c-'A' < 26 {
		return c | 0x20
	}
	return c
}

// equalFold compares b with want, which is in lower case, by ASCII's rules.
func equalFold(b []byte, want string) bool {
	if len(b) != len(want) {
		return false
	}
	for i, c := range b {
		if lower(c) != want[i] {
			return false
		}
	}
	return true
}

// Hidden reports whether browsers show nothing of the element's content.
func (t Tag) Hidden() bool {
	switch t {
	case TagHead, TagTitle, TagScript, TagStyle, TagTemplate, TagNoscript, TagNoframes, TagNoembed:
		return true
	}
	return false
}
