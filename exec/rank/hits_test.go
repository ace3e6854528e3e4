package rank

import "testing"

// TestArcWeight counts words in a link and beside it.
func TestArcWeight(t *testing.T) {
	for _, c := range []struct {
		before, anchor, after string
		words                 []string
		want                  float64
	}{
		{"jaguar cars ", "jaguar", " dealer jaguar", []string{"jaguar"}, 4},
		{"Jaguar CARS", "ＪＡＧＵＡＲ", "", []string{"jaguar", "cars"}, 4},
		{"北京大学", "北京大学图书馆", "", []string{"北京大学", "图书馆"}, 4},
		{"", "here", "", []string{"jaguar"}, 1},
	} {
		if got := arcWeight(c.before, c.anchor, c.after, c.words); got != c.want {
			t.Errorf("%q %q %q for %q: weight %v, want %v", c.before, c.anchor, c.after, c.words, got, c.want)
		}
	}
}
