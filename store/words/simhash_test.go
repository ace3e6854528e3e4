package words

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestSimhashSums checks the sums of the worked example: six bits, three
// features of weights 1, 2 and 4.
func TestSimhashSums(t *testing.T) {
	var s Simhash
	for i, f := range []uint64{0b100110, 0b110000, 0b001001} {
		s.feature(f, 1<<i)
	}
	s.settle()
	for i, want := range []int64{1, -5, -5, 1, -3, -1} { // lowest bit first
		if s.sum[i] != want {
			t.Errorf("sum of bit %d = %d, want %d", i, s.sum[i], want)
		}
	}
	if got := s.Sum() & 0b111111; got != 0b001001 {
		t.Errorf("Sum = %06b, want 001001", got)
	}
	if got := Distance(0b1110, 0b0100); got != 2 {
		t.Errorf("Distance(1110, 0100) = %d, want 2", got)
	}
}

func simhashOf(texts ...string) uint64 {
	var s Simhash
	for _, text := range texts {
		s.Add(text, 1)
	}
	return s.Sum()
}

func TestSimhash(t *testing.T) {
	if got := simhashOf("", " - "); got != 0 {
		t.Errorf("Simhash of no words = %x, want 0", got)
	}
	if simhashOf("one") == simhashOf("two") {
		t.Error("different words have one fingerprint")
	}
	if simhashOf("One TWO three four") != simhashOf("one, two: three four!") {
		t.Error("case and punctuation change the fingerprint")
	}
	long := "the quick brown fox jumps over the lazy dog and runs through the forest until the evening comes and all the other animals go home to sleep "
	chinese := "北京大学计算机系的同学们在网络实验室里收集和保存中国的网页从二零零一年开始直到今天已经保存了几十亿个网页"
	for _, text := range []string{long + long[20:] + long[50:], chinese} {
		if d := Distance(simhashOf(text), simhashOf(text+"x")); d > 12 {
			t.Errorf("one more word changes %d bits of %.20q", d, text)
		}
	}
	if d := Distance(simhashOf(long), simhashOf(chinese)); d < 16 {
		t.Errorf("unrelated texts differ in %d bits only", d)
	}
}

// TestSimhashVaries checks that no bits stand still, as they do with weak
// hashes.
func TestSimhashVaries(t *testing.T) {
	var ones, zeros uint64
	for i := range 1000 {
		h := simhashOf(string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + " " + string(rune('a'+i/676)))
		ones |= h
		zeros |= ^h
	}
	if ones != ^uint64(0) || zeros != ^uint64(0) {
		t.Errorf("bits that are ever 1: %x, ever 0: %x; want all", ones, zeros)
	}
}

// TestSimhashCounts adds features one by one and holds the fingerprint, which may
// be asked for at any time, against sums of each bit.
func TestSimhashCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s Simhash
		var sums [64]int64
		for range rapid.IntRange(0, 60).Draw(t, "features") {
			hash := rapid.Uint64().Draw(t, "feature")
			weight := rapid.SampledFrom([]int{1, 1, 1, 1, 1, 1, 4}).Draw(t, "weight")
			s.feature(hash, weight)
			for i := range sums {
				sums[i] += int64(weight) * (2*int64(hash>>i&1) - 1)
			}
			want := uint64(0)
			for i, n := range sums {
				if n > 0 {
					want |= 1 << i
				}
			}
			if rapid.Bool().Draw(t, "asked") {
				if got := s.Sum(); got != want {
					t.Fatalf("fingerprint %x, want %x", got, want)
				}
			}
		}
	})
}

