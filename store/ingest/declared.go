package ingest

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base32"
	"encoding/hex"
	"fmt"
	"hash"
	"iter"
	"strings"

	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/record/task"
)

// declared checks the declared digest of capture c. Such a digest may be that of the body, of the
// body as transferred, or of the whole record; declared counts in res which of these it is. If it
// is none of them, declared adds a mismatch to res, and the capture is imported all the same. An
// error means that the body could not be read. declared does not check truncated captures and
// revisits.
func declared(c *record.Capture, res *task.ImportResult) error {
	if c.DeclaredDigest == "" || c.Truncated || c.Via == record.ViaRevisit || c.Via == record.ViaNotModified {
		return nil
	}
	newHash, want := digestOf(c.DeclaredDigest)
	if newHash == nil {
		res.Digests.Unknown++
		return nil
	}
	s := message.Stored{Capture: *c}
	if c.Spool != nil {
		s.Large = c.Spool.Pieces()
	}
	body := newHash()
	if err := sumOf(body, s.Entity()); err != nil {
		return err
	}
	got := body.Sum(nil)
	if string(got) == want {
		res.Digests.Body++
		return nil
	}
	if len(c.Framing) > 0 {
		wire := newHash()
		if err := sumOf(wire, s.Wire()); err != nil {
			return err
		}
		if string(wire.Sum(nil)) == want {
			res.Digests.Wire++
			return nil
		}
	}
	block := newHash()
	block.Write(c.Head)
	if err := sumOf(block, s.Wire()); err != nil {
		return err
	}
	if string(block.Sum(nil)) == want {
		res.Digests.Record++
		return nil
	}
	res.Digests.Wrong++
	if len(res.Mismatches) < task.DamagesKept {
		res.Mismatches = append(res.Mismatches, task.Damage{Offset: c.Offset, Why: fmt.Sprintf(
			"the digest of %s is declared as %.80s, but is %s", c.AskedURL, c.DeclaredDigest, likeDeclared(c.DeclaredDigest, got))})
	}
	return nil
}

// hashes are the hash algorithms that a declared digest may name.
var hashes = map[string]func() hash.Hash{"md5": md5.New, "sha1": sha1.New, "sha256": sha256.New, "sha512": sha512.New}

// digestOf parses a digest such as "sha1:BASE32" or "md5:hex". It returns the hash
// algorithm and the raw digest. newHash is nil if text is not a digest. If text
// names no algorithm, as in ARC files, the length of the digest decides.
func digestOf(text string) (newHash func() hash.Hash, sum string) {
	name, digits, named := strings.Cut(text, ":")
	if !named {
		name, digits = "", text
	}
	name = strings.ReplaceAll(strings.ToLower(name), "-", "")
	for _, decode := range []func(string) ([]byte, error){hex.DecodeString, unpadded} {
		b, err := decode(digits)
		if err != nil {
			continue
		}
		for known, h := range hashes {
			if h().Size() == len(b) && (known == name || !named) {
				return h, string(b)
			}
		}
	}
	return nil, ""
}

// base32Digits is the encoding of digests in WARC files.
var base32Digits = base32.StdEncoding.WithPadding(base32.NoPadding)

func unpadded(s string) ([]byte, error) {
	return base32Digits.DecodeString(strings.ToUpper(strings.TrimRight(s, "=")))
}

// likeDeclared formats the digest sum in the notation of a declared digest, text: with
// or without the name of the algorithm, in hexadecimal or base32, such as
// "sha1:BASE32".
func likeDeclared(text string, sum []byte) string {
	name, digits, named := strings.Cut(text, ":")
	if !named {
		name, digits = "", text
	} else {
		name += ":"
	}
	if len(digits) == hex.EncodedLen(len(sum)) {
		return name + hex.EncodeToString(sum)
	}
	return name + base32Digits.EncodeToString(sum)
}

// sumOf writes all pieces of a body to the hash h.
func sumOf(h hash.Hash, pieces iter.Seq2[[]byte, error]) error {
	for b, err := range pieces {
		if err != nil {
			return err
		}
		h.Write(b)
	}
	return nil
}
