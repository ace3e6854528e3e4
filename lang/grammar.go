package lang

import (
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
)

// The grammar of statements, which participle reads from the struct tags. A
// value of these structs lives for one statement; build.go converts it to a
// tree. query.go parses queries, expr.go expressions and time.go time clauses.
//
// A word in quotes in a tag is a word of the language, in upper or lower case.
// Clauses that may come in any order are a repeated choice, and build.go
// reports a clause that occurs twice.

type statementSyntax struct {
	Deed     *deedSyntax     `parser:"@@"` // first, because it is the most frequent
	Rank     *rankSyntax     `parser:"| @@"`
	Explain  *explainSyntax  `parser:"| @@"`
	Schedule *scheduleSyntax `parser:"| @@"`
}

// deedSyntax is a statement that EXPLAIN and SCHEDULE accept.
type deedSyntax struct {
	Query       *queryStatementSyntax `parser:"@@"`
	Import      *importSyntax         `parser:"| @@"`
	Export      *exportSyntax         `parser:"| @@"`
	Crawl       *crawlSyntax          `parser:"| @@"`
	Order       *ordersSyntax         `parser:"| @@"`
	Add         *addSyntax            `parser:"| @@"`
	Trace       *traceSyntax          `parser:"| @@"`
	Copy        *copySyntax           `parser:"| @@"`
	Verify      *verifySyntax         `parser:"| @@"`
	Merge       *mergeSyntax          `parser:"| @@"`
	Repair      *repairSyntax         `parser:"| @@"`
	Reindex     *reindexSyntax        `parser:"| @@"`
	Recover     *recoverSyntax        `parser:"| @@"`
	Drop        *dropSyntax           `parser:"| @@"`
	Delete      *deleteSyntax         `parser:"| @@"`
	Create      *createSyntax         `parser:"| @@"`
	Save        *saveSyntax           `parser:"| @@"`
	Unschedule  *unscheduleSyntax     `parser:"| @@"`
	RunSchedule *runScheduleSyntax    `parser:"| @@"`
	Run         *runSyntax            `parser:"| @@"`
	PageRank    *pageRankSyntax       `parser:"| @@"`
	HITS        *hitsSyntax           `parser:"| @@"`
	Dedup       *dedupSyntax          `parser:"| @@"`
	Describe    *describeSyntax       `parser:"| @@"`
	Show        *showSyntax           `parser:"| @@"`
	Diff        *diffSyntax           `parser:"| @@"`
	Set         *setSyntax            `parser:"| @@"`
	Reset       *resetSyntax          `parser:"| @@"`
	Help        *helpSyntax           `parser:"| @@"`
}

type explainSyntax struct {
	Tokens   []lexer.Token
	Analyze  bool            `parser:"'EXPLAIN' @'ANALYZE'?"`
	Deed     *deedSyntax     `parser:"( @@"`
	Schedule *scheduleSyntax `parser:"| @@ )"`
}

type scheduleSyntax struct {
	Tokens   []lexer.Token
	Name     lexer.Token `parser:"'SCHEDULE' @( Ident | Quoted )"`
	Every    lexer.Token `parser:"( 'EVERY' @( Duration | Param )"`
	Cron     lexer.Token `parser:"| 'CRON' @( String | Param )"`
	Adaptive bool        `parser:"| @'ADAPTIVE'"`
	Budget   lexer.Token `parser:"  ( 'BUDGET' @( Number | Param )"`
	Per      lexer.Token `parser:"    'PER' @( Duration | Param ) )? )"`
	Deed     *deedSyntax `parser:"'AS' @@"`
}

type unscheduleSyntax struct {
	Tokens []lexer.Token
	Name   lexer.Token `parser:"'UNSCHEDULE' @( Ident | Quoted )"`
}

type runScheduleSyntax struct {
	Tokens []lexer.Token
	Name   lexer.Token `parser:"'RUN' 'SCHEDULE' @( Ident | Quoted )"`
}

type queryStatementSyntax struct {
	Query querySyntax `parser:"@@"`
}

type scopeSyntax struct {
	From lexer.Token `parser:"@( String | Param )"`
	To   lexer.Token `parser:"( '..' @( String | Param ) )?"`
}

type importSyntax struct {
	Tokens  []lexer.Token
	Paths   []*textSyntax         `parser:"'IMPORT' @@ ( ',' @@ )*"`
	Options []*importOptionSyntax `parser:"@@*"`
}

