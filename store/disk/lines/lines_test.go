package lines

import (
	"bytes"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	"infomall/store/disk"
)

var errTest = errors.New("damaged")

// written is a file with a field of each form, and bytes of any kind after a line.
func written() []byte {
	b := Append(New("test"), "mixed", int64(-5), uint32(7), Quoted("a\tb\n\"c\""), Hex(0xab), []uint32{3, 70}, "plain")
	b = Append(b, "empty", "", []uint32(nil))
	b = append(Append(b, "bytes", 4), "\n\t\x00x\n"...)
	return Seal(Append(b, "end"))
}

// visit reads what written wrote. It returns the error of the reader.
func visit(t *testing.T, b []byte) error {
	r, err := Open(b, "test", errTest)
	if err != nil {
		return err
	}
	var seen []string
	for r.Next() {
		name := r.Text()
		seen = append(seen, name)
		switch name {
		case "mixed":
			n, u, q, h, ids, s := r.Int(), r.Uint(), r.Quoted(), r.Sum(), r.IDs(), r.Text()
			if n != -5 || u != 7 || q != "a\tb\n\"c\"" || h != 0xab || !slices.Equal(ids, []uint32{3, 70}) || s != "plain" {
				t.Errorf("got %d %d %q %x %d %q", n, u, q, h, ids, s)
			}
		case "empty":
			if s, ids := r.Text(), r.IDs(); s != "" || ids != nil {
				t.Errorf("got %q and %d, want nothing", s, ids)
			}
		case "bytes":
			if got := r.Bytes(r.Uint()); string(got) != "\n\t\x00x" {
				t.Errorf("got bytes %q", got)
			}
		case "end":
		default:
			r.Fail()
		}
	}
	if err := r.Err(); err != nil {
		return err
	}
	if got := strings.Join(seen, " "); got != "mixed empty bytes end" {
		t.Errorf("got lines %s", got)
	}
	return nil
}

// TestRoundTrip writes fields of each form and reads them again. A flip of any bit,
// and a cut at any byte, is an error.
func TestRoundTrip(t *testing.T) {
	b := written()
	want := "infomall test\tdraft 1\nmixed\t-5\t7\t\"a\\tb\\n\\\"c\\\"\"\t000000ab\t3 70\tplain\nempty\t\t\nbytes\t4\n\n\t\x00x\nend\ncrc32c\t"
	if !strings.HasPrefix(string(b), want) {
		t.Errorf("wrote %q, want %q", b, want)
	}
	if err := visit(t, b); err != nil {
		t.Error(err)
	}
	for i := range b {
		for bit := range 8 {
			flipped := bytes.Clone(b)
			flipped[i] ^= 1 << bit
			if err := visit(t, flipped); err == nil {
				t.Errorf("bit %d of byte %d: no error", bit, i)
			}
		}
		if err := visit(t, b[:i]); !errors.Is(err, errTest) {
			t.Errorf("cut at %d: got %v", i, err)
		}
	}
	other := strings.Replace(string(b), disk.Format, "draft 9", 1)
	if err := visit(t, []byte(other)); !errors.As(err, new(*disk.FormatError)) {
		t.Errorf("another format: got %v", err)
	}
}

// TestWrongFields seals lines whose fields are not of the expected form, too few or
// too many.
func TestWrongFields(t *testing.T) {
	for _, c := range []struct {
		line string
		read func(*Reader)
	}{
		{"x", func(r *Reader) { r.Int() }},
		{"-1", func(r *Reader) { r.Uint() }},
		{"1ffffffff", func(r *Reader) { r.Sum() }},
		{"x", func(r *Reader) { r.Quoted() }},
		{"1 x", func(r *Reader) { r.IDs() }},
		{"4294967296", func(r *Reader) { r.IDs() }},
		{"a", func(r *Reader) { r.Text(); r.Text() }},
		{"a\tb", func(r *Reader) { r.Text() }},
		{"4", func(r *Reader) { r.Bytes(r.Uint()) }},
	} {
		for _, further := range []string{"", "a line\n"} {
			r, err := Open(Seal([]byte(string(New("test"))+c.line+"\n"+further)), "test", errTest)
			if err != nil {
				t.Fatal(err)
			}
			r.Next()
			c.read(r)
			if r.Next() || !errors.Is(r.Err(), errTest) {
				t.Errorf("%q, then %q: got %v", c.line, further, r.Err())
			}
		}
	}
	r, err := OpenList(Seal([]byte("a line without an end")), errTest)
	if err == nil && r.Next() {
		r.Text()
		err = r.Err()
	}
	if !errors.Is(err, errTest) {
		t.Errorf("a line without an end: got %v", err)
	}
}

// TestSummedLine writes a line with a checksum of its own, after another line, and
// reads it again. A flip of any bit is an error.
func TestSummedLine(t *testing.T) {
	first := AppendSummed(nil, "other")
	line := strings.TrimSuffix(string(AppendSummed(first, "a", Quoted("b\t"), 5)[len(first):]), "\n")
	r, err := OpenLine(line, errTest)
	if err != nil {
		t.Fatal(err)
	}
	if a, b, n := r.Text(), r.Quoted(), r.Int(); a != "a" || b != "b\t" || n != 5 || r.Err() != nil {
		t.Errorf("got %q, %q, %d, %v", a, b, n, r.Err())
	}
	for i := range line {
		for bit := range 8 {
			flipped := []byte(line)
			flipped[i] ^= 1 << bit
			if _, err := OpenLine(string(flipped), errTest); err == nil {
				t.Errorf("bit %d of byte %d: no error", bit, i)
			}
		}
	}
	if _, err := OpenLine("", errTest); err == nil {
		t.Error("an empty line: no error")
	}
}

// TestFieldAlone shows that a field that is kept does not keep the other lines of the file in
// memory: caches keep names out of catalogues that are long out of force.
func TestFieldAlone(t *testing.T) {
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	const long = 16 << 20
	read := func() string {
		b := Append(New("test"), "name", "kept")
		b = Append(b, "long", strings.Repeat("x", long))
		r, err := Open(Seal(b), "test", errTest)
		if err != nil || !r.Next() || r.Text() != "name" {
			t.Fatalf("the first line is not read, %v", err)
		}
		return r.Text()
	}
	before := heap()
	name := read()
	if after := heap(); after > before+long/2 {
		t.Errorf("the field %q keeps %d bytes in memory", name, after-before)
	}
	if name != "kept" {
		t.Errorf("the field is %q", name)
	}
}
