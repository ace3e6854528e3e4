package markup

import (
	"testing"
)

// FuzzTargets holds Targets against Links, of which it is a part.
func FuzzTargets(f *testing.F) {
	for _, s := range []string{
		`<a href=x rel=nofollow>y<img src=z alt="w"></a><a>`, `<form><meta http-equiv=refresh content="0;url=a">`,
		`<link rel=stylesheet href=a><body background=b><a href>`, `<script>document.write("<a href=x>")</script><area href='&amp;'`, "<a href=\xb1\xb1>",
	} {
		f.Add([]byte(s), true)
	}
	f.Fuzz(func(t *testing.T, body []byte, utf8 bool) {
		charset := "gb18030"
		if utf8 {
			charset = "utf-8"
		}
		tree := NewTree(body)
		got, want := tree.Targets(charset), tree.Links(0, len(body), charset)
		if len(got) != len(want) {
			t.Fatalf("%d targets, %d links", len(got), len(want))
		}
		for i := range want {
			g, w := got[i], want[i]
			g.Anchor, g.Before, g.After, w.Anchor, w.Before, w.After = "", "", "", "", "", ""
			if g != w {
				t.Errorf("%d: target %+v, link %+v", i, g, w)
			}
		}
		for i, r := range tree.AppendTargets(nil, charset) {
			if w := want[i]; r.Kind != w.Kind || r.NoFollow != w.NoFollow || string(r.Target) != w.Target {
				t.Errorf("%d: reference %+v, link %+v", i, r, w)
			}
		}
	})
}

func BenchmarkTargets(b *testing.B) {
	for _, s := range samples(b) {
		b.Run(s.name, func(b *testing.B) {
			b.SetBytes(s.bytes())
			for b.Loop() {
				for _, body := range s.bodies {
					NewTree(body).Targets("utf-8")
				}
			}
		})
	}
}
