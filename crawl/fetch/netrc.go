package fetch

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// netrcMax bounds the size of a file of passwords, in bytes.
const netrcMax = 1 << 20

// passwords holds the value of the header Authorization for each host. It
// exists in memory only, and its String shows no password.
type passwords map[string]string

// String returns a text with the number of passwords, but none of them.
func (p passwords) String() string { return fmt.Sprintf("passwords; hosts: %d", len(p)) }

// readNetrc reads a file of names and passwords in the form that ftp, curl and wget
// use:
//
//	machine intranet.example login me password secret
//
// A machine is the name of one host, with any port. The entry "default" is ignored,
// because it would send a password to any host. If path is "", there is no file and
// the result is nil.
func readNetrc(path string) (passwords, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the passwords: %w", err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, netrcMax+1))
	if err == nil && len(b) > netrcMax {
		err = fmt.Errorf("it is longer than %d KB", netrcMax>>10)
	}
	var p passwords
	if err == nil {
		p, err = parseNetrc(string(b))
	}
	if err != nil {
		return nil, fmt.Errorf("read the passwords of %s: %w", path, err)
	}
	return p, nil
}

// parseNetrc parses the text of a file that readNetrc reads. Its errors
// quote nothing of the text, which has passwords.
func parseNetrc(text string) (passwords, error) {
	p := make(passwords)
	values := make(map[string]string) // of the current machine
	end := func() {
		if values["machine"] != "" && values["login"] != "" {
			pair := values["login"] + ":" + values["password"]
			p[strings.ToLower(values["machine"])] = "Basic " + base64.StdEncoding.EncodeToString([]byte(pair))
		}
		clear(values)
	}
	key := ""
	for line := range strings.Lines(text) {
		for _, word := range strings.Fields(line) {
			if key == "" && strings.HasPrefix(word, "#") {
				break // a password may begin so
			}
			switch {
			case key != "":
				values[key], key = word, ""
			case word == "default":
				end()
			case word == "machine":
				end()
				key = word
			case word == "login", word == "password", word == "account":
				key = word
			default:
				return nil, errors.New("it has something other than machine NAME, login NAME, password WORD, account NAME and default; macros (macdef) are not supported")
			}
		}
	}
	end()
	if key != "" {
		return nil, fmt.Errorf("it ends after %s, which needs a value", key)
	}
	return p, nil
}
