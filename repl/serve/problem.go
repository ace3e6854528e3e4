package serve

import (
	"encoding/json"
	"errors"
	"net/http"

	"infomall/lang"
	"infomall/lang/ast"
)

// problem is an error of an API in the form of RFC 9457 (application/problem+json).
type problem struct {
	Type     string      `json:"type"`
	Title    string      `json:"title"`
	Status   int         `json:"status"`
	Detail   string      `json:"detail"`
	Hint     string      `json:"hint,omitempty"`   // what to write instead
	Line     int         `json:"line,omitempty"`   // of the statement, from 1
	Column   int         `json:"column,omitempty"` // in characters, from 1
	Problems []placement `json:"problems,omitempty"`
}

// placement is the position of one of several mistakes in a statement.
type placement struct {
	Detail string `json:"detail"`
	Hint   string `json:"hint,omitempty"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// problemOf returns the problem for an error.
func problemOf(err error) problem {
	status := statusOf(err)
	p := problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: err.Error()}
	var list []*ast.Error
	var faults lang.Errors
	var fault *ast.Error
	switch {
	case errors.As(err, &faults):
		list = faults
	case errors.As(err, &fault):
		list = []*ast.Error{fault}
	}
	for i, f := range list {
		at := placement{Detail: f.Msg, Hint: f.Hint, Line: f.Start.Line, Column: f.Start.Column}
		if i == 0 {
			p.Title, p.Detail, p.Hint, p.Line, p.Column = "mistake in the statement", at.Detail, at.Hint, at.Line, at.Column
		}
		if len(list) > 1 {
			p.Problems = append(p.Problems, at)
		}
	}
	return p
}

// sendProblem answers with err as a problem.
func sendProblem(w http.ResponseWriter, _ *http.Request, err error) {
	p := problemOf(err)
	body, jerr := json.MarshalIndent(p, "", "  ")
	if jerr != nil {
		panic(jerr) // a problem has only texts and numbers
	}
	h := w.Header()
	h.Set("Content-Type", "application/problem+json; charset=utf-8")
	retryLater(h, p.Status)
	w.WriteHeader(p.Status)
	w.Write(append(body, '\n'))
}

// retryLater adds a header that says when to ask again, if status says that the server is busy.
func retryLater(h http.Header, status int) {
	if status == http.StatusServiceUnavailable {
		h.Set("Retry-After", "5")
	}
}
