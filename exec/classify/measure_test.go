package classify

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"
)

// TestMeasure prints how well both methods do on examples from real sites. It needs the
// variable INFOMALL_CLASSES: names of files, separated by blanks, with one JSON object
// {"class": …, "text": …} per line. It writes the counts, classes and folds to NAME.dump, so
// that other programs can be measured on the same matrix.
func TestMeasure(t *testing.T) {
	files := os.Getenv("INFOMALL_CLASSES")
	if files == "" {
		t.Skip("INFOMALL_CLASSES names no files with examples to measure")
	}
	for _, name := range strings.Fields(files) {
		c := readExamples(t, name)
		writeDump(t, c, name+".dump")
		for _, o := range []Options{{Method: Bayes}, {Method: SVM}, {Method: SVM, Features: 2000}, {Method: SVM, Features: 2000, By: Gain}} {
			o.Folds, o.Memory = 5, math.MaxInt64
			begun := time.Now()
			_, r, err := c.Train(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Printf("%s %v features %d by %d: macro F1 %.4f, micro %.4f, %d texts in %d sets, %d features, %v\n",
				name, o.Method, o.Features, o.By, r.Macro.F1, r.Micro.F1, r.Texts, r.Sets, r.Features, time.Since(begun).Round(time.Millisecond))
		}
	}
}

// readExamples returns the examples of a file.
func readExamples(t *testing.T, name string) *Corpus {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := NewCorpus(math.MaxInt64)
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var x struct{ Class, Text string }
		if err := json.Unmarshal(lines.Bytes(), &x); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Add(x.Text, x.Class, ""); err != nil {
			t.Fatal(err)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return c
}

// writeDump writes the class, the fold and the counts of each example.
func writeDump(t *testing.T, c *Corpus, name string) {
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(f)
	rows := c.rows()
	fold, _, _ := c.folds(t.Context(), rows, c.class, 5)
	for n, i := range rows {
		fmt.Fprintf(w, "%d\t%d\t", c.class[i], fold[n])
		v := c.counts.Row(i)
		for j, f := range v.Words {
			fmt.Fprintf(w, "%d:%g ", f, v.Values[j])
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
