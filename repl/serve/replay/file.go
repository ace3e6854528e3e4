package replay

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"sync"

	"infomall/store/page/markup"
)

// Files is the folder of this program's own files on the replay server. The addresses of these
// files begin with Files.
const Files = "/_infomall/"

// RuffleFiles is the folder of Ruffle, a player of Flash, on the replay server. Ruffle is not
// part of this program: the server sends the files of Ruffle that its user has installed.
const RuffleFiles = Files + "ruffle/"

// HasFlash reports whether body, a document, seems to have Flash: it names a file that
// ends in .swf, or the type of Flash.
func HasFlash(body []byte) bool {
	if bytes.Contains(body, []byte("x-shockwave-flash")) {
		return true
	}
	for {
		at := bytes.IndexByte(body, '.')
		if at < 0 {
			return false
		}
		body = body[at+1:]
		if len(body) >= 3 && markup.EqualFold(body[:3], "swf") && (len(body) == 3 || !isLetter(body[3])) {
			return true
		}
	}
}

//go:embed files
var files embed.FS

// firstBody is the first script, which runs in a page before all others. Its parts share one
// scope, which no script of a page can see.
var firstBody = sync.OnceValue(func() []byte {
	body := []byte("(function () {\n\"use strict\";\n")
	parts, err := fs.Glob(files, "files/first/*.js") // in order of name
	for _, name := range parts {
		var part []byte
		if part, err = files.ReadFile(name); err != nil {
			break
		}
		body = append(append(body, part...), '\n')
	}
	if err != nil {
		panic(fmt.Sprintf("replay: embedded files: %v", err))
	}
	return append(body, "})();\n"...)
})

// File returns the file with this name in the folder Files: first.js, worker.js or worker-first.js.
// The address of a file may have a query, which is its version and no part of its
// name: a file with a version may be cached for ever. The service worker worker.js
// must be sent with the header Service-Worker-Allowed: /, and it is the only file
// that may answer a request with the header Service-Worker. ok is false if there is
// no such file.
func File(name string) (body []byte, contentType string, ok bool) {
	const program = "text/javascript; charset=utf-8"
	switch name {
	case "first.js":
		return firstBody(), program, true
	case "worker.js", "worker-first.js":
		body, err := files.ReadFile("files/" + name)
		return body, program, err == nil
	}
	return nil, "", false
}

// WorkerProgram returns body, the program of a worker, with a line before it that loads the first
// script of workers. A module cannot load it that way, and then does without.
func WorkerProgram(body []byte) []byte {
	line := "try { importScripts(\"" + Files + "worker-first.js\") } catch {}\n"
	start := bytes.TrimLeft(bytes.TrimPrefix(body, []byte("\ufeff")), " \t\r\n")
	for _, strict := range []string{`"use strict"`, "'use strict'"} {
		if bytes.HasPrefix(start, []byte(strict)) {
			line = strict + "; " + line // it counts only at the start
		}
	}
	return append([]byte(line), body...)
}

// firstScript is the address of the first script, with the version of the script as its query.
var firstScript = sync.OnceValue(func() string {
	sum := sha256.Sum256(firstBody())
	return Files + "first.js?" + hex.EncodeToString(sum[:6])
})
