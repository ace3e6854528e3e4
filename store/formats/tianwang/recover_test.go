package tianwang

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"infomall/store/record"
	"infomall/store/record/task"
)

var long = flag.Bool("long", false, "damage at every bit and in many more ways")

// recovered is what Recover gives of a file.
func recovered(t testing.TB, file []byte) []task.Recovered {
	t.Helper()
	var out []task.Recovered
	end := int64(0)
	for r, err := range Recover(t.Context(), bytes.NewReader(file), int64(len(file)), Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Offset < end || r.Length <= 0 || r.Offset+r.Length > int64(len(file)) {
			t.Fatalf("span %d+%d, want one behind %d within %d bytes", r.Offset, r.Length, end, len(file))
		}
		if (r.State == task.RecoverDamaged) != (r.Write == nil) {
			t.Fatalf("span at %d is %s and has Write: %v", r.Offset, r.State, r.Write != nil)
		}
		end = r.Offset + r.Length
		if r.Write != nil {
			var b bytes.Buffer
			if err := r.Write(&b); err != nil {
				t.Fatal(err)
			}
			got := b.Bytes()
			// The last line end of a file may be missing, and is then written.
			if want := file[r.Offset:end]; !bytes.Equal(got, want) && !(int(end) == len(file) && string(got) == string(want)+"\n") {
				t.Fatalf("span at %d: written are %d bytes, want the %d of the file", r.Offset, len(got), r.Length)
			}
		}
		out = append(out, r)
	}
	return out
}

// spans lists what is given: state, offset+length.
func spans(rs []task.Recovered) string {
	var b strings.Builder
	for _, r := range rs {
		fmt.Fprintf(&b, "%s %d+%d\n", r.State, r.Offset, r.Length)
	}
	return b.String()
}

// summed is a file of n records with checksums, and where each begins, with the
// end of the last.
func summed(t testing.TB, n int, zip bool) (file []byte, starts []int) {
	t.Helper()
	for i := range n {
		body := strings.Repeat(fmt.Sprintf("<p>page %d, %x</p>\n", i, i*i*7919), 2+i%5)
		r := Record{
			URL: fmt.Sprintf("http://www.x.cn/%d.htm", i), Time: record.Time(1050394386000 + i*61000), IP: "162.105.129.12",
			Data: []byte(httpOK + body), Compress: zip, Sum: true,
		}
		starts = append(starts, len(file))
		var err error
		if file, err = Append(file, &r); err != nil {
			t.Fatal(err)
		}
	}
	return file, append(starts, len(file))
}

// saved tells which of the records that begin at starts came back as they were;
// it fails the test if anything else came.
func saved(t testing.TB, what string, file []byte, rs []task.Recovered, starts []int, whole []byte) []bool {
	t.Helper()
	out := make([]bool, len(starts)-1)
	at := make(map[string]int)
	for i := range out {
		at[string(whole[starts[i]:starts[i+1]])] = i
	}
	for _, r := range rs {
		if r.Write == nil {
			continue
		}
		i, ok := at[string(file[r.Offset:r.Offset+r.Length])]
		if !ok && int(r.Offset+r.Length) == len(file) {
			i, ok = at[string(file[r.Offset:])+"\n"] // only the last line end was cut off
		}
		if !ok {
			t.Errorf("%s: what is %s at %d was never written so", what, r.State, r.Offset)
			continue
		}
		out[i] = true
	}
	return out
}

