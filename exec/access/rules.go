package access

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"infomall/exec/expr"
	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

// Rule is a RULE statement whose clauses were read.
type Rule struct {
	Name   string
	Action ast.RuleAction
	Reason string // of BLOCK
	Age    string // of EMBARGO, as it was written
	Scopes []task.BlockScope
	Window relation.Window

	ranges []urlkey.Range // of the scopes, with all their keys
	from   record.Time    // of EMBARGO: captures at this time or later are hidden
}

// NewRule returns the rule that st defines. An embargo is counted from now, and so are
// times such as NOW - 7d. Times are UTC. Each error is an *ast.Error.
func NewRule(st *ast.Rule, now record.Time) (*Rule, error) {
	r := &Rule{Name: st.Name.Text, Action: st.Action}
	env := &expr.Env{Now: now}
	var err error
	if r.Window, err = plan.Range(st.Range, env); err != nil {
		return nil, err
	}
	for i := range st.Scopes {
		s := &st.Scopes[i]
		from, to, err := expr.ScopeTexts(s, env)
		if err != nil {
			return nil, err
		}
		scope, err := task.NewBlockScope(from, to)
		if err != nil {
			return nil, ast.Errorf(s, "%v", err)
		}
		r.Scopes = append(r.Scopes, scope)
		r.ranges = append(r.ranges, scope.Ranges()...)
	}
	if st.Reason != nil {
		if r.Reason, err = expr.ConstantText(st.Reason, env); err != nil {
			return nil, err
		}
	}
	if d, ok := st.Age.(*ast.Duration); ok {
		r.Age, r.from = d.Text, embargoed(now, d)
	}
	return r, nil
}

// embargoed returns the time from which captures are younger than d. It is rounded down to
// the hour, or to the minute if d is less than a day, so that requests shortly after each
// other see one state of the archive. No capture is younger than 0d, whatever its time is.
func embargoed(now record.Time, d *ast.Duration) record.Time {
	if d.Months == 0 && d.Length == 0 {
		return record.MaxTime + 1
	}
	unit := time.Hour
	if d.Months == 0 && d.Length < 24*time.Hour {
		unit = time.Minute
	}
	return record.At(value.AddMonths(now.Std(), -d.Months).Add(-d.Length).Truncate(unit))
}

// hides reports whether r hides captures at time t, if r is the rule that decides about them.
func (r *Rule) hides(t record.Time) bool { return r.Action != ast.RuleEmbargo || t >= r.from }

// length returns the length of the longest scope of r that contains a key, in bytes of keys. A
// longer scope is narrower. It returns -1 if no scope of r contains the key.
func (r *Rule) length(key string) int {
	length := -1
	for _, s := range r.Scopes {
		if !s.Contains(key) {
			continue
		}
		for _, in := range s.Ranges() {
			if in.Contains(key) {
				length = max(length, len(in.From))
			}
		}
	}
	return length
}

// strictness orders the actions of rules whose scopes are equally long.
var strictness = [...]int{ast.RuleExclude: 2, ast.RuleBlock: 1, ast.RuleEmbargo: 0}

// Rules are the access rules of an archive at one moment. Nil means none. They do not
// change, and several goroutines may use them.
type Rules struct {
	list   []*Rule // sorted by name
	hiding record.Hiding
}

// Read returns the access rules among definitions, with ages and times counted from the
// start of the present minute.
func Read(list []task.Definition, now record.Time) (*Rules, error) {
	r := &Rules{}
	now = record.At(now.Std().Truncate(time.Minute)) // so that requests in a row see one state
	name := sha256.New()
	var ranges []urlkey.Range
	for _, d := range session.SortDefinitions(list, task.KindRule) {
		st, err := session.ParseDefinition(&d)
		if err != nil {
			return nil, err
		}
		def, ok := st.(*ast.Rule)
		if !ok {
			return nil, fmt.Errorf("the archive defines rule %s by another statement: %s", d.Name, d.Text)
		}
		rule, err := NewRule(def, now)
		if err != nil {
			return nil, fmt.Errorf("rule %s: %w", d.Name, err)
		}
		r.list = append(r.list, rule)
		ranges = append(ranges, rule.ranges...)
		fmt.Fprintf(name, "%q %d %v\n", d.Text, rule.from, rule.Window)
	}
	if len(r.list) == 0 {
		return nil, nil
	}
	r.hiding = record.Hiding{Ranges: urlkey.Merge(ranges), Hides: r.Hides, Name: fmt.Sprintf("%x", name.Sum(nil)[:8])}
	return r, nil
}

// decides returns the rule that decides about a capture of the URL with this key: of the
// rules that the function in accepts, the one with the longest scope that contains the
// key. It returns nil if there is none.
func (r *Rules) decides(key string, in func(*Rule) bool) *Rule {
	var best *Rule
	longest := -1
	for _, rule := range r.list {
		if !in(rule) {
			continue
		}
		n := rule.length(key)
		if n > longest || n >= 0 && n == longest && strictness[rule.Action] > strictness[best.Action] {
			best, longest = rule, n
		}
	}
	return best
}

