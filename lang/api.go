package lang

import (
	"infomall/lang/cursor"
	"infomall/lang/fault"
	"infomall/lang/grammar"
	"infomall/lang/scan"
)

// Errors are the faults of a source; see fault.Errors.
type Errors = fault.Errors

// Render returns err as text for the writer of src, with the source line and a
// mark below the place; see fault.Render.
func Render(err error, src string) string { return fault.Render(err, src) }

// Topics returns the topics that Grammar knows, such as "CRAWL", in the order
// in which HELP lists them.
func Topics() []string { return grammar.Topics() }

// Grammar returns the syntax of a topic, in lines of at most 80 characters.
// Case does not matter. It returns "" for a topic that Topics does not list.
func Grammar(topic string) string { return grammar.Help(topic) }

// State says how complete a typed text is; see scan.State.
type State = scan.State

// ScriptBytesMax is the maximum length of a script, in bytes.
const ScriptBytesMax = scan.ScriptBytesMax

// Complete reports whether src can be run or needs more lines.
func Complete(src string) State { return scan.Complete(src) }

// These types say what may come at the cursor, and what is coloured; see package
// cursor.
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
	PlaceType         = cursor.PlaceType
	PlaceView         = cursor.PlaceView
	PlaceMetadata     = cursor.PlaceMetadata
	PlaceQuery        = cursor.PlaceQuery
	PlaceGraph        = cursor.PlaceGraph
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

// Tokens returns the pieces of src to colour, in order of place; see
// cursor.Tokens.
func Tokens(src string) []Token { return cursor.Tokens(src) }
