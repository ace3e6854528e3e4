package events

// The constants of the method. Those without another source come from the planted events of
// the tests: see planted_test.go.
const (
	// ratioDefault and costDefault are s and γ as Kleinberg chose them.
	ratioDefault = 2
	costDefault  = 1
	// ratioMax is the largest ratio that is tried. A burst of one day in some years has a
	// ratio of about a thousand.
	ratioMax = 1 << 10
	// quietPart is the lower quiet rate, as a part of the mean. A word that is only used in
	// a burst of a fourth of the time has such a quiet rate or a lower one.
	quietPart = 0.25
	// rateMax is the largest rate in a burst, so that a probability stays below 1.
	rateMax = 0.95
	// bytesDefault is the default of Options.Bytes.
	bytesDefault = 192 << 20

	// wordDocsMin is how many documents a burst of a word has at least. Half of the words of
	// an event of eight documents are in four of them.
	wordDocsMin = 3
	// shareMax is the largest share of documents that have a word which can burst.
	shareMax = 0.2
	// docBurstsMax is how many bursts of one document count, the strongest first.
	docBurstsMax = 48
	// neighboursMax is how many other bursts one burst is compared with, the nearest first.
	neighboursMax = 64
	// mergeCosine is from which cosine on two clusters of bursts are one.
	mergeCosine = 0.35
	// sameStory is which part of the documents of the smaller of two stories is in both if
	// they are the same story.
	sameStory = 0.5
	// usualPart is which part of the usual score a document of an event has at least.
	usualPart = 0.5
	// eventDocsMin is how many documents an event has at least.
	eventDocsMin = 5
	// eventBound is what the main burst of an event saves at least, as a part of the cost of
	// entering. The words of an event are chosen because they burst, so the event's own burst
	// must save more than that of a word that is not chosen.
	eventBound = 1
	// repeatsMin is how many bursts a story has at least that is no event because it comes
	// again and again. If so, no burst has more than its part of the documents.
	repeatsMin = 4
	// eventWordsMin is how many words an event has at least, and how many of them each of
	// its documents.
	eventWordsMin = 2
)
