package pdf

import (
	"runtime"
	"strings"
	"testing"
)

// TestJoinLines joins the lines of rows that PDFium ended after each letter.
func TestJoinLines(t *testing.T) {
	at := func(text string, left, base float64, fromRight bool) line {
		return line{text: text, extent: extent{left, left + 5}, base: base, size: 10, fromRight: fromRight}
	}
	rows := joinLines([]line{
		at("a", 0, 50, false), at("b", 5, 50, false), at("c", 14, 50, false),
		at("x", 0, 30, false), at("far", 90, 30, false),
		at("1", 40, 10, true), at("2", 35, 10, true), at("3", 45, 10, true), at("4", 26, 10, true),
	})
	var got []string
	for _, l := range rows {
		got = append(got, l.text)
	}
	if got := strings.Join(got, "|"); got != "ab c|x|far|312 4" {
		t.Errorf("rows: %s", got)
	}
}

// TestLongRow joins rows of many letters. The memory does not grow with the square of their number.
func TestLongRow(t *testing.T) {
	const letters = 20_000
	for _, step := range []float64{5, -5} {
		lines := make([]line, letters)
		for i := range lines {
			left := step * float64(i)
			lines[i] = line{text: "a", extent: extent{left, left + 5}, size: 10, fromRight: step < 0}
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		rows := joinLines(lines)
		runtime.ReadMemStats(&after)
		// To join them one by one takes 200 MB.
		if used := after.TotalAlloc - before.TotalAlloc; len(rows) != 1 || len(rows[0].text) != letters || used > 20<<20 {
			t.Errorf("step %v: %d rows, %d bytes of memory", step, len(rows), used)
		}
	}
}