// TestRecoverFlips flips one bit at every byte of a file of 200 records: the
// record it touches is lost and reported, and no other. Without the option long, it does so
// at some bytes of each record, which are others in each run.
func TestRecoverFlips(t *testing.T) {
	for _, zip := range []bool{false, true} {
		whole, starts := summed(t, 200, zip)
		step := 1
		switch {
		case *long:
		case zip && !testing.Short():
			step = 3
		default:
			step = 7
		}
		first := rand.IntN(step)
		t.Logf("from byte %d on", first)
		for i := first; i < len(whole); i += step {
			hit := 0
			for starts[hit+1] <= i {
				hit++
			}
			// Three records on each side are enough for what is around.
			from, to := max(0, hit-3), min(len(starts)-1, hit+4)
			base := starts[from]
			local := make([]int, 0, to-from+1)
			for _, s := range starts[from : to+1] {
				local = append(local, s-base)
			}
			good := whole[base:starts[to]]
			bits := 1
			if *long {
				bits = 8
			}
			for b := range bits {
				bad := bytes.Clone(good)
				bad[i-base] ^= 1 << ((i + b) % 8)
				what := fmt.Sprintf("zip %v, byte %d of record %d, bit %d", zip, i-starts[hit], hit, (i+b)%8)
				rs := recovered(t, bad)
				for n, ok := range saved(t, what, bad, rs, local, good) {
					if ok != (n != hit-from) {
						t.Fatalf("%s: record %d saved: %v\n%s", what, from+n, ok, spans(rs))
					}
				}
			}
		}
	}
}

// TestRecoverFlipsWhole is TestRecoverFlips over all 200 records at once, at
// places drawn at random.
func TestRecoverFlipsWhole(t *testing.T) {
	whole, starts := summed(t, 200, true)
	rng := rand.New(rand.NewPCG(7, 8))
	for range 100 {
		i := rng.IntN(len(whole))
		bad := bytes.Clone(whole)
		bad[i] ^= 1 << rng.IntN(8)
		lost := 0
		for n, ok := range saved(t, fmt.Sprint("byte ", i), bad, recovered(t, bad), starts, whole) {
			if hit := starts[n] <= i && i < starts[n+1]; ok == hit {
				t.Errorf("byte %d: record %d saved: %v", i, n, ok)
			}
			if !ok {
				lost++
			}
		}
		if lost != 1 {
			t.Errorf("byte %d: %d records lost, want 1", i, lost)
		}
	}
}

// TestRecoverWithoutSums flips bits of records that have no checksum. What is
// compressed never comes back changed; of the head, the values of url and date
// may, and what is said of ip.
func TestRecoverWithoutSums(t *testing.T) {
	whole, starts := sample(t, 7, true, false)
	for i := range whole {
		hit := 0
		for starts[hit+1] <= i {
			hit++
		}
		bad := bytes.Clone(whole)
		bad[i] ^= 1 << (i % 8)
		value := false
		for _, name := range []string{"url: ", "date: ", "ip"} {
			from := starts[hit] + bytes.Index(whole[starts[hit]:], []byte("\n"+name)) + 1 + len(name)
			if name == "ip" {
				from -= len(name)
			}
			value = value || i >= from && i < from+bytes.IndexByte(whole[from:], '\n')
		}
		same := func(r task.Recovered) bool { // bits that pad compressed data say nothing
			a := read(t, bad[r.Offset:r.Offset+r.Length], Options{})
			b := read(t, whole[starts[hit]:starts[hit+1]], Options{})
			return len(a) == 1 && a[0].Capture != nil && reflect.DeepEqual(a[0].Capture, b[0].Capture)
		}
		for _, r := range recovered(t, bad) {
			if int(r.Offset) != starts[hit] && r.State == task.RecoverDamaged {
				t.Errorf("byte %d of record %d: the record at %d is lost", i-starts[hit], hit, r.Offset)
			}
			if int(r.Offset) == starts[hit] && r.State != task.RecoverDamaged && !value && !same(r) {
				t.Errorf("byte %d of record %d is %q: it is served as good", i-starts[hit], hit, bad[i])
			}
		}
	}
}

