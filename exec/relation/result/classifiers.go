package result

import (
	"context"
	"iter"
	"strings"

	"infomall/exec/classify"
	"infomall/exec/relation"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

// classRow is one row of the relation classifiers: one class of one classifier.
type classRow struct {
	classify.ClassReport
	model *classify.Model // without its weights
	of    *task.Result
}

// Classifiers declares the relation classifiers, which has one row per class of a classifier.
var Classifiers = relation.List(relation.Relation{
	Name: "classifiers", Doc: "one class of a classifier made by TRAIN",
	Columns: []relation.Column{
		relation.TextOf("name", "name of the classifier", func(c *classRow) string { return c.of.Name }),
		relation.TextOf("class", "name of the class", func(c *classRow) string { return c.Class }),
		relation.IntOf("documents", "number of texts of the class from which TRAIN has learned", func(c *classRow) int64 { return int64(c.Texts) }),
		relation.FloatOf("precision", "share of the texts taken for this class that are of it, in cross-validation", func(c *classRow) float64 { return c.Precision }),
		relation.FloatOf("recall", "share of the texts of this class that were taken for it, in cross-validation", func(c *classRow) float64 { return c.Recall }),
		relation.FloatOf("f1", "harmonic mean of precision and recall", func(c *classRow) float64 { return c.F1 }),
		relation.TextOf("words", "words by which the class differs most from the others, joined by blanks", func(c *classRow) string { return strings.Join(c.Telling, " ") }),
		relation.TimeOf("computed", "when the classifier was made", func(c *classRow) record.Time { return c.of.Computed }),
		relation.TextOf("method", "svm or bayes", func(c *classRow) string { return c.model.Options.Method.String() }).OnRequest(),
		relation.IntOf("features", "number of words by which the classifier tells classes apart", func(c *classRow) int64 { return int64(c.model.Report.Features) }).OnRequest(),
		relation.IntOf("folds", "number of folds of the cross-validation", func(c *classRow) int64 { return int64(c.model.Options.Folds) }).OnRequest(),
		relation.FloatOf("macro_f1", "mean of f1 over the classes of the classifier", func(c *classRow) float64 { return c.model.Report.Macro.F1 }).OnRequest(),
		relation.FloatOf("micro_f1", "share of all texts whose class was found", func(c *classRow) float64 { return c.model.Report.Micro.F1 }).OnRequest(),
		relation.TextOf("statement", "TRAIN statement", func(c *classRow) string { return c.of.Statement }).OnRequest(),
	},
}, classifiers)

// classifiers yields the rows of the relation classifiers in batches, sorted by classifier,
// then by when it was made, then by class.
func classifiers(r *relation.Reader, ctx context.Context, n *relation.Request) iter.Seq2[[]classRow, error] {
	return relation.Paged(classRows(r, ctx))
}

// classRows yields the rows of the relation classifiers, one at a time. A row is valid until
// the iteration moves on.
func classRows(r *relation.Reader, ctx context.Context) iter.Seq2[*classRow, error] {
	return func(yield func(*classRow, error) bool) {
		results, err := r.Snapshot.Results(ctx, task.ResultClassifier)
		if err != nil {
			yield(nil, err)
			return
		}
		for i := range results {
			of := &results[i]
			model, err := classify.About(of)
			if err != nil {
				yield(nil, err)
				return
			}
			for row, err := range r.Snapshot.ResultRows(ctx, *of, []urlkey.Range{classify.ClassRows}) {
				c := &classRow{model: model, of: of}
				if err == nil {
					c.ClassReport, _, err = classify.ParseClass(row)
				}
				if !yield(c, err) || err != nil {
					return
				}
			}
		}
	}
}
