package block

import (
	"archive/tar"
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"infomall/store/page/markup"
	"infomall/store/record"
	"infomall/store/words"
)

// shared returns the folder of test data, and skips the test where there is
// none.
func shared(t testing.TB) string {
	t.Helper()
	root := sharedRoot()
	if root == "" {
		t.Skip("no test data beside the checkout (INFOMALL_SHARED names its folder)")
	}
	return root
}

// sharedRoot is the folder of test data that lies beside the checkout, or is
// named by INFOMALL_SHARED; "" where there is none.
func sharedRoot() string {
	root := os.Getenv("INFOMALL_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared")
	}
	root = filepath.Join(root, "data")
	if _, err := os.Stat(root); err != nil {
		return ""
	}
	return root
}

// tarBodies reads the files of a zstd-compressed tar whose name ends in
// suffix.
func tarBodies(t testing.TB, path, suffix string) [][]byte {
	t.Helper()
	_, bodies := tarFiles(t, path, suffix)
	return bodies
}

func tarFiles(t testing.TB, path, suffix string) (names []string, bodies [][]byte) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(bufio.NewReader(f), zstd.WithDecoderMaxWindow(1<<27))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return names, bodies
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag != tar.TypeReg || !strings.HasSuffix(h.Name, suffix) {
			continue
		}
		body, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		names, bodies = append(names, h.Name), append(bodies, body)
	}
}

// bundleBodies calls f with every file that any commit of a git bundle has.
func bundleBodies(t *testing.T, bundle string, f func(body []byte)) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skipf("no git to read the bundle with: %v", err)
	}
	repo := filepath.Join(t.TempDir(), "r.git")
	if out, err := exec.Command("git", "clone", "-q", "--bare", bundle, repo).CombinedOutput(); err != nil {
		t.Fatalf("clone %s: %v\n%s", bundle, err, out)
	}
	cmd := exec.Command("git", "-C", repo, "cat-file", "--batch", "--batch-all-objects", "--unordered")
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for r := bufio.NewReaderSize(pipe, 1<<20); ; {
		head, err := r.ReadString('\n')
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		fields := strings.Fields(head) // name, type, size
		size, err := strconv.Atoi(fields[2])
		if err != nil {
			t.Fatal(err)
		}
		body := make([]byte, size+1)
		if _, err := io.ReadFull(r, body); err != nil {
			t.Fatal(err)
		}
		if fields[1] == "blob" {
			f(body[:size])
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
}

// TestSharedSites divides every version of every page of the real sites and
// puts it together again. All words that a page shows are in its leaves, and
// bodies with the same leaves, be it in another order, show the same words: a
// version whose words came or went has a block that says so.
func TestSharedSites(t *testing.T) {
	bundles, _ := filepath.Glob(filepath.Join(shared(t), "sites", "*.bundle"))
	for _, bundle := range bundles {
		t.Run(filepath.Base(bundle), func(t *testing.T) {
			n, size, leaves := 0, 0, 0
			shown := map[record.Digest]uint64{} // words, by what the leaves are
			bundleBodies(t, bundle, func(body []byte) {
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
	err := filepath.WalkDir(shared(t), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasSuffix(path, ".bundle") {
			return err
		}
		if strings.HasSuffix(path, ".tar.zst") {
			for _, body := range tarBodies(t, path, "") {
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
