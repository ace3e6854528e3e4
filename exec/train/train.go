package train

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"infomall/exec/classify"
	"infomall/exec/expr"
	"infomall/exec/plan"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/block/facts"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

// foldsDefault is how many folds a TRAIN without FOLDS has, and foldsMax how many it may
// have: each fold is one classifier more to learn.
const (
	foldsDefault = 5
	foldsMax     = 100
)

// training is a TRAIN statement whose clauses were read.
type training struct {
	s       *session.Session
	env     *expr.Env
	st      *ast.Train
	name    string // of the classifier, in lower case
	node    plan.Node
	options classify.Options
	columns // indexes of the columns of node
}

// columns has the indexes of the columns of examples. url is -1 if there is none.
type columns struct{ text, class, url int }

// Train is the statement TRAIN, which learns to tell classes of texts apart, and stores the
// classifier.
var Train = session.Declare("TRAIN", session.Writes|session.Works|session.Holds, readTrain).Named(func(st ast.Statement) *ast.Name { return &st.(*ast.Train).Name })

// readTrain makes a training of a TRAIN statement. It checks the clauses and plans the query.
func readTrain(s *session.Session, st *ast.Train) (*training, error) {
	t := &training{s: s, env: s.Env(), st: st, name: strings.ToLower(st.Name.Text)}
	o := &t.options
	o.Folds = foldsDefault
	if st.Using == "bayes" {
		o.Method = classify.Bayes
	}
	if st.By == "ig" {
		o.By = classify.Gain
	}
	for _, n := range []struct {
		e           ast.Expr
		word        string
		least, most int64
		put         *int
	}{
		{st.Features, "FEATURES", 1, classify.FeaturesMax, &o.Features},
		{st.Folds, "FOLDS", 2, foldsMax, &o.Folds},
	} {
		if n.e == nil {
			continue
		}
		x, err := expr.ConstantCount(n.e, n.word, t.env)
		if err != nil {
			return nil, err
		}
		if x < n.least || x > n.most {
			return nil, ast.Errorf(n.e, "%s takes a whole number from %d to %d, not %d", n.word, n.least, n.most, x)
		}
		*n.put = int(x)
	}
	var err error
	if t.node, err = plan.Build(st.Query, t.env); err != nil {
		return nil, err
	}
	return t, t.findColumns()
}

// findColumns sets t.columns. The query must have the columns text and class, and may have
// url. All other columns are mistakes.
func (t *training) findColumns() error {
	t.columns = columns{-1, -1, -1}
	for i, c := range t.node.Columns() {
		var at *int
		switch strings.ToLower(c.Name) {
		case "text":
			at = &t.text
		case "class":
			at = &t.class
		case "url":
			at = &t.url
		default:
			err := ast.Errorf(t.st.Query, "TRAIN learns from the columns text, class and url, and the query has a column %s", c.Name)
			err.Hint = "name its columns: SELECT main AS text, host AS class …"
			return err
		}
		want := value.Text
		if at == &t.url {
			want = value.URL
		}
		if c.Type != want && c.Type != value.Null && !(want == value.Text && c.Type.Textual()) {
			err := ast.Errorf(t.st.Query, "the column %s of TRAIN is of type %s, and here it is of type %s", c.Name, want, c.Type)
			err.Hint = fmt.Sprintf("CAST(… AS %s) AS %s", want, c.Name)
			return err
		}
		*at = i
	}
	for _, c := range []struct {
		name string
		at   int
	}{{"text", t.text}, {"class", t.class}} {
		if c.at < 0 {
			err := ast.Errorf(t.st.Query, "TRAIN learns from the columns text and class, and the query has no column %s", c.name)
			err.Hint = "write SELECT main AS text, host AS class …"
			return err
		}
	}
	return nil
}

// Run trains the classifier and stores it in the archive. Its result has a row per class,
// then two rows with means.
func (t *training) Run(ctx context.Context) (*session.Result, error) {
	s := t.s
	begun := time.Now()
	snap, release, err := s.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	rows, err := s.Runner(snap, "train: texts").Rows(ctx, t.node)
	if err != nil {
		return nil, err
	}
	// One half of the memory is for the examples, the other for learning.
	half := s.Settings().MemoryBytes / 2
	corpus, without, err := t.read(rows, half)
	if err != nil {
		return nil, t.fault(err)
	}
	o := t.options
	o.Memory, o.Progress = half, s.Report("train", "classes")
	model, report, err := corpus.Train(ctx, o)
	if err != nil {
		return nil, t.fault(err)
	}
	urls := corpus.URLs()
	slices.SortFunc(urls, func(a, b string) int { return strings.Compare(urlkey.Key(a), urlkey.Key(b)) })
	kept := task.Result{
		Kind: task.ResultClassifier, Name: t.name, Computed: t.env.Now, AsOf: t.env.Now, Statement: t.st.String(),
		Properties: model.Properties(facts.Extractor),
	}
	if kept, err = s.Archive().SaveResult(ctx, kept, model.Rows(urls)); err != nil {
		return nil, err
	}
	res := table(report).Work(session.Count{Rows: int64(report.Texts), Bytes: kept.Bytes}, nil)
	res.Notes = t.notes(corpus, report, without, kept.Bytes, time.Since(begun))
	return res, nil
}