// TestSimhashStays holds fingerprints of texts against what they were: they are
// stored, and compared with others made since.
func TestSimhashStays(t *testing.T) {
	for _, c := range []struct {
		text string
		want uint64
	}{
		{"The quick brown fox jumps over the lazy dog; the dog sleeps.", 0xc8091600e1570a26},
		{"It's 2008年6月: déjà-vu, kafka_2 中文", 0x886d078977827cf},
		{"物理系六月学术报告会预告：六月五日下午三时，在理科楼报告厅举行。北京大学2008届毕业典礼隆重举行", 0x9bb1ba85c2899171},
		{"これは日本語のテキスト、漢字かな交じり文です。々〇 Thai: ภาษาไทย 〡〢 ＡＢＣ１２３", 0xf7cde27c21046af9},
	} {
		if got := simhashOf(c.text); got != c.want {
			t.Errorf("fingerprint of %.30q = %#x, want %#x", c.text, got, c.want)
		}
	}
}

// TestSimhashPlain draws texts of many scripts and holds their words, and their
// fingerprints, against those made as they are defined: of three words, or of two
// letters that follow each other, or of what there is of a shorter run.
func TestSimhashPlain(t *testing.T) {
	pieces := []string{"a", "Bee", "_", "9", " ", ", ", "é", "Σ", "ß", "中", "文", "学", "，", "。", "、", "《", "：", "“", "—", "々", "〇", "〡", "か", "ー",
		"ไ", "ท", "Ａ", "３", "㐀", "\U00020000", "\u0301", "\xe4\xb8", "\xff", "\u00a0", "한", "ｱ", "\u2e80", "\u3000"}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 30).Draw(t, "text"), "")
		want, places, letter := plainWords(text)
		n := 0
		for at, w := range Of(text) {
			if n >= len(want) || w != want[n] || at != places[n] {
				t.Fatalf("word %d of %q is %q at %d, want %q at %v", n, text, w, at, want, places)
			}
			n++
		}
		if n != len(want) {
			t.Fatalf("%d words of %q, want %q", n, text, want)
		}
		var sums [64]int
		count := 0
		feature := func(words []string) {
			hashes := make([]uint64, len(words))
			for i, w := range words {
				hashes[i] = Hash(w)
			}
			count++
			for bit, h := 0, combine(hashes); bit < 64; bit++ {
				sums[bit] += 2*int(h>>bit&1) - 1
			}
		}
		for from := 0; from < len(want); {
			to := from + 1
			for to < len(want) && letter[to] == letter[from] && (!letter[to] || places[to] == places[to-1]+len(want[to-1])) {
				to++
			}
			length := 3
			if letter[from] {
				length = 2
			}
			length = min(length, to-from)
			for i := from; i+length <= to; i++ {
				feature(want[i : i+length])
			}
			from = to
		}
		sum := uint64(0)
		for bit, n := range sums {
			if n > 0 {
				sum |= 1 << bit
			}
		}
		if got := simhashOf(text); got != sum {
			t.Fatalf("fingerprint of %q, of %d features, is %x, want %x", text, count, got, sum)
		}
	})
}

// BenchmarkSimhash makes fingerprints of texts: some 200 MB/s of English on a
// shared Xeon, where adding features to the planes one by one made 120, and 225 to
// 290 of Chinese. That took three steps: letters decoded once and not looked up, from
// 75 to 110 MB/s; marks between sentences told from letters by a bit, and letters that
// follow each other added in a loop of their own, not by an iterator that is called
// for each, to what it is now. Two thirds of that is mixing hashes of two letters and
// counting them.
func BenchmarkSimhash(b *testing.B) {
	news := strings.Repeat("\n物理系六月学术报告会预告：六月五日下午三时，在理科楼报告厅举行。北京大学2008届毕业典礼隆重举行，校长出席并讲话。", 200)
	english := strings.Repeat("The physics department announces its June lectures. They begin at three o'clock in the science building. ", 200)
	for _, s := range []struct{ name, text string }{{"chinese", news}, {"english", english}} {
		b.Run(s.name, func(b *testing.B) {
			b.SetBytes(int64(len(s.text)))
			for b.Loop() {
				var h Simhash
				h.Add(s.text, 1)
			}
		})
	}
}