type textSyntax struct {
	Text lexer.Token `parser:"@( String | Param )"`
}

type importOptionSyntax struct {
	Tokens []lexer.Token
	Format lexer.Token `parser:"  'FORMAT' @Ident"`
	Base   *textSyntax `parser:"| 'BASE' @@"`
	At     moment      `parser:"| 'AT' @@"`
	Alias  lexer.Token `parser:"| 'AS' @( Ident | Quoted )"`
}

type exportSyntax struct {
	Tokens  []lexer.Token
	Query   querySyntax           `parser:"'EXPORT' '(' @@ ')'"`
	Options []*exportOptionSyntax `parser:"@@*"`
}

type exportOptionSyntax struct {
	Tokens []lexer.Token
	To     ast.Expr    `parser:"  'TO' @@"`
	Format lexer.Token `parser:"| 'FORMAT' @Ident"`
}

type crawlSyntax struct {
	Tokens  []lexer.Token
	Due     bool                 `parser:"'CRAWL' ( @'DUE'"`
	In      []*scopeSyntax       `parser:"  ( 'IN' @@ ( ',' @@ )* )?"`
	Seeds   []*textSyntax        `parser:"| @@ ( ',' @@ )* )"`
	Clauses []*crawlClauseSyntax `parser:"@@*"`
}

type crawlClauseSyntax struct {
	Tokens     []lexer.Token
	Depth      lexer.Token         `parser:"  'DEPTH' @( Number | Param )"`
	Limits     []*crawlLimitSyntax `parser:"| 'LIMIT' @@ ( ',' @@ )*"`
	Within     []*scopeSyntax      `parser:"| 'WITHIN' @@ ( ',' @@ )*"`
	Exclude    []*excludeSyntax    `parser:"| 'EXCLUDE' @@ ( ',' @@ )*"`
	For        *textSyntax         `parser:"| 'FOR' @@"`
	Expand     ast.Expr            `parser:"| 'EXPAND' 'WHERE' @@"`
	Through    lexer.Token         `parser:"  ( 'THROUGH' @( Number | Param ) )?"`
	Order      lexer.Token         `parser:"| 'ORDER' @( 'BFS' | 'BEST' | 'RANDOM' )"`
	Workers    lexer.Token         `parser:"| 'WORKERS' @( Number | Param )"`
	Delay      lexer.Token         `parser:"| 'DELAY' @( Duration | Param )"`
	Rate       lexer.Token         `parser:"| 'RATE' @( Size | Param )"`
	Agent      *textSyntax         `parser:"| 'AGENT' @@"`
	Proxy      *textSyntax         `parser:"| 'PROXY' @@"`
	Requisites bool                `parser:"| @( 'WITH' 'REQUISITES' )"`
	Ignore     bool                `parser:"| @( 'IGNORE' 'ROBOTS' )"`
	Private    bool                `parser:"| @( 'ALLOW' 'PRIVATE' )"`
	TrapsOff   bool                `parser:"| 'TRAPS' ( @'OFF'"`
	TrapLimit  lexer.Token         `parser:"  | 'LIMIT' @( Number | Param ) )"`
	Archive    bool                `parser:"| @( 'FROM' 'ARCHIVE' )"`
	At         ast.Expr            `parser:"  ( 'AT' @@ )?"`
	Alias      lexer.Token         `parser:"| 'AS' @( Ident | Quoted )"`
}

type crawlLimitSyntax struct {
	Pages lexer.Token `parser:"  @( Number | Param ) 'PAGES'"`
	Other lexer.Token `parser:"| @( Size | Duration )"`
}

type excludeSyntax struct {
	Match lexer.Token  `parser:"  '~' @( String | Param )"`
	Scope *scopeSyntax `parser:"| @@"`
}

type ordersSyntax struct {
	Tokens  []lexer.Token
	Deed    lexer.Token `parser:"( @( 'PAUSE' | 'RESUME' | 'STOP' ) 'CRAWL'"`
	Name    lexer.Token `parser:"  @( Ident | Quoted )"`
	Workers lexer.Token `parser:"| 'SET' 'WORKERS' @( Number | Param )"`
	For     lexer.Token `parser:"  'FOR' 'CRAWL' @( Ident | Quoted ) )"`
}