// TestRecoverTwoHeads damages two heads one to three records apart: the records
// between come back, and say how.
func TestRecoverTwoHeads(t *testing.T) {
	for _, c := range []struct {
		zip, length, sums bool
	}{{zip: true}, {length: true}, {}, {sums: true}, {sums: true, zip: true}} {
		var whole []byte
		var starts []int
		if c.sums {
			whole, starts = summed(t, 12, c.zip)
		} else {
			whole, starts = sample(t, 12, c.zip, c.length)
		}
		rng := rand.New(rand.NewPCG(9, 10))
		rounds := 300
		if *long {
			rounds = 20_000
		}
		for range rounds {
			first := rng.IntN(8)
			second := first + 1 + rng.IntN(3)
			bad := bytes.Clone(whole)
			for _, n := range []int{first, second} {
				// The name of url and length, or what parts them from their values.
				names := []string{"version", "\nurl:", "\ndate:", "\nlength:"}
				i := starts[n] + bytes.Index(whole[starts[n]:], []byte(names[rng.IntN(4)])) + 1 + rng.IntN(3)
				bad[i] = "\x00*{A"[rng.IntN(4)]
			}
			what := fmt.Sprintf("%+v: heads of %d and %d damaged", c, first, second)
			rs := recovered(t, bad)
			for n, ok := range saved(t, what, bad, rs, starts, whole) {
				if ok != (n != first && n != second) {
					t.Fatalf("%s: record %d saved: %v\n%s", what, n, ok, spans(rs))
				}
			}
			for _, r := range rs {
				want := task.RecoverChained
				if int(r.Offset) > starts[first] && int(r.Offset) < starts[second] || int(r.Offset) < starts[first] && first < 3 {
					want = task.RecoverConfirmed
				}
				if r.Write != nil && r.State != want {
					t.Fatalf("%s: record at %d is %s, want %s", what, r.Offset, r.State, want)
				}
			}
		}
	}
}

// TestRecoverFragment goes through fragments cut at both ends: every whole
// record comes back, and nothing that never was.
func TestRecoverFragment(t *testing.T) {
	for _, c := range []struct{ zip, length bool }{{true, false}, {false, true}, {false, false}} {
		whole, starts := sample(t, 6, c.zip, c.length)
		rng := rand.New(rand.NewPCG(11, 12))
		rounds := 1500
		if *long {
			rounds = 50_000
		}
		for range rounds {
			i := rng.IntN(len(whole))
			j := i + 1 + rng.IntN(len(whole)-i)
			part := whole[i:j]
			what := fmt.Sprintf("%+v: bytes %d to %d", c, i, j)
			rs := recovered(t, part)
			for n, ok := range saved(t, what, part, rs, starts, whole) {
				if want := starts[n] >= i && starts[n+1] <= j; ok != want && starts[n+1] != j+1 {
					t.Fatalf("%s: record %d saved: %v, want %v\n%s", what, n, ok, want, spans(rs))
				}
			}
		}
	}
}

// TestRecoverSpans shows what becomes of files, span by span.
func TestRecoverSpans(t *testing.T) {
	rec := func(url string) string { return packed(t, url, httpOK+"page") }
	crlf := func(r string) string {
		head, data, _ := strings.Cut(r, "\n\n")
		head = strings.Replace(head, "date:", "time:", 1)
		return strings.ReplaceAll(head, "\n", "\r\n") + "\r\n\r\n" + data
	}
	a, b, d := rec("http://a.cn/"), rec("http://b.cn/"), rec("http://d.cn/")
	e := strings.Replace(a, "url", "usl", 1)
	about := plain("http://about.cn/", httpOK+"<pre>"+plain("http://x.cn/", httpOK+"X")+plain("http://y.cn/", httpOK+"Y")+"</pre>")
	empty := "version: 1.0\nurl: http://e.cn/\ndate: Tue, 15 Apr 2003 08:13:06 GMT\nunzip-length: 5\nlength: 0\n\n\n"
	for _, c := range []struct{ name, file, want string }{
		{"empty", "", ""},
		{"three", a + b + d, "chained chained chained"},
		{"one", a, "chained"},
		{"one, and the beginning of another", a + b[:30], "confirmed damaged"},
		{"the end of one, and another", a[50:] + b, "damaged chained"},
		{"one alone between two damaged", e + b + e, "damaged confirmed damaged"},
		{"a page with records in it", a + about + b, "chained chained chained"},
		{"the same, its head damaged", a + strings.Replace(about, "url", "usl", 1) + b, "confirmed damaged chained"},
		{"of a writer that failed to compress", a + empty + b, "chained chained chained"},
		{"wrong weekday", a + b + strings.Replace(d, "Tue", "Wed", 1) + a, "chained chained damaged chained"},
		{"heads that end in CR LF, and time", crlf(a) + crlf(b) + crlf(d), "chained chained chained"},
		{"the same in front of others", crlf(a) + crlf(b) + crlf(d) + a + b + d, "chained chained chained chained chained chained"},
		{"the same, one alone", "junk" + crlf(a) + "junk", "damaged confirmed damaged"},
		{"one of the other kind among many is damage", a + b + d + crlf(a) + a + b + d, "chained chained chained damaged chained chained chained"},
		{"zeros", a + strings.Repeat("\x00", 3000) + b, "confirmed damaged chained"},
		{"no records", "<html></html>", "damaged"},
	} {
		var got []string
		for _, r := range recovered(t, []byte(c.file)) {
			got = append(got, r.State.String())
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.name, got, c.want)
		}
	}
}

