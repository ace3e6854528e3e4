package draw

import (
	"strings"
	"testing"

	"infomall/store/block/life"
)

// TestWordLines shows the lines of edited texts.
func TestWordLines(t *testing.T) {
	long := strings.Repeat("长文", 60)
	for _, c := range []struct{ old, new, want string }{
		{"", "", ""},
		{"a b", "a b", ""},
		{"a\tb\nc", "a b\nc", ""},
		{"a b c", "a x c", "a [-b-] {+x+} c"},
		{"a c", "a b c", "a {+b+} c"},
		{"a b", "a", "a [-b-]"},
		{"one\ntwo\nthree", "one\n2\nthree", "…|[-two-]{+2+}|…"},
		{"one\ntwo\nthree\nfour", "one\ntwo\nthree\n4", "…|[-four-]{+4+}"},
		{"one\nfour", "one\ntwo\nthree\nfour", "…|{+two+}|{+three+}|…"},
		{"电话：2317（工作日）。", "电话：2317、2318（工作日）。", "电话：2317{+、2318+}（工作日）。"},
		{"学生注册\t2月25日\n其他", "新生报到\t9月1日\n其他", "[-学生注册\t2月25-]{+新生报到\t9月1+}日|…"},
		{long + " old " + long, long + " new " + long,
			"…" + strings.Repeat("长文", 20) + " [-old-] {+new+} " + strings.Repeat("长文", 20)[:len("长文")*20-len("文")] + "…"},
	} {
		if got := strings.Join(wordLines(life.Diff(c.old, c.new), plainMarks), "|"); got != c.want {
			t.Errorf("%.40q to %.40q\ngot  %s\nwant %s", c.old, c.new, got, c.want)
		}
	}
}

// FuzzWordLines shows that there are lines exactly if words changed.
func FuzzWordLines(f *testing.F) {
	f.Add("one\ntwo three", "one\n2 three\n\n")
	f.Add("北京大学 校园新闻", "北京 校园\t新闻")
	f.Add("a{+b+}", "[-a-]")
	f.Fuzz(func(t *testing.T, old, new string) {
		edits := life.Diff(old, new)
		changed := false
		for _, e := range edits {
			changed = changed || e.Op != life.Same && strings.TrimSpace(e.Text) != ""
		}
		if lines := wordLines(edits, plainMarks); len(lines) > 0 != changed {
			t.Errorf("%q to %q: got %q, want lines: %v", old, new, lines, changed)
		}
	})
}
