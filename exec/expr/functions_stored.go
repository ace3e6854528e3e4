package expr

import (
	"fmt"
	"strings"
	"sync"

	"infomall/exec/classify"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/block/facts"
	"infomall/store/record/task"
)

// storedFunctions declares the functions that use a stored result, such as a classifier.
var storedFunctions = []Function{
	{Name: "classify", Example: "classify('topic', main) FROM pages", Doc: "The class of a text, and of a URL if there is one, by a classifier that TRAIN has made. NULL if the classifier knows no word of it.",
		params: []param{{"classifier", textKind}, {"text", textKind}, {"url", urlKind}}, min: 2, stored: true,
		result: value.Text, prepare: prepareClassifier(func(class string, _ float64) value.Value { return value.OfText(class) })},
	{Name: "classify_score", Example: "classify_score('topic', main) FROM pages", Doc: "The probability that the result of classify is right, from 0 to 1. It holds for texts that are like the examples of TRAIN.",
		params: []param{{"classifier", textKind}, {"text", textKind}, {"url", urlKind}}, min: 2, stored: true,
		result: value.Float, prepare: prepareClassifier(func(_ string, sure float64) value.Value { return value.OfFloat(sure) })},
}

// prepareClassifier returns a function for the field prepare of a Function whose first argument is
// the name of a classifier. result returns the value of the Function for a class and the
// probability that it is right. The classifier is read when the first row is computed.
func prepareClassifier(result func(class string, sure float64) value.Value) func(*Env, []Expr) (applier, error) {
	return func(_ *Env, args []Expr) (applier, error) {
		if _, ok := args[0].(*Const); !ok {
			return nil, fmt.Errorf("the name of the classifier is the same for all rows: write it in quotes")
		}
		var once sync.Once
		var model *classify.Model
		var fault error
		return func(env *Env, args []value.Value) (value.Value, error) {
			once.Do(func() { model, fault = classifier(env, args[0].Text) })
			if fault != nil {
				return value.Value{}, fault
			}
			url := ""
			if len(args) > 2 {
				url = args[2].Text
			}
			class, sure, ok := model.Classify(args[1].Text, url)
			if !ok {
				return value.Value{}, nil
			}
			return result(class, sure), nil
		}, nil
	}
}

// classifier returns the newest stored classifier with this name. Case is ignored.
func classifier(env *Env, name string) (*classify.Model, error) {
	if env.Stored != nil {
		r, rows, ok, err := env.Stored(task.ResultClassifier, strings.ToLower(name))
		if err != nil {
			return nil, err
		}
		if ok {
			return classify.Parse(&r, rows, classify.Origin(facts.Extractor))
		}
	}
	var names []string
	if env.StoredNames != nil {
		names = env.StoredNames(task.ResultClassifier)
	}
	err := UnknownName(ast.Span{}, "classifier", name, " in the archive", names)
	if err.Hint == "" {
		err.Hint = "TRAIN makes one"
	}
	return nil, err
}
