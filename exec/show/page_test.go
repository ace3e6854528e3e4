package show

import (
	"errors"
	"strings"
	"testing"

	"infomall/lang/ast"
	"infomall/store/record"
)

// TestLargePage shows that a body that comes in pieces is given raw, as far as
// it can be read, and in no other form.
func TestLargePage(t *testing.T) {
	broken := errors.New("disk on fire")
	p := record.Payload{Mime: "text/html", Size: record.LargeBody + 1}
	p.Large = func(yield func([]byte, error) bool) {
		_ = yield([]byte("one,"), nil) && yield([]byte("two"), nil) && yield(nil, broken)
	}
	body, err := pageForm(&ast.ShowPage{Form: ast.PageRaw}, &p)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	n, err := body.WriteTo(&got)
	if got.String() != "one,two" || n != 7 || !errors.Is(err, broken) {
		t.Errorf("got %q, %d bytes, error %v, want %q and %v", got.String(), n, err, "one,two", broken)
	}
	for _, form := range []ast.PageForm{ast.PageDefault, ast.PageHTML, ast.PageText} {
		if _, err := pageForm(&ast.ShowPage{Form: form}, &p); err == nil || !strings.Contains(err.Error(), "67108865 bytes (AS raw gives its bytes)") {
			t.Errorf("form %q: got error %v, want one about the size", form, err)
		}
	}
}
