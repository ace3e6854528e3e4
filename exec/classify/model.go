package classify

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"sync"

	"infomall/exec/vector"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

// Model is a classifier. It does not change, and several goroutines may use it.
type Model struct {
	Report  Report
	Options Options // how it was trained
	URLs    bool    // words of URLs are among its features
	Unnamed int     // how many examples had no URL

	sure  sure
	words vector.Dictionary // of features
	idf   vector.IDF
	linear
	readers sync.Pool // of *modelReader
}

// modelReader is the working memory of one goroutine that uses a model.
type modelReader struct {
	reader
	scores []float64
}

// Classify returns the class of a text, and how probably it is right, from 0 to 1. url may be
// "". If the text has no feature of the model, ok is false.
func (m *Model) Classify(text, url string) (class string, sure float64, ok bool) {
	r, _ := m.readers.Get().(*modelReader)
	if r == nil {
		r = &modelReader{scores: make([]float64, m.classes)}
		r.Dictionary, r.Fixed = &m.words, true
	}
	defer m.readers.Put(r)
	if !m.URLs {
		url = ""
	}
	v := r.features(text, url)
	if len(v.Words) == 0 {
		return "", 0, false
	}
	m.idf.Weigh(v)
	m.linear.scores(v, r.scores)
	k, margin := best(r.scores)
	return m.Report.Classes[k].Class, m.sure.of(margin), true
}

// version is the version of the stored form of models, and of how texts are cut into words. A model
// that was stored with another version cannot be used.
const version = 1

// A stored model has one row per class, per feature, and per URL of its examples. The first byte of
// a key says which of these the row is.
const (
	classRow = 'c' // the number of the class follows, in 4 bytes; the value is storedClass
	urlRow   = 'u' // the key of the URL follows
	wordRow  = 'w' // the feature follows; the value is its idf and its weight for each class
)

// ClassRows is the range of keys of the rows of classes, and URLRows that of the rows of URLs,
// for Snapshot.ResultRows.
var (
	ClassRows = urlkey.Range{From: string(rune(classRow)), To: string(rune(classRow + 1))}
	URLRows   = urlkey.Range{From: string(rune(urlRow)), To: string(rune(urlRow + 1))}
)

// The names of the properties of a stored model.
const (
	propertyModel = "model"
	// PropertyMade names the program versions that made a model, see Made.
	PropertyMade = "made"
)

// stored is the content of the property propertyModel, as JSON.
type stored struct {
	Method, By      string
	Features, Folds int
	URLs            bool
	Unnamed         int
	Sure            sure
	Macro, Micro    Quality
	Texts, Sets     int
}

// storedClass is the content of the row of a class, as JSON.
type storedClass struct {
	ClassReport
	Bias float64
}

var measures = [...]string{Chi: "chi", Gain: "ig"}

// Origin returns a text that names the versions of this package and of the extractor of texts. A
// model can be used only by a program for which Origin returns the text with which the model was
// stored.
func Origin(extractor int) string {
	return fmt.Sprintf("classifier %d, extractor %d", version, extractor)
}

// Properties returns the properties of the stored result for the model m.
func (m *Model) Properties(extractor int) map[string]string {
	b, err := json.Marshal(stored{m.Options.Method.String(), measures[m.Options.By], m.Report.Features, m.Options.Folds, m.URLs, m.Unnamed, m.sure, m.Report.Macro, m.Report.Micro, m.Report.Texts, m.Report.Sets})
	if err != nil {
		panic("classify: " + err.Error()) // Unreachable: all numbers are finite.
	}
	return map[string]string{propertyModel: string(b), PropertyMade: Origin(extractor)}
}