// at returns the rule that decides about the capture of the URL with this key at time t,
// or nil.
func (r *Rules) at(key string, t record.Time) *Rule {
	return r.decides(key, func(rule *Rule) bool { return t >= rule.Window.From && t < rule.Window.To })
}

// Hides reports whether a rule hides the capture of the URL with this key at time t.
func (r *Rules) Hides(key string, t record.Time) bool {
	if r == nil {
		return false
	}
	rule := r.at(key, t)
	return rule != nil && rule.hides(t)
}

// hidesSome reports whether the rules hide captures of the URL with this key of some time, up to and
// with the time until.
func (r *Rules) hidesSome(key string, until record.Time) bool {
	return r.hiderOf(key, until, func(*Rule) bool { return true }) != nil
}

// hiderOf returns a rule that is accepted and hides captures of the URL with this key at some time, up
// to and with the time until. It returns nil if there is none. Captures begin to be hidden only when a
// rule begins, when one ends that decided before, or when an embargo begins.
func (r *Rules) hiderOf(key string, until record.Time, accepted func(*Rule) bool) *Rule {
	for _, rule := range r.list {
		if rule.length(key) < 0 {
			continue
		}
		for _, t := range [...]record.Time{rule.Window.From, rule.Window.To, rule.from} {
			if t > until {
				continue
			}
			if by := r.at(key, t); by != nil && by.hides(t) && accepted(by) {
				return by
			}
		}
	}
	return nil
}

// mentions reports whether a text, such as a statement, contains one of these: a hidden URL,
// a text in quotes that names only hidden URLs, or the scope of a rule.
func (r *Rules) mentions(text string) bool {
	if text == "" {
		return false
	}
	lower := strings.ToLower(text)
	for _, rule := range r.list {
		if rule.Action == ast.RuleEmbargo && rule.from > record.MaxTime {
			continue
		}
		for _, s := range rule.Scopes {
			if bare := bareScope(s.From); len(bare) >= mentionMin && strings.Contains(lower, bare) && r.hidesSome(s.Ranges()[0].From, record.MaxTime) {
				return true
			}
		}
	}
	for _, word := range urlsIn(text) {
		if u, err := urlkey.Canonical(word); err == nil && r.hidesSome(urlkey.Key(u), record.MaxTime) {
			return true
		}
	}
	for _, word := range quotedTexts(text) {
		if scope, err := urlkey.ParseScope(word); err == nil && slices.ContainsFunc(scope.Ranges(), r.within) {
			return true
		}
	}
	return false
}

// mentionMin is the least length, in bytes, of a scope that mentions looks for in a text.
const mentionMin = 4

// within reports whether all URLs in a range of keys are hidden at some time.
func (r *Rules) within(in urlkey.Range) bool {
	return r.hidesSome(in.From, record.MaxTime) && slices.ContainsFunc(r.hiding.Ranges, func(h urlkey.Range) bool {
		return h.From <= in.From && (h.To == "" || in.To != "" && in.To <= h.To)
	})
}

// bareScope returns a scope without its scheme and marks, in lower case, such as
// a.example/x.
func bareScope(scope string) string {
	_, rest, ok := strings.Cut(scope, "://")
	if !ok {
		rest = scope
	}
	rest = strings.TrimSuffix(strings.TrimLeft(rest, "=*."), "*")
	return strings.ToLower(strings.TrimSuffix(rest, "/"))
}

// urlsIn returns the words of a text that look like URLs.
func urlsIn(text string) []string {
	return slices.DeleteFunc(strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(" \t\r\n'\"<>()[]{},;", c) }), func(word string) bool {
		return !strings.Contains(word, "://")
	})
}

// quotedTexts returns the texts in single quotes in a statement.
func quotedTexts(text string) (out []string) {
	for i, part := range strings.Split(text, "'") {
		if i%2 == 1 {
			out = append(out, part)
		}
	}
	return out
}

// actions are the names of the actions in the relation rules.
var actions = [...]string{ast.RuleBlock: "block", ast.RuleExclude: "exclude", ast.RuleEmbargo: "embargo"}

// Rows returns the rows of the relation rules at the time now, sorted by name. list has the
// definitions of the archive.
func Rows(list []task.Definition, now record.Time) ([]relation.Rule, error) {
	rules, err := Read(list, now)
	if rules == nil || err != nil {
		return nil, err
	}
	defs := session.SortDefinitions(list, task.KindRule)
	rows := make([]relation.Rule, len(rules.list))
	for i, r := range rules.list {
		rows[i] = relation.Rule{Name: r.Name, Scope: task.ScopesText(r.Scopes), Action: actions[r.Action], Reason: r.Reason, Age: r.Age, Window: r.Window, Created: defs[i].Created}
	}
	slices.SortFunc(rows, func(a, b relation.Rule) int { return cmp.Compare(a.Name, b.Name) })
	return rows, nil
}