type addSyntax struct {
	Tokens []lexer.Token
	URLs   []*textSyntax `parser:"'ADD' @@ ( ',' @@ )* 'TO' 'CRAWL'"`
	Name   lexer.Token   `parser:"@( Ident | Quoted )"`
	Force  bool          `parser:"@'FORCE'?"`
}

type traceSyntax struct {
	Tokens []lexer.Token
	URL    *textSyntax `parser:"'TRACE' @@"`
}

type copySyntax struct {
	Tokens []lexer.Token
	Pool   lexer.Token `parser:"'COPY' 'POOL' ( @( String | Param ) | 'ALL' )"`
	To     lexer.Token `parser:"'TO' @( String | Param )"`
}

type verifySyntax struct {
	Tokens  []lexer.Token
	Clauses []*verifyClauseSyntax `parser:"'VERIFY' @@*"`
}

type mergeSyntax struct {
	Tokens []lexer.Token
	Seal   bool        `parser:"( @'SEAL' | 'MERGE' )"`
	Pool   lexer.Token `parser:"'POOL' ( @( String | Param ) | 'ALL' )"`
}

type repairSyntax struct {
	Tokens []lexer.Token
	Pool   lexer.Token `parser:"'REPAIR' 'POOL' @( String | Param )"`
	From   lexer.Token `parser:"'FROM' @( String | Param )"`
}

type verifyClauseSyntax struct {
	Tokens []lexer.Token
	Pool   *textSyntax `parser:"  'POOL' @@"`
	One    lexer.Token `parser:"| 'SAMPLE' @Number"`
	Of     lexer.Token `parser:"  '/' @( Number | Param )"`
}

type reindexSyntax struct {
	Tokens  []lexer.Token
	Pool    *textSyntax `parser:"'REINDEX' ( 'POOL' @@ )?"`
	Derived bool        `parser:"@'DERIVED'?"`
}

type recoverSyntax struct {
	Tokens []lexer.Token
	File   lexer.Token `parser:"'RECOVER' @( String | Param )"`
	To     lexer.Token `parser:"( 'TO' @( String | Param ) )?"`
}

type dropSyntax struct {
	Tokens   []lexer.Token
	Pool     lexer.Token `parser:"'DROP' ( 'POOL' @( String | Param )"`
	View     lexer.Token `parser:"| 'VIEW' @( Ident | Quoted )"`
	Graph    lexer.Token `parser:"| 'GRAPH' @( Ident | Quoted )"`
	Metadata lexer.Token `parser:"| 'METADATA' @( Ident | Quoted ) )"`
}

type createSyntax struct {
	Tokens   []lexer.Token
	Replace  *replaceSyntax  `parser:"'CREATE' ( @@"`
	View     *viewSyntax     `parser:"| 'VIEW' @@"`
	Metadata *metadataSyntax `parser:"| 'METADATA' @@ )"`
}

type replaceSyntax struct {
	View     *viewSyntax     `parser:"'OR' 'REPLACE' ( 'VIEW' @@"`
	Metadata *metadataSyntax `parser:"| 'METADATA' @@ )"`
}

type viewSyntax struct {
	Name  lexer.Token `parser:"@( Ident | Quoted ) 'AS'"`
	Query querySyntax `parser:"@@"`
}

type metadataSyntax struct {
	Name lexer.Token `parser:"@( Ident | Quoted )"`
	On   lexer.Token `parser:"'ON' @( 'PAGE' | 'VERSION' | 'BLOCK' )"`
	Expr ast.Expr    `parser:"'AS' @@"`
}

type saveSyntax struct {
	Tokens []lexer.Token
	Name   lexer.Token `parser:"'SAVE' @( Ident | Quoted )"`
	Params namesSyntax `parser:"@@ 'AS'"`
	Query  querySyntax `parser:"@@"`
}

type runSyntax struct {
	Tokens []lexer.Token
	File   lexer.Token     `parser:"'RUN' ( @( String | Param )"`
	Name   lexer.Token     `parser:"| @( Ident | Quoted ) )"`
	Args   argumentsSyntax `parser:"@@"`
}

type deleteSyntax struct {
	Tokens  []lexer.Token
	Scopes  []*scopeSyntax        `parser:"'DELETE' 'FROM' ( 'CAPTURES' 'IN' )? @@ ( ',' @@ )*"`
	Time    timeSyntax            `parser:"@@?"`
	Options []*deleteOptionSyntax `parser:"@@*"`
}