// read reads the examples. without is how many rows have no class, or no text with words.
func (t *training) read(rows value.Rows, memory int64) (c *classify.Corpus, without int64, err error) {
	c = classify.NewCorpus(memory)
	for b, err := range rows {
		if err != nil {
			return nil, 0, err
		}
		for i := range b.N {
			text, class := b.Cols[t.text].At(i), b.Cols[t.class].At(i)
			if text.IsNull() || class.IsNull() || class.Text == "" {
				without++
				continue
			}
			url := ""
			if t.url >= 0 {
				url = b.Cols[t.url].At(i).Text
			}
			ok, err := c.Add(text.Text, class.Text, url)
			if err != nil {
				return nil, 0, err
			}
			if !ok {
				without++
			}
		}
	}
	return c, without, nil
}

// fault returns err as an error of the statement, with what to do about it, if the user can.
func (t *training) fault(err error) error {
	var large *classify.TooLargeError
	var few *classify.FewError
	switch {
	case errors.As(err, &large):
		err := ast.Errorf(t.st, "%v", large)
		err.Hint = "SET memory = '2GB' allows more; or let the query return fewer rows"
		if large.Fewer {
			err.Hint = "SET memory = '2GB' allows more; or add FEATURES 20000"
		}
		return err
	case errors.As(err, &few):
		err := ast.Errorf(t.st, "%v", few)
		if len(few.Classes) > 1 && few.Sets > 1 {
			err.Hint = fmt.Sprintf("add FOLDS %d, or let the query return more texts", few.Sets)
		} else {
			err.Hint = "let the query return other texts"
		}
		return err
	}
	return err
}

// table returns the result of TRAIN.
func table(r *classify.Report) *session.Table {
	float := func(name string) value.Column { return value.Column{Name: name, Type: value.Float} }
	t := session.NewTable(session.Text("class"), session.Whole("documents"), float("precision"), float("recall"), float("f1"), session.Text("words"))
	add := func(class string, texts int, q classify.Quality, words string) {
		t.Add(value.OfText(class), value.OfInt(int64(texts)), rounded(q.Precision), rounded(q.Recall), rounded(q.F1), value.TextOrNull(words))
	}
	for _, c := range r.Classes {
		add(c.Class, c.Texts, c.Quality, strings.Join(c.Telling, " "))
	}
	add("(mean of classes)", r.Texts, r.Macro, "")
	add("(all documents)", r.Texts, r.Micro, "")
	return t
}

// rounded returns a share with three decimals.
func rounded(x float64) value.Value { return value.OfFloat(float64(int64(x*1000+.5)) / 1000) }

// notes returns further lines for the user, such as how many rows were left out.
func (t *training) notes(c *classify.Corpus, r *classify.Report, without, bytes int64, took time.Duration) (notes []string) {
	if without > 0 {
		notes = append(notes, fmt.Sprintf("%s without a class, or without words, left out", value.Counted(without, "row")))
	}
	if n := c.Replaced(); n > 0 {
		notes = append(notes, fmt.Sprintf("%s replaced by later rows with the same URL", value.Counted(n, "row")))
	}
	for _, x := range r.Confused {
		notes = append(notes, fmt.Sprintf("%s of '%s' taken for '%s'", value.Counted(x.Texts, "document"), x.Of, x.As))
	}
	return append(notes, fmt.Sprintf("classifier %s: %s, %s, %s of near-copies, %s, %s in %v", t.name, t.options.Method,
		value.Counted(r.Features, "feature"), value.Counted(r.Sets, "set"), value.Counted(t.options.Folds, "fold"), value.Size(bytes), took.Round(time.Millisecond)))
}

// Would returns the lines for EXPLAIN: how the classifier would learn, then the plan of the
// query.
func (t *training) Would(ctx context.Context) ([]string, error) {
	o := &t.options
	features := fmt.Sprintf("all words, at most %d", classify.FeaturesMax)
	if o.Features > 0 {
		features = fmt.Sprintf("the %s with the greatest %s", value.Counted(o.Features, "word"), map[classify.Measure]string{classify.Chi: "χ²", classify.Gain: "information gain"}[o.By])
	}
	line := fmt.Sprintf("learn classifier %s by %s from %s, and measure it by %s", t.name, o.Method, features, value.Counted(o.Folds, "fold"))
	would, err := t.s.PlanLines(ctx, t.node)
	return append([]string{line}, would...), err
}