// TestRecoverReport shows what is said of a damaged record.
func TestRecoverReport(t *testing.T) {
	whole, starts := summed(t, 5, true)
	whole[starts[3]-10] ^= 4
	rs := recovered(t, whole)
	if len(rs) != 5 || rs[2].State != task.RecoverDamaged || rs[2].URL != "http://www.x.cn/2.htm" ||
		rs[2].Time.Std().Format("15:04:05") != "08:15:08" || !strings.Contains(rs[2].What, "crc32c is ") {
		t.Errorf("got %+v", rs)
	}
}

// TestRecoverMade goes through a file made up so that each head covers all that
// follows: it must not take the square of its size.
func TestRecoverMade(t *testing.T) {
	var b bytes.Buffer
	for i := range 5_000 {
		fmt.Fprintf(&b, "version: 1.0\nurl: x\ndate: Tue, 15 Apr 2003 08:13:06 GMT\nunzip-length: 99\nlength: %d\n\n", 1_000_000+i)
	}
	for _, err := range Recover(t.Context(), bytes.NewReader(b.Bytes()), int64(b.Len()), Options{}) {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func FuzzRecover(f *testing.F) {
	file, _ := sample(f, 4, false, true)
	f.Add(file)
	zipped, _ := summed(f, 4, true)
	f.Add(zipped)
	f.Add([]byte("version: 1.0\r\nurl: x\r\ntime: 1 Jan 99 1:00\r\nlength: 9999999999999\r\n\r\nx"))
	f.Fuzz(func(t *testing.T, file []byte) { recovered(t, file) })
}

// counted counts the bytes that are read from it.
type counted struct {
	*bytes.Reader
	bytes int
}

func (c *counted) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.Reader.ReadAt(p, off)
	c.bytes += n
	return n, err
}

// TestRecoverReadsOnce recovers files without chains. Recover must not search the rest of the
// file again after each record or damaged span.
func TestRecoverReadsOnce(t *testing.T) {
	data := "HTTP/1.1 200 OK\r\n\r\n" + strings.Repeat("x", 1000)
	for _, c := range []struct{ name, record string }{
		{"heads without a URL", fmt.Sprintf("version: 1.0\nlength: %d\n\n%s\n", len(data), data)},
		{"tolerated records between damage", fmt.Sprintf("version: 1.0\r\nurl: http://a/\r\ndate: Tue, 15 Apr 2003 08:13:06 GMT\r\nlength: %d\r\n\r\n%s\r\n\x01damaged\n", len(data), data)},
	} {
		file := strings.Repeat(c.record, 1000)
		in := &counted{Reader: bytes.NewReader([]byte(file))}
		for _, err := range Recover(t.Context(), in, int64(len(file)), Options{}) {
			if err != nil {
				t.Fatal(err)
			}
		}
		if most := 100 * len(file); in.bytes > most {
			t.Errorf("%s: read %d bytes of a file of %d, want at most %d", c.name, in.bytes, len(file), most)
		}
	}
}
