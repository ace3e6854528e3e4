package markup

import "encoding/binary"

// Tag is the name of an element as a number. Names that HTML does not have are
// TagOther.
type Tag uint8

// The elements of HTML 2 to 5, and elements that only old browsers know.
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
	// TagMarkupScript is a script element that holds markup, according to its
	// type, and no program. A program puts that markup into the page.
	TagMarkupScript
	// TagCount is the number of Tags.
	TagCount
)

// props are the properties of an element that the tree builder and its callers
// need.
type props uint8

const (
	propVoid    props = 1 << iota // has no content
	propBlock                     // is on lines of its own
	propClosesP                   // its start tag ends an open paragraph
	propHead                      // may be in the head
	propScope                     // an end tag inside the element does not close an element outside
	propRaw                       // its content is not parsed as markup
	propEnds                      // its start tag ends elements other than paragraphs
)

var tags = [TagCount]struct {
	name  string
	props props
}{
	TagA:          {"a", propEnds},
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
	TagCaption:    {"caption", propBlock | propScope | propEnds},
	TagCenter:     {"center", propBlock | propClosesP},
	TagCite:       {"cite", 0},
	TagCode:       {"code", 0},
	TagCol:        {"col", propVoid},
	TagColgroup:   {"colgroup", propBlock | propEnds},
	TagDd:         {"dd", propBlock | propClosesP | propEnds},
	TagDel:        {"del", 0},
	TagDetails:    {"details", propBlock | propClosesP},
	TagDialog:     {"dialog", propBlock | propClosesP},
	TagDir:        {"dir", propBlock | propClosesP},
	TagDiv:        {"div", propBlock | propClosesP},
	TagDl:         {"dl", propBlock | propClosesP},
	TagDt:         {"dt", propBlock | propClosesP | propEnds},
	TagEm:         {"em", 0},
	TagEmbed:      {"embed", propVoid},
	TagFieldset:   {"fieldset", propBlock | propClosesP},
	TagFigcaption: {"figcaption", propBlock | propClosesP},
	TagFigure:     {"figure", propBlock | propClosesP},
	TagFont:       {"font", 0},
	TagFooter:     {"footer", propBlock | propClosesP},
	TagForm:       {"form", propBlock | propClosesP},
	TagFrame:      {"frame", propVoid | propBlock | propEnds},
	TagFrameset:   {"frameset", propBlock | propEnds},
	TagH1:         {"h1", propBlock | propClosesP | propEnds},
	TagH2:         {"h2", propBlock | propClosesP | propEnds},
	TagH3:         {"h3", propBlock | propClosesP | propEnds},
	TagH4:         {"h4", propBlock | propClosesP | propEnds},
	TagH5:         {"h5", propBlock | propClosesP | propEnds},
	TagH6:         {"h6", propBlock | propClosesP | propEnds},
	TagHead:       {"head", propBlock | propHead},
	TagHeader:     {"header", propBlock | propClosesP},
	TagHgroup:     {"hgroup", propBlock | propClosesP},
	TagHr:         {"hr", propVoid | propBlock | propClosesP},
	TagHTML:       {"html", propBlock | propHead},
	TagI:          {"i", 0},
	TagIframe:     {"iframe", propRaw},
	TagImg:        {"img", propVoid},
	TagInput:      {"input", propVoid | propEnds},
	TagIns:        {"ins", 0},
	TagKbd:        {"kbd", 0},
	TagLabel:      {"label", 0},
	TagLayer:      {"layer", propBlock},
	TagLegend:     {"legend", propBlock},
	TagLi:         {"li", propBlock | propClosesP | propEnds},
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
	TagOptgroup:   {"optgroup", propEnds},
	TagOption:     {"option", propEnds},
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
	TagSelect:     {"select", propEnds},
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
	TagTbody:      {"tbody", propBlock | propEnds},
	TagTd:         {"td", propBlock | propScope | propEnds},
	TagTemplate:   {"template", propHead | propScope},
	TagTextarea:   {"textarea", propRaw | propEnds},
	TagTfoot:      {"tfoot", propBlock | propEnds},
	TagTh:         {"th", propBlock | propScope | propEnds},
	TagThead:      {"thead", propBlock | propEnds},
	TagTime:       {"time", 0},
	TagTitle:      {"title", propHead | propRaw},
	TagTr:         {"tr", propBlock | propEnds},
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

// String returns the name of the element in lower case, or "" for TagOther.
func (t Tag) String() string { return tags[t].name }

// Block reports whether a browser without style sheets shows the element on lines
// of its own.
func (t Tag) Block() bool { return tags[t].props&propBlock != 0 }

// Void reports whether the element never has content, as for br and img.
func (t Tag) Void() bool { return tags[t].props&propVoid != 0 }

// Heading returns 1 to 6 for h1 to h6, and 0 for other elements.
func (t Tag) Heading() int {
	if t >= TagH1 && t <= TagH6 {
		return int(t-TagH1) + 1
	}
	return 0
}

// tagSlots is a hash table of the names of elements, about a quarter full.
var tagSlots = func() (slots [512]tagSlot) {
	for t := TagA; t < TagMarkupScript; t++ {
		name := tags[t].name
		s := tagSlot{tag: t, size: uint8(len(name)), packed: pack([]byte(name))}
		for i := range min(len(name), 8) {
			if name[i] >= 'a' {
				s.fold |= 0x20 << (8 * i)
			}
		}
		h := tagHash(s.packed)
		for slots[h].size != 0 {
			h = (h + 1) % len(slots)
		}
		slots[h] = s
	}
	return slots
}()

// tagSlot is the entry of one name in tagSlots. packed has its first eight
// letters in one word. fold has the bits of that word that differ between upper
// and lower case.
type tagSlot struct {
	packed, fold uint64
	size         uint8 // 0 if the slot is free
	tag          Tag
}

const lowerBits = 0x2020202020202020

// tagHash returns the index of the first slot in which a name may be. packed is
// the name's first eight letters, in upper or lower case, see pack.
func tagHash(packed uint64) int { return int(((packed | lowerBits) * 0x9e3779b97f4a7c15) >> 55) }

// pack returns the first eight bytes of a name in one word, the first byte in the
// lowest bits.
func pack(name []byte) (w uint64) {
	for i, c := range name[:min(len(name), 8)] {
		w |= uint64(c) << (8 * i)
	}
	return w
}

// tagAt returns the Tag of the name from start to end in b, like TagOf. It
// compares the first eight bytes at once.
func tagAt(b []byte, start, end int) Tag {
	size := end - start
	var packed uint64
	switch {
	case size > len("blockquote"):
		return TagOther
	case start+8 <= len(b):
		packed = binary.LittleEndian.Uint64(b[start:])
		if size < 8 {
			packed &= 1<<(8*size) - 1
		}
	default:
		packed = pack(b[start:end])
	}
	for h := tagHash(packed); ; h = (h + 1) % len(tagSlots) {
		s := &tagSlots[h]
		if s.size == 0 {
			return TagOther
		}
		if int(s.size) == size && (packed^s.packed)&^s.fold == 0 &&
			(size <= 8 || EqualFold(b[start+8:end], tags[s.tag].name[8:])) {
			return s.tag
		}
	}
}

func lower(c byte) byte {
	if c-'A' < 26 {
		return c | 0x20
	}
	return c
}

// EqualFold reports whether b equals want if ASCII capitals in b are taken as
// small letters. want must be in lower case.
func EqualFold(b []byte, want string) bool {
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
