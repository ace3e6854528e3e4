package grammar

import "infomall/lang/scan"

// statements lists all kinds of statement, in the order of HELP.
var statements = []*statement{
	queryStatement,
	importStatement,
	exportStatement,
	provenanceStatement,
	crawlStatement,
	orderStatement,
	addStatement,
	traceEventStatement,
	traceStatement,
	scheduleStatement,
	unscheduleStatement,
	runScheduleStatement,
	watchStatement,
	unwatchStatement,
	runWatchStatement,
	copyStatement,
	moveStatement,
	copyRowsStatement,
	verifyStatement,
	mergeStatement,
	repairStatement,
	reindexStatement,
	dropPoolStatement,
	createStatement,
	dropViewStatement,
	dropGraphStatement,
	dropGazetteerStatement,
	dropMetadataStatement,
	ruleStatement,
	dropRuleStatement,
	saveStatement,
	runStatement,
	deleteStatement,
	allowStatement,
	pageRankStatement,
	hitsStatement,
	dedupStatement,
	eventsStatement,
	dropEventsStatement,
	trainStatement,
	dropClassifierStatement,
	clusterStatement,
	dropClustersStatement,
	explainRankStatement,
	recoverStatement,
	showPageStatement,
	showRobotsStatement,
	showPathStatement,
	diffStatement,
	blameStatement,
	showStoryStatement,
	checkReplayStatement,
	showStatement,
	describeStatement,
	summarizeStatement,
	explainStatement,
	setStatement,
	resetStatement,
	helpStatement,
}

// topic is a text of HELP that shows the form of a statement. Words in upper
// case are typed as shown. Names of parts are in lower case and are explained
// below the form. [ ] is optional, ( | ) is a choice, … means more of the same.
// A line that begins with a blank continues the line before. A test generates
// statements from each text and parses them, so that the texts agree with the
// grammar.
type topic struct {
	name string // such as "CRAWL"
	text string // begins with a line end
}

// These lines explain parts of statements in several texts of HELP.
const (
	helpT     = "t = 2008-06-15 | 2008 | 'text' | $name | NOW | TODAY | t - 7d | t + 2mo\n"
	helpScope = "scope = 'text' | 'text' .. 'text' | $name\n"
	helpTime  = helpScope + `time = range [choice] [known] | choice [range] [known] | known
known = KNOWN AT t
range = BETWEEN t AND t | FROM t TO t | SINCE t | UNTIL t | DURING t AND t
choice = (AT t | AS OF t) [WITHIN 7d] | NEAREST t | FIRST | LATEST
` + helpT
	helpKey   = "key = expr [ASC | DESC] [NULLS FIRST | NULLS LAST]\n"
	helpValue = `value = 'text' | 10 | - 10 | 64KB | 7d | 2008-06 | TRUE | FALSE | NULL
  | TODAY | $name | ON | name
`
)

// Topics returns the topics for which Help has a text, such as "CRAWL", in the
// order in which the statement HELP lists them.
func Topics() []string {
	var list []string
	for _, s := range statements {
		for _, t := range s.topics {
			list = append(list, t.name)
		}
	}
	return list
}

// Help returns the syntax of a topic, in lines of at most 80 characters.
// Case does not matter. It returns "" for a topic that Topics does not list.
func Help(topic string) string {
	for _, s := range statements {
		for _, t := range s.topics {
			if scan.EqualFold(topic, t.name) {
				return t.text[1:]
			}
		}
	}
	return ""
}