type deleteOptionSyntax struct {
	Tokens []lexer.Token
	Where  ast.Expr    `parser:"  'WHERE' @@"`
	Reason lexer.Token `parser:"| 'REASON' @( String | Param )"`
}

type pageRankSyntax struct {
	Tokens  []lexer.Token
	Name    lexer.Token             `parser:"'PAGERANK' ( @Quoted | (?! 'OVER' | 'AT' | 'NEAREST' | 'FIRST' | 'LATEST' | 'EACH' | 'SINCE' | 'UNTIL' | 'DURING' | 'DAMPING' | 'TOLERANCE' | 'ITERATIONS' | 'NORM' | 'SEEDS' | 'WITHOUT' | 'WARM' ) @Ident )?"`
	Clauses []*pageRankClauseSyntax `parser:"@@*"`
}

type pageRankClauseSyntax struct {
	Tokens     []lexer.Token
	Graph      lexer.Token    `parser:"  'OVER' 'GRAPH' @( Ident | Quoted )"`
	Scopes     []*scopeSyntax `parser:"| 'OVER' @@ ( ',' @@ )*"`
	Damping    lexer.Token    `parser:"| 'DAMPING' @( Number | Param )"`
	Tolerance  lexer.Token    `parser:"| 'TOLERANCE' @( Number | Param )"`
	Iterations lexer.Token    `parser:"| 'ITERATIONS' @( Number | Param )"`
	Norm       lexer.Token    `parser:"| 'NORM' @( Number | 'N' )"`
	Seeds      []*textSyntax  `parser:"| 'SEEDS' @@ ( ',' @@ )*"`
	Without    []string       `parser:"| 'WITHOUT' @( 'INTERNAL' | 'NOFOLLOW' | 'NAV' ) ( ',' @( 'INTERNAL' | 'NOFOLLOW' | 'NAV' ) )*"`
	By         string         `parser:"| 'BY' @( 'PAGE' | 'HOST' )"`
	Warm       bool           `parser:"| @'WARM'"`
	Time       timeSyntax     `parser:"| @@"`
}

type hitsSyntax struct {
	Tokens  []lexer.Token
	Name    lexer.Token         `parser:"'HITS' ( @Quoted | (?! 'FOR' | 'OVER' | 'AT' | 'NEAREST' | 'FIRST' | 'LATEST' | 'EACH' | 'SINCE' | 'UNTIL' | 'DURING' | 'VARIANT' | 'KEEP' | 'ITERATIONS' | 'WEIGHT' | 'WITHOUT' ) @Ident )?"`
	Clauses []*hitsClauseSyntax `parser:"@@*"`
}

type hitsClauseSyntax struct {
	Tokens     []lexer.Token
	Words      *textSyntax    `parser:"  'FOR' @@"`
	Graph      lexer.Token    `parser:"| 'OVER' 'GRAPH' @( Ident | Quoted )"`
	Scopes     []*scopeSyntax `parser:"| 'OVER' @@ ( ',' @@ )*"`
	Variant    string         `parser:"| 'VARIANT' @( 'KLEINBERG' | 'HUB_AVERAGING' | 'HUB_THRESHOLD' | 'AUTHORITY_THRESHOLD' | 'FULL_THRESHOLD' | 'SYMMETRIC' )"`
	Keep       lexer.Token    `parser:"| 'KEEP' @( Number | Param )"`
	Iterations lexer.Token    `parser:"| 'ITERATIONS' @( Number | Param )"`
	Weight     string         `parser:"| 'WEIGHT' @'ARC'"`
	Within     string         `parser:"| 'WITHIN' @( 'DOMAIN' | 'HOST' )"`
	Stop       []*textSyntax  `parser:"| 'WITHOUT' 'HOST' @@ ( ',' @@ )*"`
	Time       timeSyntax     `parser:"| @@"`
}

type dedupSyntax struct {
	Tokens  []lexer.Token
	Clauses []*dedupClauseSyntax `parser:"'DEDUP' @@*"`
}

type dedupClauseSyntax struct {
	Tokens     []lexer.Token
	Scopes     []*scopeSyntax `parser:"  'IN' @@ ( ',' @@ )*"`
	Of         string         `parser:"| 'OF' @( 'PAGES' | 'BLOCKS' )"`
	Method     string         `parser:"| 'METHOD' @( 'MINHASH' | 'SIMHASH' | 'KEYWORDS' | 'CONTAINMENT' )"`
	Distance   lexer.Token    `parser:"| 'DISTANCE' @( Number | Param )"`
	Similarity lexer.Token    `parser:"| 'SIMILARITY' @( Number | Param )"`
	Time       timeSyntax     `parser:"| @@"`
}

