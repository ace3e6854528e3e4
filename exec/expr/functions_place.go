package expr

import (
	"sync"

	"infomall/exec/places"
	"infomall/exec/value"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

// placeFunctions declares the function that finds places in a text.
var placeFunctions = []Function{
	{Name: "place", Example: "place(main) FROM pages", Doc: "The place that a text names most often, of several the first, by its name in the relation gazetteer; NULL if it names none. The URL of the page helps to choose among places of the same name.",
		params: []param{{"text", textKind}, {"url", urlKind}}, min: 1, stored: true,
		result: value.Text, prepare: preparePlace},
}

// preparePlace returns the code of the function place for one query. The code reads the list of
// places that the archive stores when it computes the first row.
func preparePlace(*Env, []Expr) (applier, error) {
	var once sync.Once
	var gazetteer *places.Gazetteer
	var fault error
	return func(env *Env, args []value.Value) (value.Value, error) {
		once.Do(func() { gazetteer, fault = storedPlaces(env) })
		if fault != nil {
			return value.Value{}, fault
		}
		host := ""
		if len(args) > 1 {
			host = urlkey.Host(args[1].Text)
		}
		p := gazetteer.Main(args[0].Text, host)
		if p == nil {
			return value.Value{}, nil
		}
		return value.OfText(p.Name), nil
	}, nil
}

// storedPlaces returns a gazetteer with the places that the program knows and those of the list
// that the archive stores.
func storedPlaces(env *Env) (*places.Gazetteer, error) {
	if env.Stored == nil {
		return places.Shipped(), nil
	}
	_, rows, _, err := env.Stored(task.ResultGazetteer, places.ListName)
	if err != nil {
		return nil, err
	}
	return places.Stored(rows)
}
