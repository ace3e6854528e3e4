package lang

import (
	"infomall/lang/cursor"
	"infomall/lang/fault"
	"infomall/lang/grammar"
	"infomall/lang/scan"
)

// Errors are the faults (errors of the writer) in a source text, in order of
// place; see fault.Errors.
type Errors = fault.Errors

// Render returns the message of err. If err has a place in the source text src,
// the source line follows, with a mark below the place; see fault.Render.
func Render(err error, src string) string { return fault.Render(err, src) }

// Topics returns the topics of HELP for which Grammar has a text, such as
// "CRAWL", in the order in which HELP lists them.
func Topics() []string { return grammar.Topics() }

// Grammar returns the syntax of a topic, in lines of at most 80 characters.
// Case does not matter. It returns "" for a topic that Topics does not list.
func Grammar(topic string) string { return grammar.Help(topic) }

// State is how complete a typed text is: whether the text can run, or needs
// more lines; see scan.State.
type State = scan.State

// ScriptBytesMax is the maximum length of a script, in bytes.
const ScriptBytesMax = scan.ScriptBytesMax

// Complete returns whether src can run or needs more lines, and what src leaves
// open at its end, such as a quote.
func Complete(src string) State { return scan.Complete(src) }

// Next, Place and SourceName describe what may come next at the cursor of an
// editor. Token and Class describe the pieces of a source to colour. All are
// types of package cursor, which explains them.
type (
	Next       = cursor.Next
	Place      = cursor.Place
	SourceName = cursor.Source
	Class      = cursor.Class
	Token      = cursor.Token
)

// The values of Place.
const (
	PlaceNone         = cursor.PlaceNone
	PlaceExpr         = cursor.PlaceExpr
	PlaceColumn       = cursor.PlaceColumn
	PlaceSource       = cursor.PlaceSource
	PlaceScope        = cursor.PlaceScope
	PlaceFile         = cursor.PlaceFile
	PlacePool         = cursor.PlacePool
	PlaceList         = cursor.PlaceList
	PlaceDescribed    = cursor.PlaceDescribed
	PlaceSetting      = cursor.PlaceSetting
	PlaceValue        = cursor.PlaceValue
	PlaceTopic        = cursor.PlaceTopic
	PlaceFormat       = cursor.PlaceFormat
	PlaceExportFormat = cursor.PlaceExportFormat
	PlaceForm         = cursor.PlaceForm
	PlaceUnit         = cursor.PlaceUnit
	PlaceType         = cursor.PlaceType
	PlaceView         = cursor.PlaceView
	PlaceMetadata     = cursor.PlaceMetadata
	PlaceWatch        = cursor.PlaceWatch
	PlaceSchedule     = cursor.PlaceSchedule
	PlaceCrawl        = cursor.PlaceCrawl
	PlaceRule         = cursor.PlaceRule
	PlaceQuery        = cursor.PlaceQuery
	PlaceGraph        = cursor.PlaceGraph
	PlaceClassifier   = cursor.PlaceClassifier
	PlaceRanking      = cursor.PlaceRanking
	PlaceClusters     = cursor.PlaceClusters
	PlaceEvents       = cursor.PlaceEvents
	PlaceParam        = cursor.PlaceParam
)

// The values of Class.
const (
	ClassWord    = cursor.ClassWord
	ClassString  = cursor.ClassString
	ClassNumber  = cursor.ClassNumber
	ClassTime    = cursor.ClassTime
	ClassParam   = cursor.ClassParam
	ClassComment = cursor.ClassComment
)

// AtCursor returns what may come next between before and after, the texts on
// both sides of the cursor; see cursor.At.
func AtCursor(before, after string) Next { return cursor.At(before, after) }

// Tokens returns the pieces of src that an editor colours, in order of place;
// see cursor.Tokens.
func Tokens(src string) []Token { return cursor.Tokens(src) }