type rankSyntax struct {
	Tokens []lexer.Token
	URL    lexer.Token `parser:"'EXPLAIN' 'RANK' @( String | Param )"`
	Name   lexer.Token `parser:"( 'IN' @( Ident | Quoted ) )?"`
}

type describeSyntax struct {
	Tokens []lexer.Token
	Name   lexer.Token `parser:"'DESCRIBE' @( Ident | Quoted )"`
}

type showSyntax struct {
	Tokens []lexer.Token
	Page   *pageSyntax   `parser:"'SHOW' ( @@"`
	Path   *pathSyntax   `parser:"| @@"`
	Robots *robotsSyntax `parser:"| @@"`
	What   lexer.Token   `parser:"| (?! 'PAGE' | 'PATH' | 'ROBOTS' ) @Ident )"`
}

type robotsSyntax struct {
	URL     lexer.Token           `parser:"'ROBOTS' @( String | Param )"`
	Options []*robotsOptionSyntax `parser:"@@*"`
}

type robotsOptionSyntax struct {
	Tokens []lexer.Token
	Agent  *textSyntax `parser:"  'AGENT' @@"`
	At     moment      `parser:"| ( 'AT' | 'AS' 'OF' ) @@"`
}

type pathSyntax struct {
	From    lexer.Token         `parser:"'PATH' @( String | Param )"`
	To      lexer.Token         `parser:"'TO' @( String | Param )"`
	Options []*pathOptionSyntax `parser:"@@*"`
}

type pathOptionSyntax struct {
	Tokens []lexer.Token
	At     moment      `parser:"  ( 'AT' | 'AS' 'OF' ) @@"`
	Graph  lexer.Token `parser:"| 'OVER' 'GRAPH' @( Ident | Quoted )"`
}

type pageSyntax struct {
	URL     lexer.Token         `parser:"'PAGE' @( String | Param )"`
	Options []*pageOptionSyntax `parser:"@@*"`
}

type pageOptionSyntax struct {
	Tokens []lexer.Token
	At     moment      `parser:"  ( 'AT' | 'AS' 'OF' ) @@"`
	Form   lexer.Token `parser:"| 'AS' @Ident"`
}

type diffSyntax struct {
	Tokens []lexer.Token
	URL    lexer.Token         `parser:"'DIFF' @( String | Param )"`
	Times  []*diffMomentSyntax `parser:"@@*"`
}

type diffMomentSyntax struct {
	Tokens []lexer.Token
	From   moment `parser:"  'FROM' @@"`
	To     moment `parser:"| 'TO' @@"`
}

type setSyntax struct {
	Tokens []lexer.Token
	Name   lexer.Token `parser:"'SET' @( Ident | Quoted | Param )"`
	Value  constant    `parser:"'=' @@"`
}

type resetSyntax struct {
	Tokens []lexer.Token
	Name   lexer.Token `parser:"'RESET' @( Ident | Quoted )"`
}

type helpSyntax struct {
	Tokens []lexer.Token
	Topic  []string `parser:"'HELP' @( Ident | Keyword )*"`
}

// moment is an expression that gives a time; constant is an expression that
// gives a value of SET. They are separate types so that each has its own
// parser.
type (
	moment   interface{ ast.Expr }
	constant interface{ ast.Expr }
)

// lookahead is how many tokens the grammar may read before it must choose a
// branch. With one, an error would be reported at the comma before the real
// place.
const lookahead = 2

// grammar returns the parser of statements. The first call builds it.
var grammar = sync.OnceValue(func() *participle.Parser[statementSyntax] {
	return participle.MustBuild[statementSyntax](
		participle.Lexer(definition{}),
		participle.CaseInsensitive("Ident"),
		participle.UseLookahead(lookahead),
		participle.ParseTypeWith(parseQuery),
		participle.ParseTypeWith(parseExpr),
		participle.ParseTypeWith(parseTime),
		participle.ParseTypeWith(parseMoment),
		participle.ParseTypeWith(parseConstant),
		participle.ParseTypeWith(parseArguments),
		participle.ParseTypeWith(parseNames),
	)
})
