package divide

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"infomall/store/page/markup"
	"infomall/store/page/pagetest"
	"infomall/store/record"
	"infomall/store/words"
)

// sharedEvery is how many bodies of a site there are for each that TestSharedSites
// divides.
var sharedEvery = flag.Int("shared.every", 4, "TestSharedSites divides one in so many versions of the pages of real sites; 1 divides all")

// TestSharedSites divides versions of every page of the real sites and
// puts them together again. All words that a page shows are in its leaves, and
// bodies with the same leaves, also in another order, show the same words: a
// version whose words came or went has a block that says so.
func TestSharedSites(t *testing.T) {
	bundles, _ := filepath.Glob(filepath.Join(pagetest.Shared(t), "sites", "*.bundle"))
	for _, bundle := range bundles {
		t.Run(filepath.Base(bundle), func(t *testing.T) {
			n, size, leaves, read := 0, 0, 0, 0
			shown := map[record.Digest]uint64{} // words, by what the leaves are
			pagetest.Bundle(t, bundle, func(body []byte) {
				if read++; read%*sharedEvery != 0 {
					return
				}
				tree := Divide(markup.NewTree(body), Options{})
				checkTree(t, tree)
				n++
				size += len(body)
				cut := tree.Cut(0)
				leaves += len(cut)
				if len(cut) == 0 {
					return // One block as a whole: any byte that differs is an edit of it.
				}
				all := wordSum(tree.Page.Text("utf-8"))
				inLeaves := uint64(0)
				var digests []byte
				for _, leaf := range sortedByBytes(tree, cut) {
					b := tree.Blocks[leaf]
					inLeaves += wordSum(tree.Page.TextRange(b.Start, b.End, "utf-8"))
					sum := sha256.Sum256(tree.Bytes(leaf))
					digests = append(digests, sum[:]...)
				}
				if inLeaves != all {
					t.Errorf("a page of %d bytes shows words that are in no leaf: %.80q", len(body), body)
				}
				content := record.Digest(sha256.Sum256(digests))
				if before, ok := shown[content]; ok && before != all {
					t.Errorf("a page of %d bytes has the leaves of another and not its words: %.80q", len(body), body)
				}
				shown[content] = all
			})
			t.Logf("%d bodies, %d bytes, %d leaves", n, size, leaves)
		})
	}
}

var wordSeed = maphash.MakeSeed()

// wordSum is a fingerprint of the words of a text, whatever their order.
func wordSum(text string) (sum uint64) {
	for _, w := range words.Of(text) {
		sum += maphash.String(wordSeed, w)
	}
	return sum
}

// sortedByBytes is a list of blocks in an order that tells nothing of where
// they stand.
func sortedByBytes(t *Tree, list []int) []int {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b int) int { return bytes.Compare(t.Bytes(a), t.Bytes(b)) })
	return list
}

// TestSharedFiles divides everything else among the test data, page or not.
func TestSharedFiles(t *testing.T) {
	n, size := 0, 0
	try := func(body []byte) {
		divideBoth(t, body)
		n++
		size += len(body)
	}
	err := filepath.WalkDir(pagetest.Shared(t), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasSuffix(path, ".bundle") {
			return err
		}
		if strings.HasSuffix(path, ".tar.zst") {
			for _, body := range pagetest.Bodies(t, path, "") {
				try(body)
			}
			return nil
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("read test data: %w", err)
		}
		try(body)
		if z, err := gzip.NewReader(strings.NewReader(string(body))); err == nil {
			plain, _ := io.ReadAll(z) // Damaged ones give what they can.
			try(plain)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d files, %d bytes", n, size)
}
