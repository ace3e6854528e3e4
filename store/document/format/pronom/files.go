package pronom

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
)

// signatureFile is the content of an XML file with signatures.
type signatureFile struct {
	Version    string          `xml:"Version,attr"`
	Created    string          `xml:"DateCreated,attr"`
	Signatures []xmlSignature  `xml:"InternalSignatureCollection>InternalSignature"`
	Formats    []xmlFileFormat `xml:"FileFormatCollection>FileFormat"`
}

// containerFile is the content of an XML file with container signatures.
type containerFile struct {
	Version    string `xml:"signatureVersion,attr"`
	Containers []struct {
		ID    string `xml:"Id,attr"`
		Type  string `xml:"ContainerType,attr"`
		Files []struct {
			Path       string         `xml:"Path"`
			Signatures []xmlSignature `xml:"BinarySignatures>InternalSignatureCollection>InternalSignature"`
		} `xml:"Files>File"`
	} `xml:"ContainerSignatures>ContainerSignature"`
	Mappings []struct {
		ID   string `xml:"signatureId,attr"`
		PUID string `xml:"Puid,attr"`
	} `xml:"FileFormatMappings>FileFormatMapping"`
}

type xmlFileFormat struct {
	ID         string   `xml:"ID,attr"`
	PUID       string   `xml:"PUID,attr"`
	Name       string   `xml:"Name,attr"`
	Version    string   `xml:"Version,attr"`
	MIME       string   `xml:"MIMEType,attr"`
	Signatures []string `xml:"InternalSignatureID"`
	Over       []string `xml:"HasPriorityOverFileFormatID"`
}

type xmlSignature struct {
	ID        string        `xml:"ID,attr"`
	Sequences []xmlSequence `xml:"ByteSequence"`
}

type xmlSequence struct {
	Reference string           `xml:"Reference,attr"`
	Pieces    []xmlSubSequence `xml:"SubSequence"`
}

type xmlSubSequence struct {
	Min   string        `xml:"SubSeqMinOffset,attr"`
	Max   string        `xml:"SubSeqMaxOffset,attr"`
	Main  string        `xml:"Sequence"`
	Left  []xmlFragment `xml:"LeftFragment"`
	Right []xmlFragment `xml:"RightFragment"`
}

type xmlFragment struct {
	Position int    `xml:"Position,attr"`
	Min      string `xml:"MinOffset,attr"`
	Max      string `xml:"MaxOffset,attr"`
	Pattern  string `xml:",chardata"`
}

func read(file []byte, into any) error {
	return xml.NewDecoder(bytes.NewReader(file)).Decode(into)
}

// number returns the value of an attribute that is a number, or missing if the
// attribute is empty.
func number(attr string, missing int) (int, error) {
	if attr == "" {
		return missing, nil
	}
	n, err := strconv.Atoi(attr)
	if err == nil && (n < 0 || n > 1<<30) {
		err = fmt.Errorf("offset %d is out of range", n)
	}
	return n, err
}

// The anchors of a sequence: what its offsets count from.
const (
	anywhere = iota
	fromStart
	fromEnd
)

// sequence is a sequence of bytes that a signature asks for.
type sequence struct {
	anchor int
	subs   []sub
}

// sub is one piece of a sequence: a main pattern with fragments to its left and
// right. min and max are the least and the greatest distance in bytes from the
// piece before. In a sequence that is counted from the end of a body, they are
// the distance of the piece's end from there. max is unbounded if there is no
// upper bound.
type sub struct {
	min, max    int
	main        pattern
	left, right [][]fragment // the fragments, the nearest to main first; each is a list of alternatives
}

// fragment is a pattern that is at least min and at most max bytes away from
// the fragment or main pattern next to it.
type fragment struct {
	min, max int
	pattern  pattern
}

const unbounded = -1

// compile returns the sequence that x describes.
func compile(x xmlSequence) (sequence, error) {
	var s sequence
	switch x.Reference {
	case "BOFoffset":
		s.anchor = fromStart
	case "EOFoffset":
		s.anchor = fromEnd
		if len(x.Pieces) > 1 {
			return s, fmt.Errorf("a sequence from the end has more than one piece: %d", len(x.Pieces))
		}
	case "", "Variable":
	default:
		return s, fmt.Errorf("unknown reference %q", x.Reference)
	}
	for _, p := range x.Pieces {
		c, err := compileSub(p)
		if err != nil {
			return s, err
		}
		if s.anchor == anywhere && len(s.subs) == 0 {
			c.max = unbounded
		}
		s.subs = append(s.subs, c)
	}
	if len(s.subs) == 0 {
		return s, fmt.Errorf("a sequence is empty")
	}
	return s, nil
}

func compileSub(x xmlSubSequence) (sub, error) {
	s, err := split(x.Main)
	if err != nil {
		return s, err
	}
	if s.min, err = number(x.Min, 0); err != nil {
		return s, err
	}
	if s.max, err = number(x.Max, unbounded); err != nil {
		return s, err
	}
	if s.max != unbounded {
		s.max = max(s.max, s.min) // as DROID reads a maximum below the minimum
	}
	add := func(to *[][]fragment, list []xmlFragment) error {
		inner := len(*to)
		for _, x := range list {
			p, err := parsePlain(x.Pattern)
			if err != nil {
				return err
			}
			f := fragment{pattern: p}
			if f.min, err = number(x.Min, 0); err != nil {
				return err
			}
			if f.max, err = number(x.Max, f.min); err != nil {
				return err
			}
			f.max = max(f.max, f.min)
			at := inner + x.Position - 1
			for len(*to) <= at {
				*to = append(*to, nil)
			}
			(*to)[at] = append((*to)[at], f)
		}
		for i, alternatives := range *to {
			if len(alternatives) == 0 {
				return fmt.Errorf("no fragment has the position %d", i+1)
			}
		}
		return nil
	}
	if err := add(&s.left, x.Left); err != nil {
		return s, err
	}
	return s, add(&s.right, x.Right)
}

// puidOf splits a PRONOM identifier such as "x-fmt/111" into its kind, 0 for fmt and 1
// for x-fmt, and its number.
func puidOf(puid string) (kind byte, n int, err error) {
	name, digits, _ := strings.Cut(puid, "/")
	if n, err = strconv.Atoi(digits); err != nil || name != "fmt" && name != "x-fmt" {
		return 0, 0, fmt.Errorf("%q is no PRONOM identifier", puid)
	}
	if name == "x-fmt" {
		kind = 1
	}
	return kind, n, nil
}
