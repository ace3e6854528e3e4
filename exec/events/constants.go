package events

// The constants of the method. Constants without another source were chosen by the planted
// events of the tests, by TestPlantedAll.
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
	// rarePart is the largest part of all periods with documents that have a word if the lower
	// quiet rate is tried for it. Bursts of other words have no gaps.
	rarePart = 0.5
	// rateMax is the largest rate in a burst, so that a probability stays below 1.
	rateMax = 0.95

	// noiseBursts is how many bursts of words noise may have in each period. With 1, a tenth
	// of the slow events is lost; with 20, noise has more than one event a month.
	noiseBursts = 4
	// spanMax is the largest part of all coverage that a burst has. A longer burst is a change of
	// habits, such as a new column of a newspaper.
	spanMax = 0.4
	// wordDocsMin is how many documents a burst of a word has at least. Half of the words of
	// an event of eight documents are in four of them.
	wordDocsMin = 3
	// wordBurstsMax is how many bursts of one word, or of the documents of one story, count,
	// the strongest first. A word with more bursts comes from a regular column.
	wordBurstsMax = 32
	// shareMax is the largest share of documents that have a word which can burst, or
	// shareDocsMin documents if these are more. In a small archive, a third of all documents
	// may be about one event.
	shareMax     = 0.2
	shareDocsMin = 100
	// docBurstsMax is how many bursts of one document count, the strongest first.
	docBurstsMax = 48
	// neighboursMax is how many other bursts one burst is compared with, the nearest first.
	neighboursMax = 64
	// mergeCosine is the least cosine of two clusters of bursts that are joined. With 0.25, two
	// events at the same time that share a third of their words often become one; with 0.35,
	// headlines about one thing, which share few words, stay apart more often.
	mergeCosine = 0.3
	// sameStory is which part of the documents of the smaller of two stories is in both if
	// they are the same story.
	sameStory = 0.5
	// usualPart is which part of the usual score a document of an event has at least.
	usualPart = 0.5
	// oddsMin is the least logarithm of the odds at which a document probably belongs to a story,
	// even if its score is less than usual.
	oddsMin = 2
	// keywordPart is which part of the documents of a burst an event has if the word is a
	// keyword of the event and not of its story. keywordsMax is how many keywords an event has
	// at most.
	keywordPart = 0.5
	keywordsMax = 40
	// eventDocsMin is how many documents an event has at least.
	eventDocsMin = 5
	// eventBound is how much the main burst of an event saves at least after the cost of
	// entering, as a multiple of that cost. The words of an event were chosen because they burst.
	// So even by chance, documents with these words have a burst more often than documents with
	// other words. With 0.7, texts that come again have more than one false event a month.
	eventBound = 1
	// repeatsMin is how many bursts a story has at least if it comes again and again, such as
	// a weekly column, and is no event for that reason. The main burst of such a story has at
	// most this part (1 of 4) of the documents.
	repeatsMin = 4
	// eventWordsMin is how many words an event has at least, and how many of them each of
	// its documents.
	eventWordsMin = 2
)
