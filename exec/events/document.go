package events

// Document is one text: a report, once, however many copies it has.
type Document struct {
	// Key names the document in all runs. It is the identity of its report.
	Key uint64
	// Period is the number of the period, such as a day, in which the document was
	// published, or else first seen. A document with a negative period is left out.
	Period int32
	// Dated reports that the page says when it was published.
	Dated bool
	// Source is the number of the source that wrote the text. Copies elsewhere are no
	// sources of their own.
	Source uint32
}

// Use says that a document has a word, and whether its title has it.
type Use uint32

// NewUse returns the use of a word by the document Index.Documents[doc].
func NewUse(doc int, title bool) Use {
	u := Use(doc) << 1
	if title {
		u |= 1
	}
	return u
}

// Doc returns the index of the document in Index.Documents.
func (u Use) Doc() int { return int(u >> 1) }

// title reports whether the title of the document has the word.
func (u Use) title() bool { return u&1 != 0 }

// Index has documents, and the documents of each word.
type Index struct {
	// Documents are in any order. There are at most 2^31.
	Documents []Document
	// Words is how many words there are. They are numbered from 0. Where all else is equal,
	// the word with the smaller number comes first, so the order of the words should depend
	// on the words alone.
	Words int
	// Uses appends the uses of a word to dst, each document once, in any order. It is called
	// several times for a word, also by several goroutines at once, and returns the same uses each
	// time.
	Uses func(dst []Use, word int) []Use
	// Count returns a lower and an upper bound of the number of uses that Uses appends for a word.
	// It takes less time than Uses.
	Count func(word int) (least, most int)
}
