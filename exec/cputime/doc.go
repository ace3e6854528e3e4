// Package cputime measures how long processors have worked for this process. Each kind of
// system has its own file.
package cputime
