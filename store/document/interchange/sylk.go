package interchange

import (
	"errors"
	"strconv"
	"strings"

	"infomall/store/document"
	"infomall/store/document/table"
)

// readSYLK reads a file in the format SYLK. A record is a line of fields, which
// ";" separates; ";;" stands for a ";" in a field. The record C has a cell. X
// is the column of the cell and Y its row; if one is missing, it is that of the
// cell before. K is the value of the cell, and A a comment.
//
//	C;Y4;X1;K"Übergang"
//	C;X2;K1784
//	E (the end)
func readSYLK(b *document.Builder, text string) error {
	r := &rows{w: table.NewWriter(b)}
	x, y, ended := 1, 1, false
	var notes []string
	for text != "" && !ended {
		var line string
		line, text = cutLine(text)
		f := fields(line)
		switch f[0] {
		case "E":
			ended = true
		case "C", "F":
			row, value, has := y, "", false
			for _, field := range f[1:] {
				if field == "" {
					continue
				}
				switch rest := field[1:]; field[0] {
				case 'X':
					x = number(rest, x)
				case 'Y':
					row = number(rest, row)
				case 'K':
					value, has = valueOf(rest), f[0] == "C"
				case 'A':
					if f[0] == "C" {
						notes = append(notes, plain(rest))
					}
				}
			}
			if row != y {
				if err := r.end(); err != nil {
					return err
				}
				y = row
			}
			if has {
				r.set(x-1, value)
			}
		}
	}
	if err := errors.Join(r.end(), r.w.Flush()); err != nil {
		return err
	}
	for _, note := range notes {
		if err := b.Add(document.Note, note); err != nil {
			return err
		}
	}
	if !ended {
		return errors.New("the SYLK has no end")
	}
	return nil
}

// fields returns the fields of a record, at least one. In a field, ";;" stands
// for ";".
func fields(line string) []string {
	var out []string
	var field strings.Builder
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] != ';':
			field.WriteByte(line[i])
		case i+1 < len(line) && line[i+1] == ';':
			field.WriteByte(';')
			i++
		default:
			out = append(out, field.String())
			field.Reset()
		}
	}
	return append(out, field.String())
}

// number returns the number in text, or the value of otherwise if text is not a
// number from 1 on.
func number(text string, otherwise int) int {
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		return n
	}
	return otherwise
}

// valueOf returns the text of a cell from text, the content of its field K.
func valueOf(text string) string {
	if value, quoted := unquote(text); quoted {
		return plain(value)
	}
	return text
}

// escapes are the characters that Multiplan and Excel write as ESC, N and a
// character.
var escapes = strings.NewReplacer(
	"\x1bN{", "ß", "\x1bNa", "Æ", "\x1bNq", "æ", "\x1bNi", "Ø", "\x1bNy", "ø", "\x1bNj", "Œ", "\x1bNz", "œ", "\x1bNl", "þ",
	"\x1bN!", "¡", "\x1bN\"", "¢", "\x1bN#", "£", "\x1bN%", "¥", "\x1bN'", "§", "\x1bNS", "©", "\x1bNR", "®", "\x1bN+", "«", "\x1bN;", "»",
	"\x1bN0", "°", "\x1bN1", "±", "\x1bN2", "²", "\x1bN3", "³", "\x1bN5", "µ", "\x1bN6", "¶", "\x1bN7", "·", "\x1bN?", "¿",
	"\x1b :", "\n",
)

// accents has the accents that are written as ESC, N and a letter, followed by
// the letter with the accent. The value has pairs of a letter and the letter
// with the accent.
var accents = map[byte]string{'A': "AÀEÈIÌOÒUÙaàeèiìoòuù", 'B': "AÁEÉIÍOÓUÚYÝaáeéiíoóuúyý", 'C': "AÂEÊIÎOÔUÛaâeêiîoôuû",
	'D': "AÃNÑOÕaãnñoõ", 'H': "AÄEËIÏOÖUÜaäeëiïoöuüyÿ", 'J': "AÅaå", 'K': "CÇcç"}

// plain returns text with its escapes replaced by the characters for which they
// stand.
func plain(text string) string {
	if !strings.Contains(text, "\x1b") {
		return text
	}
	text = escapes.Replace(text)
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\x1b' && i+3 < len(text) && text[i+1] == 'N' {
			if letter := accented(accents[text[i+2]], text[i+3]); letter != "" {
				out.WriteString(letter)
				i += 3
				continue
			}
		}
		out.WriteByte(text[i])
	}
	return out.String()
}

// accented returns the letter with an accent that follows the letter base in
// pairs, or "" if there is none.
func accented(pairs string, base byte) string {
	next := false
	for _, r := range pairs {
		if next {
			return string(r)
		}
		next = r == rune(base)
	}
	return ""
}
