package relation

import (
	"context"
	"strings"

	"infomall/exec/places"
	"infomall/exec/value"
	"infomall/store/block/about"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

// Places returns the gazetteer (list of place names) of an archive: the places that the program
// knows, and those of the list that was imported last, if there is one.
func Places(ctx context.Context, snap Snapshot) (*places.Gazetteer, error) {
	results, err := snap.Results(ctx, task.ResultGazetteer)
	if err != nil {
		return nil, err
	}
	var last *task.Result
	for i := range results {
		if x := &results[i]; x.Name == places.ListName && (last == nil || x.Computed >= last.Computed) {
			last = x
		}
	}
	if last == nil {
		return places.Shipped(), nil
	}
	var rows []task.ResultRow
	for row, err := range snap.ResultRows(ctx, *last, nil) {
		if err != nil {
			return nil, err
		}
		rows = append(rows, task.ResultRow{Value: append([]byte(nil), row.Value...)})
	}
	return places.Stored(rows)
}

// namedPlaces computes the column places of the relation versions: the places that the title
// and the main text of a page name.
func namedPlaces(l *LateRow) (value.Value, error) {
	res, err := l.response()
	if err != nil {
		return value.Value{}, err
	}
	b := res.blocks()
	if b == nil {
		return value.Value{}, nil
	}
	if l.reader.gazetteer == nil {
		if l.reader.gazetteer, err = Places(l.ctx, l.reader.Snapshot); err != nil {
			return value.Value{}, err
		}
	}
	var names []string
	host := ""
	if keys, err := l.reader.Snapshot.KeysOf(l.ctx, []record.Ref{res.ref}); err != nil {
		return value.Value{}, err
	} else if len(keys) > 0 {
		host = urlkey.Host(urlkey.URL(keys[0]))
	}
	for _, p := range l.reader.gazetteer.Find(res.about().Title+"\n"+about.MainText(b), host) {
		names = append(names, p.Name)
	}
	return value.TextOrNull(strings.Join(names, ", ")), nil
}