// Rows yields the rows of the stored result for the model m. urls are the URLs of the examples,
// sorted by key.
func (m *Model) Rows(urls []string) iter.Seq2[task.ResultRow, error] {
	return func(yield func(task.ResultRow, error) bool) {
		for k, c := range m.Report.Classes {
			val, err := json.Marshal(storedClass{c, m.bias[k]})
			if !yield(task.ResultRow{Key: binary.BigEndian.AppendUint32([]byte{classRow}, uint32(k)), Value: val}, err) || err != nil {
				return
			}
		}
		for _, u := range urls {
			if !yield(task.ResultRow{Key: append([]byte{urlRow}, urlkey.Key(u)...)}, nil) {
				return
			}
		}
		order := make([]uint32, m.words.Len())
		for f := range order {
			order[f] = uint32(f)
		}
		slices.SortFunc(order, func(a, b uint32) int { return strings.Compare(m.words.Word(a), m.words.Word(b)) })
		var row task.ResultRow
		for _, f := range order {
			row.Key = append(append(row.Key[:0], wordRow), m.words.Word(f)...)
			row.Value = binary.LittleEndian.AppendUint32(row.Value[:0], math.Float32bits(m.idf[f]))
			for _, w := range m.weights[int(f)*m.classes : (int(f)+1)*m.classes] {
				row.Value = binary.LittleEndian.AppendUint32(row.Value, math.Float32bits(w))
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}

// errDamaged is returned for a stored model that Rows and Properties did not make.
var errDamaged = errors.New("the stored classifier is damaged: TRAIN it again")

// About returns a Model with the options and the report of a stored model, but without its classes
// and weights. The error says that the properties are damaged.
func About(r *task.Result) (*Model, error) {
	var s stored
	if err := json.Unmarshal([]byte(r.Properties[propertyModel]), &s); err != nil {
		return nil, errDamaged
	}
	m := &Model{URLs: s.URLs, Unnamed: s.Unnamed, sure: s.Sure}
	m.Report.Features, m.Report.Macro, m.Report.Micro, m.Report.Texts, m.Report.Sets = s.Features, s.Macro, s.Micro, s.Texts, s.Sets
	m.Options.Folds = s.Folds
	if s.Method == Bayes.String() {
		m.Options.Method = Bayes
	}
	m.Options.By = Measure(max(slices.Index(measures[:], s.By), 0))
	return m, nil
}

// ParseClass returns the class that a row of ClassRows is about, and its bias. The error says
// that the row is damaged.
func ParseClass(row task.ResultRow) (c ClassReport, bias float64, err error) {
	var s storedClass
	if err := json.Unmarshal(row.Value, &s); err != nil {
		return c, 0, errDamaged
	}
	return s.ClassReport, s.Bias, nil
}

// Parse returns the model that the result r stores. rows are all its rows, and made is the text
// that Made returns in this program. The error says that the model is damaged, or that another
// version of the program made it.
func Parse(r *task.Result, rows []task.ResultRow, made string) (*Model, error) {
	if by := r.Properties[PropertyMade]; by != made {
		return nil, fmt.Errorf("classifier '%s' was made by another version of the program (%s; now %s): TRAIN it again", r.Name, by, made)
	}
	m, err := About(r)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if len(row.Key) == 0 {
			return nil, errDamaged
		}
		switch row.Key[0] {
		case classRow:
			c, bias, err := ParseClass(row)
			if err != nil {
				return nil, err
			}
			m.Report.Classes, m.bias = append(m.Report.Classes, c), append(m.bias, bias)
			m.classes++
		case wordRow:
			if len(row.Value) != 4*(m.classes+1) || m.classes < 2 {
				return nil, errDamaged
			}
			m.words.Number(bytes.Clone(row.Key[1:]))
			m.idf = append(m.idf, math.Float32frombits(binary.LittleEndian.Uint32(row.Value)))
			for at := 4; at < len(row.Value); at += 4 {
				m.weights = append(m.weights, math.Float32frombits(binary.LittleEndian.Uint32(row.Value[at:])))
			}
		}
	}
	if m.classes < 2 || m.words.Len() != len(m.idf) {
		return nil, errDamaged
	}
	return m, nil
}
